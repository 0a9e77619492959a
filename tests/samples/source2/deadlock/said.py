"""`Said`: the messages and game events of a packet of the written match, by their facts."""

from __future__ import annotations

from typing import Any

from tests.samples.source2.deadlock.field import Battlefield, Fighter, Row
from tests.samples.source2.deadlock.names import FIRST_SERVER_TICK, WEAPON
from tests.samples.source2.encoding import GameEventWriter, encode_message

from playhead.deadlock.sources.names import name_hash
from playhead.source2.messages import wire
from playhead.source2.writing.demo import InnerMessage

#: Types of the values of game events: 8 and 9 are handles of bodies and numbers of controllers.
EVENTS = GameEventWriter(
    {
        "player_death": {
            "userid": "short",
            "userid_pawn": "long",
            "attacker": "short",
            "attacker_pawn": "long",
            **{f"assister{number}controller": "short" for number in range(1, 6)},
        },
        "player_used_ability": {"entindex_player": "long", "abilityname": "string", "caster_entindex": "long"},
        "boss_damaged": {"objective_team": "short", "objective_id": "short", "entity_damaged": "long"},
    }
)
_MELEE = {None: 0, "heavy": 1 << 33, "light": 1 << 34}
_NOBODY = 65535


class Said:
    """Collects the messages of the current packet.

    Args:
        field: the entities.
        damages: gets a row for each damage.
    """

    def __init__(self, field: Battlefield, damages: list[Row]) -> None:
        self._field = field
        self._damages = damages
        self._messages: list[InnerMessage] = []
        self._shots = 0

    def take(self) -> list[InnerMessage]:
        """Return the messages since the last call."""
        out, self._messages = self._messages, []
        return out

    def add(self, message: InnerMessage) -> None:
        """Add a message."""
        self._messages.append(message)

    def send(self, name: str, **fields: Any) -> None:
        """Add a message of the game by the name of its definition."""
        self._messages.append(encode_message("deadlock", name, fields))

    def event(self, name: str, tick: int, **values: Any) -> None:
        """Add a game event."""
        self._messages.append(EVENTS.event(name, values, FIRST_SERVER_TICK + tick))

    def chat(self, player: int, text: str, *, everybody: bool) -> None:
        """Add a line of chat."""
        self.send("CCitadelUserMsg_ChatMsg", player_slot=player, text=text, all_chat=everybody)

    def post_match(self, details: Row) -> None:
        """Add the game's own summary of the match."""
        payload = wire.encode("CMsgMatchMetaDataContents", details, "deadlock")
        self.send("CCitadelUserMsg_PostMatchDetails", match_details=payload)

    def hit(self, tick: int, attacker: Fighter, victim: int, after: int, damage: int, **more: Any) -> None:
        """Add the damage of one hit by a player to an entity with `after` health left."""
        melee = more.get("melee")
        fields: Row = {
            "damage": damage,
            "health_lost": damage,
            "pre_damage": damage * 1.25,
            "type": 2,
            "citadel_type": 3 if melee else 1,
            "flags": _MELEE[melee],
            "entindex_victim": victim,
            "entindex_attacker": attacker.pawn,
            "victim_health_max": more.get("most", 800),
            "victim_health_new": after,
            "ability_id": name_hash(WEAPON),
            "attacker_class": 1,
            "victim_class": more.get("kind", 1),
            "hitgroup_id": 1 if more.get("head") else 2,
            "crit_damage": damage * 0.5 if more.get("head") else 0.0,
        }
        if self._field.new:
            fields |= {"server_tick": FIRST_SERVER_TICK + tick, "damage_absorbed": 1.5}
        else:
            fields["damage_absorbed_deprecated"] = 1
        self.send("CCitadelUserMessage_Damage", **fields)
        self._damages.append(
            {
                "tick": tick,
                "attacker_player": attacker.player,
                "victim_entity": victim,
                "damage": damage,
                "victim_health": after,
                "melee_type": melee,
            }
        )
        if not melee:
            self._shoot(attacker, victim, damage)

    def _shoot(self, attacker: Fighter, victim: int, damage: int) -> None:
        self._shots += 1
        origin = {"x": attacker.x, "y": attacker.y, "z": attacker.z}
        shot: Row = {"origin": origin, "angles": {"x": 0.0, "y": attacker.yaw, "z": 0.0}, "spread": 0.5}
        shot |= {"shooter_entity": attacker.pawn, "weapon_subclass_id": name_hash(WEAPON), "shot_id": self._shots}
        self.send("CMsgFireBullets", **shot, shot_number=self._shots)
        hit = {"impact_origin": origin, "trace_start": origin, "damage": damage}
        hit |= {"shooter_ehandle": self._field.handle_of(attacker.pawn), "weapon_subclass_id": name_hash(WEAPON)}
        self.send("CMsgBulletImpact", **hit, impacted_ehandle=self._field.handle_of(victim))

    def death(
        self, tick: int, victim: Fighter, attacker: Fighter, assists: list[Fighter], *, source: str, first: bool
    ) -> None:
        """Add the messages about the death of a hero; `source` is message, event or both."""
        if source != "event":
            self.send(
                "CCitadelUserMsg_HeroKilled",
                entindex_victim=victim.pawn,
                entindex_attacker=attacker.pawn,
                entindex_scorer=attacker.pawn,
                entindex_assisters=[each.pawn for each in assists],
                victim_team_number=victim.team,
                killer_ability_id=name_hash(WEAPON),
                first_blood=first,
            )
        if source != "message":
            numbers = [each.player for each in assists] + [_NOBODY] * (5 - len(assists))
            self.event(
                "player_death",
                tick,
                userid=victim.player,
                userid_pawn=self._field.handle_of(victim.pawn),
                attacker=attacker.player,
                attacker_pawn=self._field.handle_of(attacker.pawn),
                **{f"assister{place}controller": number for place, number in enumerate(numbers, 1)},
            )
        pawn = self._field.handle_of(attacker.pawn)
        self.send("CCitadelUserMsg_KillStreak", player_pawn=pawn, num_kills=attacker.streak, is_first_blood=first)

    def ability(self, tick: int, fighter: Fighter, name: str, *, source: str) -> None:
        """Add the use of an ability; `source` is message, event or both."""
        if source != "event":
            body = self._field.handle_of(fighter.pawn)
            self.send("CCitadelUserMessage_ImportantAbilityUsed", player=body, caster=body, ability_name=name)
        if source != "message":
            values = {"entindex_player": fighter.pawn, "abilityname": name, "caster_entindex": 0}
            self.event("player_used_ability", tick, **values)
