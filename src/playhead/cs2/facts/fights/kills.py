"""Table ``kills``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from playhead.cs2.facts import TABLES, TIME, WEAPON, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import PAWN, STATE_FIELDS
from playhead.cs2.sources.people import fighters_of
from playhead.cs2.sources.rounds import Round
from playhead.cs2.sources.words import HIT_GROUPS, slot_of, weapon_word, word_of
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: A kill is a trade if it avenges a teammate's death of at most so many seconds ago.
TRADE_SECONDS = 5.25

_FLAGS = {
    "headshot": ("headshot", "A shot in the head killed."),
    "assistedflash": ("assist_flash", "The assister's flash blinded the victim."),
    "noscope": ("noscope", "A sniper rifle without its scope."),
    "thrusmoke": ("thrusmoke", "Through smoke."),
    "attackerblind": ("attackerblind", "The attacker was blinded."),
    "attackerinair": ("attackerinair", "The attacker was in the air."),
}
_NUMBERS = {
    **{name: name for name in ("dominated", "revenge", "penetrated")},
    "damage_reported": "dmg_health",
    "armor_damage": "dmg_armor",
}
_FLASH, _FLAGS_OF_BODY, _ON_GROUND = "m_flFlashDuration", "m_fFlags", 1
_ROLES = (("attacker_", "attacker"), ("victim_", "userid"), ("assister_", "assister"))

KILLS = TableSchema.of(
    "kills",
    "One row for each death of a player: event player_death, with the state after its packet.",
    *TIME,
    *(column for role, _ in _ROLES for column in person(role, state=True)),
    word("assister_players", "One at most."),
    *(word(f"{role}controls_bot") for role, _ in _ROLES),
    WEAPON,
    *(Column(name, "bool", doc) for name, doc in _FLAGS.values()),
    Column("victim_blind", "bool", "A flash blinded the victim (m_flFlashDuration has not passed yet)."),
    Column("victim_in_air", "bool", "The victim was not on the ground before the packet of its death (m_fFlags)."),
    Column("dominated", "int32", "1 if the attacker dominates the victim from now on, as reported by the event."),
    Column("revenge", "int32", "1 if the victim dominated the attacker, as reported by the event."),
    Column("penetrated", "int32", "Objects that the bullet went through."),
    Column("distance_metres", "float32", "Distance as reported by the event.", "m"),
    *words("damage_reported armor_damage hitgroup hitgroup_id"),
    Column(
        "is_trade", "bool", "It avenges a teammate whom the victim killed at most 5.25 s before, in that round."
    ),
    Column(
        "victim_traded",
        "bool",
        "A teammate of the victim avenged this death within 5.25 s, in that round. A kill avenges one death, "
        "the earliest, as awpy counts.",
    ),
    Column("is_teamkill", "bool", "Attacker and victim are different players of one side."),
    Column("is_suicide", "bool", "The victim killed itself, or nobody did (a fall, the bomb)."),
)


class _Condition:
    """Flash and flags of a pawn, and those before the latest packet that changed them."""

    def __init__(self, tick: int, length: float, blind_until: float, flags: int | None) -> None:
        self.tick = tick
        self.length = length
        self.blind_until = blind_until
        self.flags = flags
        self.before: tuple[float, int | None] | None = None


@TABLES.maker_of(KILLS)
class Cs2Kills(Cs2Facts):
    """Table ``kills``."""

    jobs: ClassVar = Jobs(11, extra=22)
    entities: ClassVar = True
    fields = MappingProxyType({PAWN: (*STATE_FIELDS, _FLASH, _FLAGS_OF_BODY)})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._bodies: dict[int, _Condition] = {}
        playback.entities.on_entity(FieldWatch((_FLASH, _FLAGS_OF_BODY), self._on_body), PAWN)
        self.match.events(playback).on("player_death", self._on_death)

    def _on_body(self, pawn: Entity, op: EntityOp) -> None:
        tick, length = self._playback.tick, pawn.get_float(_FLASH) or 0.0
        body = self._bodies.get(pawn.index)
        if body is None or op & (EntityOp.CREATED | EntityOp.DELETED):
            # The start of an earlier flash is unknown.
            self._bodies[pawn.index] = _Condition(tick, length, 0.0, pawn.get_int(_FLAGS_OF_BODY))
            return
        if body.tick != tick:
            body.before = body.blind_until, body.flags
        if body.length != length:
            body.blind_until = tick + length * (self.match.ticks_per_second or 0.0) if length else 0.0
        body.tick, body.length, body.flags = tick, length, pawn.get_int(_FLAGS_OF_BODY)

    def _victim(self, pawn: Entity | None, tick: int) -> dict[str, bool | None]:
        """Return whether the one who died was blinded and in the air: a death may change both."""
        body = None if pawn is None else self._bodies.get(pawn.index)
        if body is None:
            return {"victim_blind": None, "victim_in_air": None}
        until, flags = body.blind_until, body.flags
        if body.tick == tick and body.before is not None:
            until, flags = max(until, body.before[0]), body.before[1]
        return {
            "victim_blind": tick < until,
            "victim_in_air": None if flags is None else not flags & _ON_GROUND,
        }

    def _on_death(self, tick: int, event: Mapping[str, Any]) -> None:
        people = self.match.people
        row: dict[str, Any] = {"tick": tick, **fighters_of(people, event, _ROLES)}
        attacker, victim = people.in_slot(event.get("attacker")), people.in_slot(event.get("userid"))
        suicide = slot_of(event.get("attacker")) is None or attacker is victim
        row |= {name: event.get(key) for key, (name, _) in _FLAGS.items()}
        for role, key in _ROLES:
            known = people.in_slot(event.get(key))
            row[f"{role}controls_bot"] = None if known is None else known.controls_bot
        row |= self._victim(people.pawn(victim), tick)
        row |= {name: event.get(key) for name, key in _NUMBERS.items()}
        row |= {
            "assister_players": [row["assister_player"]] if row["assister_player"] is not None else [],
            "distance_metres": event.get("distance"),
            "weapon": weapon_word(event.get("weapon")),
            "hitgroup": word_of(HIT_GROUPS, event.get("hitgroup"), "group"),
            "hitgroup_id": event.get("hitgroup"),
            "is_trade": False,
            "victim_traded": False,
            "is_suicide": suicide,
            "is_teamkill": not suicide
            and None not in (attacker, victim)
            and row["attacker_side"] == row["victim_side"],
        }
        self._rows.append(row)

    def rows(self) -> list[dict[str, Any]]:
        rounds = [self.match.round_at(row["tick"]) for row in self._rows]
        mark_trades(self._rows, rounds, TRADE_SECONDS * (self.match.ticks_per_second or 0.0))
        return self._rows


def mark_trades(rows: list[dict[str, Any]], rounds: list[Round | None], within: float) -> None:
    """Set ``is_trade`` and ``victim_traded`` of kills, in order.

    Args:
        rows: the kills.
        rounds: the round of each.
        within: the longest time between a death and its revenge, in ticks.
    """
    for i, avenger in enumerate(rows):
        if avenger["is_suicide"] or avenger["is_teamkill"]:
            continue
        avenged: dict[str, Any] | None = None
        for j in range(i - 1, -1, -1):
            death = rows[j]
            if rounds[j] is not rounds[i] or avenger["tick"] - death["tick"] > within:
                break
            same_side = death["victim_side"] == avenger["attacker_side"] is not None
            if same_side and death["attacker_player"] == avenger["victim_player"]:
                avenged = death
        if avenged is not None:
            avenger["is_trade"] = avenged["victim_traded"] = True
