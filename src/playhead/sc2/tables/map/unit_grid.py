"""The table ``unit_grid``: the units on squares of the map at steps of time, as planes for models."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from playhead.clock import interval_ticks
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import unit_facts
from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.tracker import UnitPositionsEvent
from playhead.sc2.state.units.lives import positions_of
from playhead.sc2.state.units.tracked import HISTORY_EVENTS, own_tag, position_samples, unit_history, unit_spans
from playhead.sc2.tables.columns import WHEN, may_make, when
from playhead.sc2.tables.economy.unit_counts import NOT_COUNTED
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

_EVERY = "30s"
#: Cells of the map along a side of a square.
SQUARE = 8

UNIT_GRID = TableSchema.of(
    "unit_grid",
    "Finished units of players on squares of 8 by 8 cells of the map, by owner and type, every 30 seconds of the "
    "game's clock or at the interval of the option `every`. A unit is where the tracker last reported it, or else "
    "where it appeared. Hallucinations and beacons do not count. Squares without units have no row.",
    *WHEN,
    word("unit_type"),
    word("cell_x", "A square of 8 cells of the map."),
    word("cell_y", "A square of 8 cells of the map."),
    Column("units_here", "int32", "Recorded and inferred ones."),
    Column(
        "units_recorded",
        "int32",
        "Units whose place the tracker reported since the step before, and buildings, which do not move.",
    ),
    Column("units_inferred", "int32", "Units whose last reported place is older: they may have moved since."),
    Column("mean_age_seconds", "float64", "Mean time since the reports; 0 for buildings.", "s"),
    word("health"),
    group="series",
)


@event_table(UNIT_GRID, UnitPositionsEvent, *HISTORY_EVENTS, options=("every",))
def unit_grid(tracker: EventStream, source: TableSource, every: int | float | str = _EVERY) -> pa.Table:
    """Return the table ``unit_grid``."""
    interval = interval_ticks(every, source.loops_per_second)
    history, spans = unit_history(tracker), unit_spans(tracker)
    cells, over = source.event_scope.tracker_cells, tracker.rows.heads[0][-1]
    reports = _reports(tracker)
    stays = {place: _stays(text, source.builds[0]) for place, text in enumerate(history.texts)}
    names = ("row", "unit_type", "player", "start", "end", "finished", "hallucinated", "x", "y")
    found: dict[tuple[int, int, int, int, int], list[int]] = {}
    held = []
    for row, kind, player, start, end, finished, hallucinated, x, y in zip(
        *(spans[name] for name in names), strict=True
    ):
        if not finished or player in (0, NOTHING) or hallucinated or NOTHING in (kind, x, y):
            continue
        if NOT_COUNTED.search(history.texts[kind]) is None:
            steps = range(-(-start // interval) * interval, over + 1 if end == NOTHING else end, interval)
            held.append((own_tag(history, row), kind, player, start, x, y, steps))
    if not may_make(sum(len(each[-1]) for each in held), over, source, UNIT_GRID.name, "the table unit_grid"):
        held = []
    for tag, kind, player, start, x, y, steps in held:
        ticks, places = reports.get(tag or 0, ([], []))
        for tick in steps:
            last = bisect_right(ticks, tick) - 1
            at, (own_x, own_y) = (start, (x, y)) if last < 0 or stays[kind] else (ticks[last], places[last])
            age = 0 if stays[kind] else tick - at
            square = tick, player, kind, int(own_x * cells // SQUARE), int(own_y * cells // SQUARE)
            sums = found.setdefault(square, [0, 0, 0])
            sums[0] += 1
            sums[1] += age <= interval
            sums[2] += age
    order = sorted(found)
    rate = source.loops_per_second
    columns: list[list[int]] = [list(each) for each in zip(*order, strict=True)] or [[], [], [], [], []]
    counts = [found[square] for square in order]
    return UNIT_GRID.build(
        {
            **when(array("q", columns[0]), source),
            "player": columns[1],
            "unit_type": [history.texts[kind] for kind in columns[2]],
            "cell_x": columns[3],
            "cell_y": columns[4],
            "units_here": [count for count, _, _ in counts],
            "units_recorded": [recorded for _, recorded, _ in counts],
            "units_inferred": [count - recorded for count, recorded, _ in counts],
            "mean_age_seconds": [age / count / rate for count, _, age in counts],
            "health": [None] * len(counts),
        }
    )


def _stays(unit_type: str, base_build: int) -> bool:
    """Return whether units of a type stay where they appear: buildings that do not fly."""
    return unit_facts(unit_type, base_build).kind == "building" and not unit_type.endswith("Flying")


def _reports(tracker: EventStream) -> dict[int, tuple[list[int], list[tuple[int, int]]]]:
    """Return ticks and places of the reports about each unit, by tag, in order of time."""
    found: dict[int, tuple[list[int], list[tuple[int, int]]]] = {}
    columns = positions_of(unit_history(tracker), *position_samples(tracker), tracker.rows.heads[0])
    for tick, unit, x, y in zip(*(columns[name] for name in ("tick", "unit", "x", "y")), strict=True):
        if NOTHING not in (unit, x, y):
            ticks, places = found.setdefault(unit, ([], []))
            ticks.append(tick)
            places.append((x, y))
    return found
