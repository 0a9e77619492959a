"""The table ``creep``: creep tumours and the area within their reach, over time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import isqrt
from operator import itemgetter
from pathlib import Path

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.tables.registry import WHEN, moment, rows_with
from playhead.blizzard.units import changes
from playhead.blizzard.units.tracked import HISTORY_EVENTS, spans_of_types, unit_history, unit_spans
from playhead.clock import interval_ticks
from playhead.runtime.libraries import pa
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import Column, TableSchema

#: Radius of creep around a source, in cells, when it has spread completely.
RADII = {"Hatchery": 12, "Lair": 12, "Hive": 12, "CreepTumor": 10, "CreepTumorQueen": 10, "CreepTumorBurrowed": 10}
#: Sides of maps are at most 256 cells.
SIDE = 256
_WHOLE = (1 << SIDE) - 1
#: A player of a real game has a hundred sources.
_MOST_SOURCES = 512


@cache
def _disc(radius: int) -> tuple[int, ...]:
    """Return the rows of a disc from bottom to top: bits of its cells, from the left end of the middle row."""
    halves = [isqrt(radius * radius - dy * dy) for dy in range(-radius, radius + 1)]
    return tuple(((1 << (2 * half + 1)) - 1) << (radius - half) for half in halves)


class CreepReach:
    """The cells of a map within reach of one player's sources, as bits of a number for each row.

    Args:
        allowed: the cells that can have creep, by row from the bottom; None for all.
    """

    def __init__(self, allowed: Sequence[int] | None = None) -> None:
        self._allowed = allowed
        self._sources: dict[tuple[int, int, int], int] = {}
        self._rows = [0] * SIDE
        self._counts = [0] * SIDE
        #: Rows with more creep, and rows that a source no longer reaches.
        self._grown: set[int] = set()
        self._receded: set[int] = set()

    def add(self, x: float, y: float, radius: int) -> None:
        """Add a source at a position in cells."""
        source = (int(x), int(y), radius)
        if source in self._sources:
            self._sources[source] += 1
        elif len(self._sources) < _MOST_SOURCES:
            self._sources[source] = 1
            rows = _reached(source)
            self._cover(source, rows)
            self._grown.update(rows)

    def remove(self, x: float, y: float, radius: int) -> None:
        """Remove a source; its creep recedes at once."""
        source = (int(x), int(y), radius)
        left = self._sources.get(source, 0) - 1
        if left > 0:
            self._sources[source] = left
        elif left == 0:
            del self._sources[source]
            self._receded.update(_reached(source))

    def _cover(self, source: tuple[int, int, int], rows: Iterable[int]) -> None:
        """Add the creep of a source to rows within its reach."""
        x, y, radius = source
        shift, disc, held = x - radius, _disc(radius), self._rows
        if abs(shift) <= SIDE:
            for row in rows:
                bits = disc[row - y + radius]
                held[row] |= bits << shift if shift >= 0 else bits >> -shift

    @property
    def area(self) -> int:
        """The number of cells."""
        if self._receded:
            for row in self._receded:
                self._rows[row] = 0
            for source in self._sources:
                self._cover(source, self._receded.intersection(_reached(source)))
        for row in self._receded | self._grown:
            self._counts[row] = (self._rows[row] & self._mask(row)).bit_count()
        self._receded.clear()
        self._grown.clear()
        return sum(self._counts)

    def _mask(self, row: int) -> int:
        if self._allowed is None:
            return _WHOLE
        return self._allowed[row] & _WHOLE if row < len(self._allowed) else 0


def _reached(source: tuple[int, int, int]) -> range:
    """Return the rows that a source reaches."""
    _, y, radius = source
    return range(max(0, y - radius), min(SIDE, y + radius + 1))


_EVERY = "10s"
_TUMOR = "CreepTumor"
#: A game of 12 hours has so many samples.
_MOST_SAMPLES = 4_320

CREEP = TableSchema.of(
    "creep",
    "Creep of each player with a source of it every 10 seconds of the game's clock, or at the interval of the "
    "option `every`. With the option `map`, the map's own file or a folder of maps, only ground counts as area.",
    *WHEN,
    Column("tumors", "int32", "Living creep tumours."),
    Column("tumors_made", "int32", "Creep tumours made until then."),
    Column("tumors_lost", "int32", "Creep tumours killed by others until then."),
    Column(
        "area",
        "int32",
        "Cells within reach of finished hatcheries (12 cells) and tumours (10 cells): what creep covers when "
        "it has spread, an upper bound.",
        "cells",
    ),
    group="series",
)


@event_table(CREEP, *HISTORY_EVENTS, options=("every", "map"))
def creep(
    tracker: EventStream, source: TableSource, every: int | float | str = _EVERY, map: str | Path | None = None
) -> pa.Table:
    interval = interval_ticks(every, source.loops_per_second)
    loops = tracker.rows.heads[0]
    last = min(loops[-1] if loops else 0, interval * _MOST_SAMPLES)
    allowed = None if map is None else _ground(Path(map), source)
    rate = source.loops_per_second
    rows = [
        row
        for player, changes_ in sorted(_changes(tracker, source).items())
        for row in _samples(player, changes_, interval, last, allowed)
    ]
    rows.sort(key=itemgetter(0, 1))
    found = rows_with(("tick", "player", "tumors", "tumors_made", "tumors_lost", "area"), rows)
    return CREEP.build_rows([row | moment(row["tick"], rate) for row in found])


def _ground(path: Path, source: TableSource) -> list[int]:
    """Return the cells with ground as bits of a number for each row.

    Raises:
        OSError, ReplayError: the map cannot be read.
        ValueError: it has no terrain.
    """
    from playhead.io.source import open_source
    from playhead.limits import Limits
    from playhead.sc2.members.map_file import find_map, read_map

    if path.is_dir():
        path = find_map(path, source.cache_handles_source[1])
    terrain = read_map(open_source(path, Limits()).data, frozenset(), Limits()).terrain
    if terrain is None:
        raise ValueError(f"{path.name} has no terrain")
    return terrain.ground_rows()


#: Loop, by how much the numbers of living, made and lost tumours change, and the source that is added (True) or
#: removed.
_Change = tuple[int, tuple[int, int, int], bool, tuple[float, float, int]]


def _changes(tracker: EventStream, source: TableSource) -> dict[int, list[_Change]]:
    """Return the changes of each player's sources of creep, in order of time."""
    history, spans = unit_history(tracker), unit_spans(tracker)
    cells = source.event_scope.tracker_cells
    found: dict[int, list[_Change]] = {}
    names = ("unit_type", "player", "start", "end", "x", "y", "finished", "cause", "killer", "row")
    seen: set[int] = set()
    for kind, player, start, end, x, y, finished, cause, killer, row in spans_of_types(
        spans, history.texts, RADII, *names
    ):
        if player == 0:
            continue
        name = history.texts[kind]
        is_tumor = name.startswith(_TUMOR)
        if not finished and not is_tumor:
            continue
        spot = (x * cells, y * cells, RADII[name])
        of_player = found.setdefault(player, [])
        of_player.append((start, (int(is_tumor), int(is_tumor and row not in seen), 0), True, spot))
        seen.add(row)
        if end != NOTHING:
            lost = cause == changes.DIED and killer not in (NOTHING, 0, player)
            of_player.append((end, (-int(is_tumor), 0, int(is_tumor and lost)), False, spot))
    for of_player in found.values():
        of_player.sort(key=lambda change: (change[0], not change[2]))
    return found


def _samples(
    player: int, changes_: Sequence[_Change], every: int, last: int, allowed: Sequence[int] | None
) -> Iterator[tuple[int, ...]]:
    """Yield loop, player, living, made and lost tumours, and area."""
    reach = CreepReach(allowed)
    counts = [0, 0, 0]
    place = 0
    for loop in range(0, last + 1, every):
        while place < len(changes_) and changes_[place][0] <= loop:
            _, by, added, spot = changes_[place]
            counts = [count + more for count, more in zip(counts, by, strict=True)]
            (reach.add if added else reach.remove)(*spot)
            place += 1
        yield loop, player, *counts, reach.area
