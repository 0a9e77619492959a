"""The table ``units``, from the tracker."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.tracker import CREATOR_ABILITY, UnitBornEvent
from playhead.blizzard.tables.units import LIFE, unit_columns
from playhead.blizzard.units.history import lives_of
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history
from playhead.runtime.libraries import pa, pc
from playhead.sc2.abilities.unit_types import is_army, is_worker
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.number_columns import int32_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import words

UNITS = TableSchema.of(
    "units",
    "One row for each unit in the tracker: its origin, types, owners and end. `tick` is the start of its "
    "construction, or its birth if it appeared complete; `x` and `y` are its place then.",
    *LIFE,
    *words("creator_unit creator_ability"),
    Column("hallucinated", "bool", "It is a hallucination; null before 3.16, whose tracker does not say it."),
    Column("army", "bool", "Its last type is an army's; queens are, summoned units are not."),
    Column("worker", "bool", "Its last type is a worker's."),
)


def is_hallucination(ability: str) -> bool:
    """Return whether an ability creates hallucinations."""
    return "Hallucination" in ability


def _marked(places: array[int], tracker: EventStream, is_marked: Callable[[str], bool]) -> pa.Array:
    """Return for each index of a text whether the text is marked; False for none."""
    marks = array_of([is_marked(text) for text in tracker.rows.texts], pa.bool_())
    return pc.coalesce(pc.take(marks, int32_column(places, NOTHING)), scalar_of(False, pa.bool_()))


def _hallucinated(places: array[int], tracker: EventStream) -> pa.Array:
    """Return whether each unit is a hallucination; null in builds that do not record what created a unit."""
    if tracker.of(UnitBornEvent).leaf(CREATOR_ABILITY) is None:
        return pa.nulls(len(places), pa.bool_())
    return _marked(places, tracker, is_hallucination)


@event_table(UNITS, *HISTORY_EVENTS)
def units(tracker: EventStream, source: TableSource) -> pa.Table:
    lives = lives_of(unit_history(tracker))
    return UNITS.build(
        {
            **unit_columns(lives, tracker, source),
            "hallucinated": _hallucinated(lives["creator_ability"], tracker),
            "army": _marked(lives["unit_type"], tracker, is_army),
            "worker": _marked(lives["unit_type"], tracker, is_worker),
        }
    )
