"""Tables ``spotted`` and ``duels``: who saw whom, and the way to each kill by a gun or a knife."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import dist
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import END, TABLES, TIME, WEAPON, person
from playhead.cs2.facts.kills import Cs2Kills
from playhead.cs2.facts.shots import Cs2Damage
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import AIM_FIELDS, PAWN, SPOTTED_BY, STATE_FIELDS, VELOCITY, aim, speed_of
from playhead.cs2.sources.people import columns_of
from playhead.cs2.sources.words import UTILITY, is_enemy
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_BITS = 32
CROSSHAIR = words("crosshair_pitch crosshair_yaw crosshair_angle")

SPOTTED = TableSchema.of(
    "spotted",
    "One row for each time that a player saw another, as the server knows it for the radar: a bit of "
    "m_bSpottedByMask, which servers update about twice a second, so `tick` is up to 0.5 s late. Places and views "
    "are those after the packet of that tick.",
    *TIME,
    *END,
    *person(),
    *person("target_"),
    word("distance", "Between the eyes."),
    *CROSSHAIR,
)


@TABLES.maker_of(SPOTTED)
class Spotted(Cs2Facts):
    jobs: ClassVar = Jobs(10, extra=33)
    fields = MappingProxyType({PAWN: (*AIM_FIELDS, *SPOTTED_BY)})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._masks: dict[int, int] = {}
        #: Open rows by the seen pawn and the slot of the one who sees.
        self._open: dict[tuple[int, int], dict[str, Any]] = {}
        self._begun: list[tuple[int, Entity]] = []
        playback.entities.on_entity(FieldWatch(SPOTTED_BY, self._on_pawn), PAWN)
        playback.after_packet(self._after)

    def _on_pawn(self, pawn: Entity, op: EntityOp) -> None:
        low, high = (pawn.get_int(field) or 0 for field in SPOTTED_BY)
        mask = 0 if op & EntityOp.DELETED else low | high << _BITS
        changed = self._masks.get(pawn.index, 0) ^ mask
        self._masks[pawn.index] = mask
        slot = 0
        while changed >> slot:
            if changed >> slot & 1:
                if mask >> slot & 1:
                    self._begun.append((slot, pawn))
                elif (row := self._open.pop((pawn.index, slot), None)) is not None:
                    row["end_tick"] = self._playback.tick
            slot += 1

    def _after(self, tick: int) -> None:
        for slot, pawn in self._begun:
            people = self.match.people
            seer, seen = people.in_slot(slot), people.of_pawn(pawn.handle)
            row = {"tick": tick, "end_tick": None, **columns_of(seer, ""), **columns_of(seen, "target_")}
            self._open[pawn.index, slot] = row
            self._rows.append(row | aim(people.pawn(seer), pawn))
            self._open[pawn.index, slot] = self._rows[-1]
        self._begun.clear()


#: Hits of one duel follow each other within so many seconds.
_PAUSE_SECONDS = 3.0
_NO_DUEL = frozenset((*UTILITY, "planted_c4", "world", None))

DUELS = TableSchema.of(
    "duels",
    "One row for each kill of an enemy by a gun or a knife, with its beginning: who saw whom first (`spotted`), "
    "the hits between the two, which follow each other within 3 s, and the speeds at the last shot. The crosshair "
    "is where it was at `attacker_sight_tick`. Sights come up to 0.5 s late (`sight_known_by`).",
    *TIME,
    *person("attacker_"),
    *person("victim_"),
    WEAPON,
    Column("is_opening", "bool", "It is the first kill of an enemy in the round."),
    Column("attacker_sight_tick", "int32", "The attacker saw the victim; null if not recorded.", "ticks"),
    Column("victim_sight_tick", "int32", "The victim saw the attacker; null if not recorded.", "ticks"),
    Column("first_sight_player", "int32", "Who saw the other first; null for neither and for both at once."),
    Column(
        "sight_known_by",
        "category",
        "What `attacker_sight_tick`, `victim_sight_tick`, `first_sight_player`, `time_to_damage_seconds` and the "
        "crosshair are known by: radar, the mask m_bSpottedByMask, which servers update about twice a second; "
        "null without a sight.",
    ),
    Column("hit_tick", "int32", "The attacker's first hit.", "ticks"),
    Column("attacker_hits", "int32", "Hits of the attacker on the victim."),
    word("attacker_damage", "Health that the victim lost by these hits."),
    word("victim_damage", "Health that the attacker lost by hits of the victim from the first of these hits on."),
    Column(
        "time_to_damage_seconds",
        "float64",
        "From `attacker_sight_tick` to `hit_tick`; negative if the first hit came before.",
        "s",
    ),
    Column("time_to_kill_seconds", "float64", "From `hit_tick` to the kill.", "s"),
    word("distance", "Between the places of both after the packet of the kill."),
    Column("shot_tick", "int32", "The attacker's last attack with the weapon before the victim died.", "ticks"),
    word("attacker_speed", "At that shot: a counter-strafe makes it small."),
    word("victim_speed", "At that shot."),
    *CROSSHAIR,
)


@TABLES.maker_of(DUELS)
class Duels(Cs2Facts):
    jobs: ClassVar = Jobs(35, extra=41)
    fields = MappingProxyType({PAWN: (*dict.fromkeys((*STATE_FIELDS, *AIM_FIELDS, *SPOTTED_BY, *VELOCITY)),)})

    def attach(self, playback: Playback) -> None:
        self._kills = self.match.collector(Cs2Kills, playback)
        self._damage = self.match.collector(Cs2Damage, playback)
        self._spotted = self.match.collector(Spotted, playback)
        #: Tick and speed of everybody at the latest shot of each player.
        self._shots: dict[int, tuple[int, Mapping[int, float | None]]] = {}
        #: The same of the attacker's shot, by tick and victim of a kill.
        self._last: dict[tuple[int, int | None], tuple[int, Mapping[int, float | None]]] = {}
        events = self.match.events(playback)
        events.on("weapon_fire", self._on_fire)
        events.on("player_death", self._on_death)

    def _on_fire(self, tick: int, event: Mapping[str, Any]) -> None:
        people = self.match.people
        shooter = people.in_slot(event.get("userid"))
        if shooter is not None:
            speeds = {each.player: speed_of(people.pawn(each)) for each in people.playing}
            self._shots[shooter.player] = tick, speeds

    def _on_death(self, tick: int, event: Mapping[str, Any]) -> None:
        attacker, victim = (self.match.people.in_slot(event.get(key)) for key in ("attacker", "userid"))
        if attacker is not None and victim is not None and attacker.player in self._shots:
            self._last[tick, victim.player] = self._shots[attacker.player]

    def rows(self) -> list[dict[str, Any]]:
        self.match.finish()
        rate = self.match.ticks_per_second or self.match.usual_rate
        hits = _by_pair(self._damage.rows(), "attacker_player", "victim_player")
        sights = _by_pair(self._spotted.rows(), "player", "target_player")
        found, opened = [], set()
        for kill in self._kills.rows():
            if not is_enemy(kill):
                continue
            round_ = self.match.round_at(kill["tick"])
            opening = round_ not in opened
            opened.add(round_)
            if kill["weapon"] not in _NO_DUEL:
                begin = 0 if round_ is None else round_.begin
                found.append(self._duel(kill, hits, sights, begin, rate) | {"is_opening": opening})
        return found

    def _duel(self, kill: dict[str, Any], hits: _Pairs, sights: _Pairs, begin: int, rate: float) -> dict[str, Any]:
        tick, attacker, victim = kill["tick"], kill["attacker_player"], kill["victim_player"]
        mine: list[dict[str, Any]] = []
        before = tick
        for hit in reversed([each for each in hits[attacker, victim] if begin <= each["tick"] <= tick]):
            if before - hit["tick"] > _PAUSE_SECONDS * rate:
                break
            mine.append(hit)
            before = hit["tick"]
        first = before if mine else None
        theirs = [each for each in hits[victim, attacker] if before <= each["tick"] <= tick]
        sight, seen = (_sight(sights[pair], before, tick) for pair in ((attacker, victim), (victim, attacker)))
        shot, speeds = self._last.get((tick, victim), (None, {}))
        row = {name: kill[name] for name in _OF_KILL} | {
            "attacker_sight_tick": None if sight is None else sight["tick"],
            "victim_sight_tick": None if seen is None else seen["tick"],
            "first_sight_player": _earlier(sight, seen),
            "sight_known_by": None if sight is None and seen is None else "radar",
            "hit_tick": first,
            "attacker_hits": len(mine),
            "attacker_damage": sum(each["damage"] or 0 for each in mine),
            "victim_damage": sum(each["damage"] or 0 for each in theirs),
            "time_to_kill_seconds": None if first is None else (tick - first) / rate,
            "distance": _distance(kill),
            "shot_tick": shot,
            "attacker_speed": speeds.get(attacker),
            "victim_speed": speeds.get(victim),
        }
        if sight is not None:
            row |= {each.name: sight[each.name] for each in CROSSHAIR}
            row["time_to_damage_seconds"] = None if first is None else (first - sight["tick"]) / rate
        return row


_Pairs = Mapping[tuple[int | None, int | None], list[dict[str, Any]]]
_OF_KILL = (
    *("tick", "weapon", "attacker_player", "attacker_name", "attacker_side"),
    *("victim_player", "victim_name", "victim_side"),
)


def _by_pair(rows: Iterable[dict[str, Any]], one: str, other: str) -> _Pairs:
    found: dict[tuple[int | None, int | None], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row[one], row[other]].append(row)
    return found


def _sight(rows: list[dict[str, Any]], first: int, tick: int) -> dict[str, Any] | None:
    """Return the sight that held at the first hit or began up to the kill; the earliest of several."""
    within = (each for each in rows if each["tick"] <= tick and (each["end_tick"] or tick) >= first)
    return next(within, None)


def _earlier(sight: dict[str, Any] | None, seen: dict[str, Any] | None) -> int | None:
    known = [each for each in (sight, seen) if each is not None]
    if len(known) == 2 and known[0]["tick"] == known[1]["tick"]:
        return None
    first = min(known, key=lambda each: each["tick"], default=None)
    return None if first is None else first["player"]


def _distance(kill: Mapping[str, Any]) -> float | None:
    places = [[kill[f"{role}_{axis}"] for axis in "xyz"] for role in ("attacker", "victim")]
    if any(value is None for place in places for value in place):
        return None
    return dist(*places)
