"""`SeriesSamples`: the players at each sample of `player_series`; `Loadouts`: the weapons that they carry."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from playhead.cs2.sources.match import Cs2Match
from playhead.cs2.sources.pawn import (
    ACTIVE_WEAPON,
    MOST_WEAPONS,
    MY_WEAPONS,
    PAWN,
    active_weapon,
    weapon_name,
    weapons_of,
)
from playhead.cs2.sources.people import Lineup, Who
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import NamedTuple
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Unjoinable
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import category, parts_of, row_numbers
from playhead.tables.value_arrays import array_of, scalar_of


class Run(NamedTuple):
    """Samples one after another with the same pawns (`bodies`, -1 for none) and weapons (`held`, of
    `Held.number`)."""

    first: int
    bodies: Sequence[int]
    held: array[int]


class Flash(NamedTuple):
    """From `tick` on, the pawn of index `body` is blinded until the tick `end`; 0 if it no longer is."""

    tick: int
    body: int
    end: float


def spans(runs: Sequence[Run], samples: int) -> Iterator[tuple[Run, int]]:
    """Yield each run, and the number of the sample after its last; nothing without a run."""
    ends = (run.first for run in runs[1:])
    return zip(runs, chain(ends, (samples,)), strict=False)


class SeriesPart(NamedTuple):
    """The data of a stretch: columns with a row for each pawn of each sample, and the ticks of the samples."""

    columns: pa.Table
    ticks: array[int]
    runs: Sequence[Run]
    flashes: Sequence[Flash]


class SeriesSamples:
    """The samples of some stretches, in order."""

    def __init__(self, parts: Sequence[SeriesPart]) -> None:
        self._ticks = array("i")
        runs: list[Run] = []
        for part in parts:
            runs += [run._replace(first=run.first + len(self._ticks)) for run in part.runs]
            self._ticks.extend(part.ticks)
        self._spans = list(spans(runs, len(self._ticks)))

    def row_ticks(self) -> array[int]:
        """Return the tick of each row."""
        found = array("i")
        for run, end in self._spans:
            count, ticks = len(run.bodies), self._ticks[run.first : end]
            rows = array("i", bytes(4 * count * len(ticks)))
            for place in range(count):
                rows[place::count] = ticks
            found.extend(rows)
        return found

    def people(self, lineups: Sequence[Lineup]) -> tuple[array[int], list[Who]]:
        """Return the number of each row's player in the list that is returned too; raise `Unjoinable` if another
        pass has seen other players than `lineups`."""
        begins = [each.tick for each in lineups]
        known: dict[Who, int] = {}
        found = array("i")
        for run, end in self._spans:
            first = run.first
            while first < end:
                number = bisect_right(begins, self._ticks[first])
                players = lineups[number - 1].players if number else ()
                if len(players) != len(run.bodies):
                    raise Unjoinable
                later = bisect_left(self._ticks, begins[number], first, end) if number < len(begins) else end
                rows = array("i", [known.setdefault(who, len(known)) for who in players])
                found.extend(rows * (later - first))
                first = later
        return found, list(known)

    def blinded(self, flashes: Iterable[Flash]) -> bytearray:
        """Return 1 for each row whose player is blinded, else 0."""
        rows = [0]
        for run, end in self._spans:
            rows.append(rows[-1] + len(run.bodies) * (end - run.first))
        found = bytearray(rows[-1])
        begins = [run.first for run, _ in self._spans]
        for body, first, end in self._blind(flashes):
            number = max(0, bisect_right(begins, first) - 1)
            while number < len(begins) and begins[number] < end:
                run, after = self._spans[number]
                if body in run.bodies:
                    count, place = len(run.bodies), rows[number] + run.bodies.index(body)
                    start, stop = max(first, run.first), min(end, after)
                    begin = place + (start - run.first) * count
                    found[begin : begin + (stop - start) * count : count] = b"\1" * (stop - start)
                number += 1
        return found

    def _blind(self, flashes: Iterable[Flash]) -> Iterator[tuple[int, int, int]]:
        """Yield index of a pawn, first sample at which it is blinded, and the one after the last."""
        latest: dict[int, Flash] = {}
        for flash in flashes:
            before = latest.get(flash.body)
            if before is not None:
                yield flash.body, *self._between(before.tick, min(before.end, flash.tick))
            latest[flash.body] = flash
        for flash in latest.values():
            yield flash.body, *self._between(flash.tick, flash.end)

    def _between(self, tick: int, end: float) -> tuple[int, int]:
        first = bisect_left(self._ticks, tick)
        return first, bisect_left(self._ticks, end, first)


VELOCITIES = ("velocity_x", "velocity_y", "velocity_z", "speed", "velocity_known_by")


def velocities_by_places(
    match: Cs2Match, ticks: pa.Array, players: pa.Array, need: frozenset[str]
) -> dict[str, Any]:
    """Return the velocities of a recording without them, by the places at a tick and the tick before."""
    asked = sorted({each for tick in pc.unique(ticks).to_pylist() for each in (tick - 1, tick) if each >= 0})
    there = match.replay.table("player_series", ticks=asked, columns=["tick", "player", "x", "y", "z"])
    known = _keys(there["tick"], there["player"])
    now = pc.index_in(_keys(ticks, players), value_set=known)
    before = pc.index_in(_keys(pc.subtract(ticks, scalar_of(1, ticks.type)), players), value_set=known)
    rate = scalar_of(match.ticks_per_second, pa.float64())
    places = [there[axis].cast(pa.float64()) for axis in "xyz"]
    ways = [pc.subtract(place.take(now), place.take(before)) for place in places]
    return of_speeds([pc.multiply(way, rate) for way in ways], "places", need)


def buttons_by_commands(match: Cs2Match, ticks: pa.Array, players: pa.Array) -> pa.ChunkedArray:
    """Return the buttons of the last command at a tick, for a recording whose pawns do not send them."""
    commands = match.replay.table("inputs", columns=["tick", "player", "buttons"]).drop_null()
    latest_first = commands.take(
        pc.subtract(scalar_of(commands.num_rows - 1, pa.int64()), row_numbers(commands.num_rows, pa.int64()))
    )
    known = _keys(latest_first["tick"], latest_first["player"])
    return latest_first["buttons"].take(pc.index_in(_keys(ticks, players), value_set=known))


def _keys(ticks: pa.Array | pa.ChunkedArray, players: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a number for each pair of tick and player. `Table.join` and `group_by` would import pandas."""
    keys = pc.add(pc.shift_left(ticks.cast(pa.int64()), scalar_of(32, pa.int64())), players.cast(pa.int64()))
    if not isinstance(keys, pa.ChunkedArray):
        return keys
    return keys.combine_chunks() if keys.num_chunks else pa.nulls(0, keys.type)


def of_speeds(speeds: list[Any], known_by: str, need: frozenset[str]) -> dict[str, Any]:
    found = {f"velocity_{axis}": speed.cast(pa.float32()) for axis, speed in zip("xyz", speeds, strict=True)}
    squares = [pc.multiply(speed, speed) for speed in speeds]
    found["speed"] = pc.sqrt(pc.add(pc.add(squares[0], squares[1]), squares[2])).cast(pa.float32())
    known = pc.if_else(pc.is_valid(found["speed"]), scalar_of(0, pa.int32()), scalar_of(None, pa.int32()))
    indices = known.combine_chunks() if isinstance(known, pa.ChunkedArray) else known
    found["velocity_known_by"] = pa.DictionaryArray.from_arrays(indices, array_of([known_by], pa.string()))
    return {name: values for name, values in found.items() if name in need}


PISTOLS = frozenset("deagle elite fiveseven glock hkp2000 usp_silencer p250 tec9 cz75a revolver".split())
GRENADES = {
    "fire_grenades": frozenset(("molotov", "incgrenade")),
    "smoke_grenades": frozenset(("smokegrenade",)),
    "he_grenades": frozenset(("hegrenade",)),
    "flashbangs": frozenset(("flashbang",)),
    "decoy_grenades": frozenset(("decoy",)),
}
#: Columns of `Loadouts.columns`.
WEAPON_COLUMNS = ("active_weapon", "primary_weapon", "secondary_weapon", "has_bomb", *GRENADES, "inventory")
_THROWN = frozenset().union(*GRENADES.values())
_OTHERS = frozenset(("knife", "knife_t", "c4", "taser", "healthshot")) | PISTOLS | _THROWN


def is_primary(word: str) -> bool:
    """Return whether a weapon is a rifle, sniper rifle, submachine gun, shotgun or machine gun."""
    return word not in _OTHERS and not word.startswith(("item ", "knife"))


class Held(NamedTuple):
    """The weapons that a player carries; `number` is that of its words in `Loadouts.columns`."""

    number: int
    active: Entity | None


class Loadouts:
    """Follows the weapons of all pawns; `version` counts the changes."""

    def __init__(self, playback: Playback) -> None:
        self.version = 0
        self._entities = playback.entities
        self._held: dict[int, Held] = {}
        self._known: dict[tuple[str | None, tuple[str, ...]] | None, int] = {None: 0}
        numbers = [f"{MY_WEAPONS}.{number:04}" for number in range(MOST_WEAPONS)]
        self._entities.on_entity(FieldWatch((ACTIVE_WEAPON, MY_WEAPONS, *numbers), self._on_pawn), PAWN)
        self._entities.on_entity(self._on_gone, "C*", EntityOp.DELETED)

    def _on_pawn(self, pawn: Entity, _op: EntityOp) -> None:
        self._held.pop(pawn.index, None)
        self.version += 1

    def _on_gone(self, _weapon: Entity, _op: EntityOp) -> None:
        self._held.clear()
        self.version += 1

    def of(self, pawn: Entity | None) -> Held:
        """Return the weapons of a pawn."""
        if pawn is None:
            return Held(0, None)
        held = self._held.get(pawn.index)
        if held is None:
            active = active_weapon(self._entities, pawn)
            names = tuple(name for each in weapons_of(self._entities, pawn) if (name := weapon_name(each)))
            number = self._known.setdefault((weapon_name(active), names), len(self._known))
            held = self._held[pawn.index] = Held(number, active)
        return held

    def columns(self, numbers: pa.Array, names: frozenset[str]) -> dict[str, Any]:
        """Return the columns of weapons of these names for `Held.number` of each row."""
        rows = list(map(_words, self._known))
        types = {
            "active_weapon": pa.string(),
            "primary_weapon": pa.string(),
            "secondary_weapon": pa.string(),
            "has_bomb": pa.bool_(),
            **dict.fromkeys(GRENADES, pa.int32()),
            "inventory": pa.list_(pa.string()),
        }
        return {
            name: spread([row.get(name) for row in rows], type_, numbers)
            for name, type_ in types.items()
            if name in names
        }


def spread(values: list[Any], type_: pa.DataType, numbers: pa.Array) -> pa.ChunkedArray:
    """Return a column with the value of each row by its number; texts are categories.

    Arrow fills the memory of a chunk once, where it would move a long column of lists as it grows.
    """
    if type_ == pa.string():
        words = list(dict.fromkeys(value for value in values if value is not None))
        places = [None if value is None else words.index(value) for value in values]
        return category(spread(places, pa.int32(), numbers), words)
    known = array_of(values, type_)
    return pa.chunked_array([known.take(numbers.slice(*part)) for part in parts_of(len(numbers))], type_)


def _words(known: tuple[str | None, tuple[str, ...]] | None) -> dict[str, Any]:
    if known is None:
        return {}
    active, names = known
    return {
        "active_weapon": active,
        "primary_weapon": next(filter(is_primary, names), None),
        "secondary_weapon": next((name for name in names if name in PISTOLS), None),
        "has_bomb": "c4" in names,
        **{column: sum(name in words for name in names) for column, words in GRENADES.items()},
        "inventory": list(names),
    }
