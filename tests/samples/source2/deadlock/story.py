"""`Story`: what happens in the written match of Deadlock, minute by minute, with a record of each fact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.samples.source2.deadlock import names
from tests.samples.source2.deadlock.field import (
    MAX_HEALTH,
    URN_TRIGGER,
    Battlefield,
    Fighter,
    Row,
    server_seconds,
    states_fields,
)
from tests.samples.source2.deadlock.modifiers import Modifiers
from tests.samples.source2.deadlock.names import FIRST_SERVER_TICK, RATE
from tests.samples.source2.deadlock.places import Places
from tests.samples.source2.deadlock.said import Said
from tests.samples.source2.deadlock.schema import STATE_MASKS
from tests.samples.source2.deadlock.summary import sent_deaths, sent_items, summary_lists

from playhead.deadlock.sources.names import name_hash

MINUTE = 60 * RATE
#: Tick at which the barriers drop.
DROP = 600
RESPAWN = 10 * RATE
#: Begin of a pause in its minute, and its length.
PAUSE_AT, PAUSE_TICKS = 3400, 120
#: Souls for a kill, and each second.
KILL_SOULS, SOULS_A_SECOND = 200, 5
#: Number of the value "health" of permanent bonuses, by build.
HEALTH_VALUE = {False: 31, True: 43}
#: Ticks before the end: the patron is open, stands again, falls; the summary of the match.
_OPEN, _FINAL, _FALL, _SUMMARY = 1200, 900, 300, 240


class Story:
    """Plays the events of the match, and records them.

    Args:
        field: the entities.
        last: last tick of the match.
        modifiers: the table of modifiers.

    Attributes:
        rows: facts by table, each a list of rows.
        said: the messages of the current packet.
    """

    def __init__(self, field: Battlefield, last: int, modifiers: Modifiers) -> None:
        self.field = field
        self._last = last
        self._modifiers = modifiers
        tables = (
            "kills damage item_events ability_uses ability_upgrades stat_bonuses modifiers structure_series "
            "bosses urn rift breakables flex_slots chat pings periods swaps ziplines match neutrals "
            "sinners_sacrifice barriers player_states imbues"
        )
        self.rows: dict[str, list[Row]] = {name: [] for name in tables.split()}
        self.said = Said(field, self.rows["damage"])
        self._places = places = Places(field, self.said, self.rows)
        self._serials: dict[str, int] = {}
        self._paused_ticks = 0
        self._events: dict[int, Callable[[int, int], None]] = {
            60: self._swap,
            120: self._chat,
            180: self._ping,
            242: self._buy,
            300: places.announce_rift,
            362: self._upgrade,
            422: self._change_ability,
            482: self._sell,
            520: self._imbue,
            500: places.open_rift,
            **dict.fromkeys(range(600, 720, 12), self._first_fight),
            720: lambda tick, minute: self._kill(tick, minute, *self._pair(minute, 0, 2), "both"),
            900: lambda tick, minute: self._use(tick, self.field.hidden_king(minute, 0), 0, "both"),
            960: lambda tick, minute: self._use(tick, self.field.archmother(minute, 1), 1, "message"),
            1020: lambda tick, minute: self._use(tick, self.field.archmother(minute, 0), 2, "event"),
            1080: self._learn,
            1140: self._bonus,
            1200: self._slow,
            1220: self._shield,
            1260: self._stack,
            1280: self._shield,
            1300: places.take_rift,
            1320: self._end_slow,
            1500: lambda tick, minute: self._ride(
                tick, minute, {mask: (n, 33 + minute, 200 + n) for n, mask in enumerate(STATE_MASKS)}
            ),
            1560: lambda tick, minute: self._ride(tick, minute, {}),
            1600: lambda tick, minute: self._kill(tick, minute, *self._pair(minute, 3, 3, back=True), "message"),
            1700: places.attack_structure,
            1800: places.fall_structure,
            1900: places.boss_comes,
            2000: places.break_crate,
            2100: places.kill_neutral,
            2150: places.hit_machine,
            2200: places.capture,
            2400: lambda tick, minute: self._kill(tick, minute, *self._pair(minute, 4, 5), "event"),
            2500: places.boss_falls,
            2560: lambda tick, minute: places.rejuvenator(tick, minute, 6),
            2700: places.flex,
            2760: lambda tick, minute: places.rejuvenator(tick, minute, 7 if minute % 8 == 0 else 8),
            2800: lambda tick, minute: self._urn(tick, minute, "picked_up"),
            2850: lambda tick, minute: self._urn(tick, minute, "delivery_opened"),
            2950: lambda tick, minute: self._urn(tick, minute, "dropped"),
            3000: lambda tick, minute: self._urn(tick, minute, "picked_up"),
            3200: lambda tick, minute: self._urn(tick, minute, "returned"),
            3202: lambda tick, minute: self._urn(tick, minute, "delivery_closed"),
            3300: places.neutral_returns,
        }

    def _pair(self, minute: int, a: int, b: int, *, back: bool = False) -> tuple[Fighter, Fighter]:
        """Return attacker and victim."""
        pair = self.field.hidden_king(minute, a), self.field.archmother(minute, b)
        return pair[::-1] if back else pair

    # -- the time ---------------------------------------------------------------------------------------

    def paused(self, tick: int) -> bool:
        """Return whether the game is paused; begin and end the pause of the second minute."""
        at = tick - MINUTE - PAUSE_AT
        if at == 0:
            self.rows["periods"].append({"tick": tick, "end_tick": tick + PAUSE_TICKS, "kind": "pause", "team": 2})
            self.field.rules(m_bGamePaused=True, m_nPauseStartTick=FIRST_SERVER_TICK + tick, m_iPauseTeam=2)
            self._tell_clock(tick)
        elif at == PAUSE_TICKS:
            self._paused_ticks = PAUSE_TICKS
            self.field.rules(m_bGamePaused=False, m_nTotalPausedTicks=PAUSE_TICKS)
            self._tell_clock(tick)
        return 0 <= at < PAUSE_TICKS

    def _tell_clock(self, tick: int) -> None:
        shown = (tick - DROP - self._paused_ticks) / RATE
        self.field.rules(m_flMatchClockAtLastUpdate=shown, m_nMatchClockUpdateTick=FIRST_SERVER_TICK + tick)

    def play(self, tick: int) -> None:
        """Play the events of a tick."""
        if tick == 20:  # a message of another mode, so that each table has a row
            self.said.send("CCitadelUserMsg_StreetBrawlScoring", scoring_team=2, amber_score=1, sapphire_score=0)
        if tick == 30:
            self.said.send("CCitadelUserMsg_BannedHeroes", banned_hero_ids=list(names.BANNED))
        if tick == DROP:
            self.field.rules(m_flGameStartTime=server_seconds(tick), m_eGameState=7)
            self._tell_clock(tick)
        self._places.clear(tick)
        for fighter in self.field.fighters:
            if fighter.dead_until and tick >= fighter.dead_until:
                fighter.dead_until, fighter.health = 0, MAX_HEALTH
                alive = {"m_lifeState": 0, "m_iHealth": MAX_HEALTH, "m_flLastSpawnTime": server_seconds(tick)}
                self.field.put(fighter.pawn, alive)
                self.field.tell(fighter)
        minute, at = divmod(tick, MINUTE)
        event = self._events.get(at)
        if event is not None and tick >= DROP and tick < self._last - _OPEN:
            event(tick, minute)
        if tick % RATE == 0 and tick >= DROP:
            for fighter in self.field.fighters:
                fighter.souls += SOULS_A_SECOND
                self.field.tell(fighter)
        self._end(tick)

    # -- people -----------------------------------------------------------------------------------------

    def _swap(self, tick: int, minute: int) -> None:
        if minute != 1:
            return
        player, hero = names.SWAP
        fighter = self.field.fighters[player]
        self.rows["swaps"].append(
            {"tick": tick, "player": player, "hero_id": hero, "before_hero_id": fighter.hero}
        )
        fighter.hero = hero
        self.field.put(fighter.controller, {"m_nHeroID": hero})
        self.field.put(fighter.pawn, {"m_nHeroID": hero})

    def _chat(self, tick: int, minute: int) -> None:
        player, text, everybody = self.field.hidden_king(minute, 0).player, f"minute {minute}", minute % 2 == 0
        self.rows["chat"].append({"tick": tick, "player": player, "text": text, "everybody": everybody})
        self.said.chat(player, text, everybody=everybody)

    def _ping(self, tick: int, minute: int) -> None:
        fighter = self.field.archmother(minute, 0)
        self.rows["pings"].append({"tick": tick, "player": fighter.player, "x": fighter.x, "y": fighter.y})
        place = {"x": fighter.x, "y": fighter.y, "z": fighter.z}
        data = {"ping_message_id": 7, "ping_location": place, "sender_player_slot": fighter.player}
        self.said.send("CCitadelUserMsg_MapPing", ping_data=data)

    def _first_fight(self, tick: int, minute: int) -> None:
        attacker, victim = self._pair(minute, 0, 2)
        helper = self.field.hidden_king(minute, 1)
        for each, damage in ((attacker, 40), (helper, 25 + self.field.seed % 10)):
            if not victim.dead_until and not each.dead_until and victim.health > damage:
                self._hit(tick, each, victim, damage)

    def _hit(
        self, tick: int, attacker: Fighter, victim: Fighter, damage: int, *, melee: str | None = None
    ) -> None:
        victim.health -= damage
        attacker.hero_damage += damage
        self.field.put(victim.pawn, {"m_iHealth": victim.health})
        for fighter, node in ((attacker, "m_sPlayerDamageDealt"), (victim, "m_sPlayerDamageTaken")):
            now = server_seconds(tick)
            for name in (node, "m_sInCombat"):
                times = {"m_flStartTime": now, "m_flLastDamageTime": now, "m_flEndTime": now + 5.0}
                self.field.put(fighter.pawn, {f"{name}.{key}": time for key, time in times.items()})
        self.said.hit(tick, attacker, victim.pawn, victim.health, damage, melee=melee, head=damage == 40)

    def _kill(self, tick: int, minute: int, attacker: Fighter, victim: Fighter, source: str) -> None:
        if victim.dead_until or attacker.dead_until:
            return
        helper = self.field.hidden_king(minute, 1)
        assists = [helper] if source == "both" and helper is not attacker else []
        first = not self.rows["kills"]
        attacker.streak += 1
        attacker.kills += 1
        attacker.souls += KILL_SOULS
        self._hit(tick, attacker, victim, victim.health, melee={"event": "heavy", "message": "light"}.get(source))
        victim.deaths += 1
        victim.streak = 0
        victim.dead_until = tick + RESPAWN
        for each in assists:
            each.assists += 1
        back = server_seconds(victim.dead_until)
        dead = {"m_lifeState": 1, "m_flDeathTime": server_seconds(tick), "m_flRespawnTime": back}
        self.field.put(victim.pawn, dead)
        self.field.put(victim.controller, {"m_flRespawnTime": back})
        for each in (attacker, victim, *assists):
            self.field.tell(each)
        self.said.death(tick, victim, attacker, assists, source=source, first=first)
        self.rows["kills"].append(
            {
                "tick": tick,
                "victim_player": victim.player,
                "attacker_player": attacker.player,
                "assister_players": [each.player for each in assists],
                "victim_hero_id": victim.hero,
                "attacker_hero_id": attacker.hero,
                "known_by": source,
                "streak": attacker.streak,
                "first_blood": first,
                "respawn_seconds": RESPAWN / RATE,
                "victim_x": victim.x,
                "victim_y": victim.y,
                "attacker_x": attacker.x,
                "attacker_y": attacker.y,
            }
        )

    def _ride(self, tick: int, minute: int, states: dict[str, tuple[int, ...]]) -> None:
        """Put a player in the states of these numbers, by mask."""
        fighter = self.field.archmother(minute, 3)
        self.field.put(fighter.pawn, states_fields(states))
        self.rows["player_states"].append({"tick": tick, "player": fighter.player, **states})

    # -- items and abilities ----------------------------------------------------------------------------

    def _change_items(self, tick: int, fighter: Fighter, item: str, change: int, cost: int) -> None:
        before = fighter.souls
        fighter.souls -= cost
        fighter.spent += max(cost, 0)
        self.field.tell(fighter)
        self.field.tell_items(fighter)
        numbers = {"purchaser_player_slot": fighter.player, "ability_id": name_hash(item), "change": change}
        self.said.send("CCitadelUserMsg_AbilitiesChanged", **numbers)
        row: Row = {
            "tick": tick,
            "player": fighter.player,
            "item": item,
            "change_id": change,
            "hero_id": fighter.hero,
        }
        row |= {"cost": cost if change in (0, 1) else None}
        self.rows["item_events"].append(row | {"souls_before": before, "souls_after": fighter.souls})

    def _buy(self, tick: int, minute: int) -> None:
        fighter, item = self.field.hidden_king(minute, 0), names.COMPONENTS[minute % 3]
        if item not in fighter.items and fighter.souls >= names.COMPONENT_COST:
            fighter.items.append(item)
            self._change_items(tick, fighter, item, 0, names.COMPONENT_COST)

    def _upgrade(self, tick: int, minute: int) -> None:
        """Buy an item for which the player has the component."""
        fighter = self.field.hidden_king(minute, 5)
        for component, item in zip(names.COMPONENTS, names.UPGRADED, strict=True):
            if component in fighter.items and item not in fighter.items:
                fighter.items[fighter.items.index(component)] = item
                self._change_items(tick, fighter, item, 1, names.UPGRADE_COST)
                self.rows["item_events"][-1]["upgraded_from"] = [component]
                return

    def _sell(self, tick: int, minute: int) -> None:
        fighter = self.field.hidden_king(minute, 4)
        if minute >= 2 and fighter.items:
            self._change_items(tick, fighter, fighter.items.pop(), 2, -names.COMPONENT_COST // 2)

    def _imbue(self, tick: int, minute: int) -> None:
        """Let the first item of a player improve an ability instead of the one before."""
        fighter = self.field.hidden_king(minute // 2, 1)
        if fighter.imbued is not None:
            fighter.imbued["end_tick"] = tick
        ability, item = names.ABILITIES[minute % 4][0], names.COMPONENTS[minute % 3]
        fighter.imbued = {
            "tick": tick,
            "player": fighter.player,
            "item": item,
            "ability": ability,
            "end_tick": None,
        }
        self.rows["imbues"].append(fighter.imbued)
        entry = "m_vecImbuements.0000"
        values: Row = {"m_vecImbuements": 1, f"{entry}.m_SourceItemID": name_hash(item)}
        if self.field.new:
            values |= {
                f"{entry}.m_vecImbuedAbilities": 1,
                f"{entry}.m_vecImbuedAbilities.0000": name_hash(ability),
            }
        else:
            values[f"{entry}.m_TargetAbilityID"] = name_hash(ability)
        self.field.put(fighter.controller, values)

    def _change_ability(self, tick: int, minute: int) -> None:
        """Tell a change without souls: swap, level_up, failure (4 before the update, which has no 5)."""
        ability, _ = names.ABILITIES[minute % 4]
        change = min(3 + minute % 3, 5 if self.field.new else 4)
        self._change_items(tick, self.field.archmother(minute, 2), ability, change, 0)

    def _use(self, tick: int, fighter: Fighter, slot: int, source: str) -> None:
        name, _ = names.ABILITIES[slot]
        start, end = server_seconds(tick), server_seconds(tick) + 20.0
        cooldown = {"m_flCooldownStart": start, "m_flCooldownEnd": end, "m_iRemainingCharges": 1}
        self.field.put(fighter.ability(slot), cooldown)
        self.said.ability(tick, fighter, name, source=source)
        row = {"tick": tick, "player": fighter.player, "ability": name, "known_by": source}
        self.rows["ability_uses"].append(
            row | {"cooldown_start_server_seconds": start, "cooldown_end_server_seconds": end, "slot": slot}
        )

    def _learn(self, tick: int, minute: int) -> None:
        fighter, slot = self.field.fighters[minute % 12], minute // 12 % 4
        if fighter.tiers[slot] == 3:
            return
        fighter.tiers[slot] += 1
        bits = (2 << fighter.tiers[slot]) - 1  # the lowest says that it is learned
        self.field.put(fighter.controller, {f"m_vecAbilityUpgradeState.{slot:04}.m_nUpgradeInfo": bits << 17})
        self.field.put(fighter.ability(slot), {"m_nUpgradeBits": bits})
        row = {"tick": tick, "player": fighter.player, "ability": names.ABILITIES[slot][0]}
        self.rows["ability_upgrades"].append(row | {"ability_level": fighter.tiers[slot] + 1})

    def _bonus(self, tick: int, minute: int) -> None:
        fighter = self.field.hidden_king(minute, 0)
        fighter.stats = [(HEALTH_VALUE[self.field.new], sum(value for _, value in fighter.stats) + 20.0)]
        values: Row = {"m_vecStatViewerModifierValues": len(fighter.stats)}
        for place, (number, value) in enumerate(fighter.stats):
            path = f"m_vecStatViewerModifierValues.{place:04}"
            values |= {f"{path}.m_eValType": number, f"{path}.m_flValue": value}
            values |= {f"{path}.m_SourceModifierID": name_hash(names.MODIFIER)}
        self.field.put(fighter.controller, values)
        row = {"tick": tick, "player": fighter.player, "stat": "health", "amount": 20.0}
        self.rows["stat_bonuses"].append(row)

    def _modify(self, tick: int, target: Fighter, caster: Fighter, **fields: Any) -> int:
        return self._modifiers.apply(
            tick, parent=self.field.handle_of(target.pawn), caster=self.field.handle_of(caster.pawn), **fields
        )

    def _slow(self, tick: int, minute: int) -> None:
        target, caster = self.field.hidden_king(minute, 2), self.field.archmother(minute, 1)
        numbers = {
            "modifier_subclass": name_hash(names.MODIFIER),
            "ability_subclass": name_hash(names.ABILITIES[0][0]),
        }
        self._serials["slow"] = self._modify(tick, target, caster, stack_count=1, duration=10.0, **numbers)
        row = {"tick": tick, "player": target.player, "caster_player": caster.player, "modifier": names.MODIFIER}
        self.rows["modifiers"].append(row | {"ability": names.ABILITIES[0][0], "stacks": 1})

    def _shield(self, tick: int, minute: int) -> None:
        """Give a barrier; a second later, take a part of it or all of it."""
        fighter = self.field.hidden_king(minute, 3)
        left = 250.0 if tick % MINUTE == 1220 else 100.0 if minute % 2 else 0.0
        fields: Row = {"modifier_subclass": name_hash(names.BARRIER), "float1_": 250.0, "float2_": left}
        key = f"barrier {fighter.player}"
        if key not in self._serials:
            self._serials[key] = self._modify(tick, fighter, fighter, duration=-1.0, **fields)
        else:
            body = self.field.handle_of(fighter.pawn)
            self._modifiers.change(self._serials[key], parent=body, **fields)
        self.rows["barriers"].append({"tick": tick, "player": fighter.player, "left": left})

    def _stack(self, tick: int, _minute: int) -> None:
        self._modifiers.change(self._serials["slow"], stack_count=2)
        self.rows["modifiers"][-1] |= {"stacked_tick": tick, "stacks": 2}

    def _end_slow(self, tick: int, minute: int) -> None:
        self._modifiers.remove(self._serials["slow"], self.field.handle_of(self.field.hidden_king(minute, 2).pawn))
        self.rows["modifiers"][-1]["end_tick"] = tick

    # -- the urn ----------------------------------------------------------------------------------------

    def _urn(self, tick: int, minute: int, event: str) -> None:
        if minute % 4:
            return
        holder = self.field.archmother(minute, 4) if tick % MINUTE < 3000 else self.field.hidden_king(minute, 4)
        numbers = {"modifier_subclass": name_hash(names.HOLDING_URN), "ability_subclass": name_hash(names.URN)}
        body = self.field.handle_of(holder.pawn)
        row: Row = {"tick": tick, "event": event}
        if event == "picked_up":
            self._serials["urn"] = self._modify(tick, holder, holder, duration=-1.0, **numbers)
        elif event == "dropped":
            self._modifiers.remove(self._serials["urn"], body)
        elif event == "returned":
            # The urn is no longer held; the game says that it was returned by another modifier.
            self._modify(tick, holder, holder, duration=1.0, modifier_subclass=name_hash(names.URN_RETURN))
        else:
            self.field.put(URN_TRIGGER, {"m_bDisabled": event == "delivery_closed"})
            self.rows["urn"].append(row | {"delivery_team": 2, "x": -5000.0, "y": -2000.0})
            return
        self.rows["urn"].append(row | {"player": holder.player, "x": holder.x, "y": holder.y})
        if event == "returned":
            self._modifiers.remove(self._serials["urn"], body)
            place = {"x": holder.x, "y": holder.y}
            self.rows["urn"].append({"tick": tick, "event": "dropped", "player": holder.player, **place})

    # -- the end ----------------------------------------------------------------------------------------

    def _end(self, tick: int) -> None:
        left = self._last - tick
        fighter = self.field.fighters[0]
        patron = next(each for each in self.field.structures if each.kind == "patron" and each.team == 3)
        if left == _OPEN:
            for each in self.field.structures:
                if each.kind == "shrine" and each.team == 3:
                    self._places.hurt(tick, each, fighter, each.health)
            self._places.hurt(tick, patron, fighter, patron.health - 6000, m_ePhase=2)
        elif left == _FINAL:
            self._places.hurt(tick, patron, fighter, 1000, m_ePhase=1)
        elif left == _FALL:
            self._places.hurt(tick, patron, fighter, patron.health, m_ePhase=1)
            self._tell_clock(tick)
            self.said.send("CCitadelUserMessage_GameOver", winning_team=2)
            seconds = (tick - DROP - self._paused_ticks) / RATE
            self.rows["match"].append({"winner_team": 2, "end_tick": tick, "game_seconds": seconds})
        elif left == _SUMMARY:
            self.said.post_match(self.summary())

    def summary(self) -> Row:
        """Return the fields of the game's own summary, as of now."""
        end = int(self.rows["match"][0]["game_seconds"])
        players = [
            {
                "account_id": names.FIRST_ACCOUNT + fighter.player - 76561197960265728,
                "player_slot": fighter.player,
                "team": fighter.team - 2,
                "hero_id": fighter.hero,
                "kills": fighter.kills,
                "deaths": fighter.deaths,
                "assists": fighter.assists,
                "net_worth": fighter.souls + fighter.spent,
                "last_hits": fighter.last_hits,
                "level": 1,
                "items": sent_items(self.rows, fighter.player, DROP),
                "death_details": sent_deaths(self.rows, fighter.player, DROP, RESPAWN),
                "stats": [
                    {
                        "time_stamp_s": end,
                        "net_worth": fighter.souls + fighter.spent,
                        "kills": fighter.kills,
                        "deaths": fighter.deaths,
                        "player_damage": fighter.hero_damage,
                        "gold_sources": [
                            {"source": 1, "kills": fighter.kills, "gold": KILL_SOULS * fighter.kills},
                            {"source": 3, "kills": fighter.last_hits, "gold": 40 * fighter.last_hits},
                        ],
                    }
                ],
            }
            for fighter in self.field.fighters
        ]
        info = {"duration_s": end, "match_id": 40000001, "winning_team": 0, "players": players}
        return {"match_info": info | summary_lists(self.field.fighters, end)}
