"""The table ``unit_grid``: the units on squares of the map at steps of time, as planes for models."""

from __future__ import annotations

from array import array

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.tracker import UnitPositionsEvent
from playhead.blizzard.tables.columns import WHEN, may_make, when
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history, unit_positions, unit_spans
from playhead.clock import interval_ticks
from playhead.runtime.libraries import cast_array, pa, pc
from playhead.sc2.abilities.unit_types import unit_facts
from playhead.sc2.state.map.nearby import chained, squares_of, steps_of
from playhead.sc2.tables.economy.unit_counts import NOT_COUNTED
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import float64_column, int32_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word

_EVERY = "30s"

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
    history, spans, reports = unit_history(tracker), unit_spans(tracker), unit_positions(tracker)
    counted = [NOT_COUNTED.search(text) is None for text in history.texts]
    over = tracker.rows.heads[0][-1]
    steps = steps_of(spans, counted, interval, over)
    if not may_make(sum(steps), over, source, UNIT_GRID.name, "the table unit_grid"):
        steps = array("q", [0]) * len(steps)
    chains = chained(*(reports[name] for name in ("unit", "x", "y")))
    tags = history.tags(spans.columns["row"])
    used = set(spans.columns["unit_type"])
    stays = [place in used and _stays(text, source.builds[0]) for place, text in enumerate(history.texts)]
    eighths = round(source.event_scope.tracker_cells)
    found = squares_of(spans, steps, chains, tags, stays, reports, interval, eighths)
    here, recorded = (int32_column(found[name], NOTHING) for name in ("here", "recorded"))
    ages, rate = float64_column(found["age"], NOTHING), scalar_of(source.loops_per_second, pa.float64())
    return UNIT_GRID.build(
        {
            **when(found["tick"], source),
            **{name: int32_column(found[name], NOTHING) for name in ("player", "cell_x", "cell_y")},
            "unit_type": arrow.category(int32_column(found["unit_type"], NOTHING), history.texts),
            "units_here": here,
            "units_recorded": recorded,
            "units_inferred": pc.subtract(here, recorded),
            "mean_age_seconds": pc.divide(pc.divide(ages, cast_array(here, pa.float64())), rate),
            "health": pa.nulls(len(here), pa.int32()),
        }
    )


def _stays(unit_type: str, base_build: int) -> bool:
    """Return whether units of a type stay where they appear: buildings that do not fly."""
    return unit_facts(unit_type, base_build).kind == "building" and not unit_type.endswith("Flying")
