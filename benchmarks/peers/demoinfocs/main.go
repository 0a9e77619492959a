// Command demoinfocs_dump writes what demoinfocs-golang 5.2.0 finds in a CS2 recording as JSON: kills, hits, shots,
// ends of rounds, blinded players, grenades, the bomb, hostages, chickens and chat, each with the tick of its packet.
package main

import (
	"encoding/json"
	"log"
	"os"

	dem "github.com/markus-wa/demoinfocs-golang/v5/pkg/demoinfocs"
	"github.com/markus-wa/demoinfocs-golang/v5/pkg/demoinfocs/common"
	"github.com/markus-wa/demoinfocs-golang/v5/pkg/demoinfocs/events"
)

type row map[string]any

func name(player *common.Player) any {
	if player == nil {
		return nil
	}
	return player.Name
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	parser := dem.NewParser(file)
	defer parser.Close()
	found := map[string][]row{}
	add := func(table string, values row) {
		values["tick"] = parser.GameState().IngameTick()
		found[table] = append(found[table], values)
	}
	parser.RegisterEventHandler(func(e events.Kill) {
		add("kills", row{
			"attacker_name": name(e.Killer), "victim_name": name(e.Victim), "assister_name": name(e.Assister),
			"headshot": e.IsHeadshot, "assist_flash": e.AssistedFlash, "noscope": e.NoScope,
			"thrusmoke": e.ThroughSmoke, "attackerblind": e.AttackerBlind, "penetrated": e.PenetratedObjects,
			"distance_metres": e.Distance,
		})
	})
	parser.RegisterEventHandler(func(e events.PlayerHurt) {
		add("damage", row{
			"attacker_name": name(e.Attacker), "victim_name": name(e.Player), "health_post": e.Health,
			"armor_post": e.Armor, "damage_reported": e.HealthDamage, "armor_damage": e.ArmorDamage,
			"damage": e.HealthDamageTaken, "hitgroup_id": int(e.HitGroup),
		})
	})
	parser.RegisterEventHandler(func(e events.WeaponFire) {
		add("shots", row{"name": name(e.Shooter)})
	})
	parser.RegisterEventHandler(func(e events.RoundEnd) {
		add("rounds", row{"winner_side": int(e.Winner), "reason_id": int(e.Reason)})
	})
	parser.RegisterEventHandler(func(e events.BombPlanted) {
		add("planted", row{"name": name(e.Player), "bomb_site": string(e.Site)})
	})
	parser.RegisterEventHandler(func(e events.BombDefused) {
		add("defused", row{"name": name(e.Player), "bomb_site": string(e.Site)})
	})
	parser.RegisterEventHandler(func(e events.BombExplode) {
		add("exploded", row{"bomb_site": string(e.Site)})
	})
	parser.RegisterEventHandler(func(e events.PlayerFlashed) {
		add("flashes", row{
			"attacker_name": name(e.Attacker), "victim_name": name(e.Player),
			"duration_seconds": e.FlashDuration().Seconds(),
		})
	})
	parser.RegisterEventHandler(func(e events.GrenadeProjectileThrow) {
		add("grenades", row{"thrower_name": name(e.Projectile.Thrower), "kind": e.Projectile.WeaponInstance.String()})
	})
	parser.RegisterEventHandler(func(e events.HostageRescued) {
		add("rescued", row{"name": name(e.Player)})
	})
	parser.RegisterEventHandler(func(e events.OtherDeath) {
		add("other_deaths", row{"attacker_name": name(e.Killer), "victim": e.OtherType})
	})
	parser.RegisterEventHandler(func(e events.ChatMessage) {
		add("chat", row{"name": name(e.Sender), "text": e.Text})
	})
	if err := parser.ParseToEnd(); err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		log.Fatal(err)
	}
}
