"""The tables ``units``, ``unit_changes`` and ``positions``, from the tracker."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.tracker import CREATOR_ABILITY, UnitBornEvent, UnitPositionsEvent
from playhead.blizzard.tables.columns import when
from playhead.runtime.libraries import pa, pc
from playhead.sc2.abilities.unit_types import is_army, is_worker
from playhead.sc2.state.units.lives import changes_of, lives_of
from playhead.sc2.state.units.tracked import CHANGE_NAMES, HISTORY_EVENTS, unit_history, unit_positions
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import shared
from playhead.tables.number_columns import float64_column, int32_column, int64_column, named_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word, words

_CHANGE_NAMES = dict(enumerate(CHANGE_NAMES))

UNITS = TableSchema.of(
    "units",
    "One row for each unit in the tracker: its origin, types, owners and end. `tick` is the start of its "
    "construction, or its birth if it appeared complete; `x` and `y` are its place then.",
    *words("tick seconds unit unit_index"),
    Column("unit_recycle", "int64", "How often the index had been used."),
    word("unit_type", "The last one."),
    Column("first_unit_type", "category", "Type at its birth."),
    Column("type_changes", "int32", "How often its type changed."),
    word("player", "The last owner."),
    Column("first_player", "int32", "Owner at its birth."),
    Column("finished_tick", "int32", "When it was born or its construction done; null if never.", "ticks"),
    Column("finished_seconds", "float64", "`seconds` at `finished_tick`.", "s"),
    word("end_tick", "It died or left the map."),
    word("end_seconds"),
    *words("x y end_x end_y"),
    word("attacker_player", "Who killed it."),
    word("attacker_unit", "The killer."),
    *words("creator_unit creator_ability"),
    Column("hallucinated", "bool", "It is a hallucination; null before 3.16, whose tracker does not say it."),
    Column("army", "bool", "Its last type is an army's; queens are, summoned units are not."),
    Column("worker", "bool", "Its last type is a worker's."),
)

UNIT_CHANGES = TableSchema.of(
    "unit_changes",
    "One row for each change of a unit's type or owner, in file order.",
    *words("tick seconds unit"),
    word("change", "type or owner."),
    *words("unit_type player"),
    Column("old_unit_type", "category", "Type before; null if the tracker never reported the unit."),
    Column("old_player", "int32", "Owner before; null if the tracker never reported the unit."),
)

POSITIONS = TableSchema.of(
    "positions",
    "Where units were: at birth, at death, and in between for units that took or dealt damage; `player` is "
    "the owner at that time.",
    *shared.POSITIONS.columns,
    *words("unit_index unit"),
    Column("cause", "category", "init, born, died or sample."),
    group="series",
)


def is_hallucination(ability: str) -> bool:
    """Return whether an ability creates hallucinations."""
    return "Hallucination" in ability


def _marked(places: array[int], tracker: EventStream, is_marked: Callable[[str], bool]) -> pa.Array:
    """Return for each index of a text whether the text is marked; False for none."""
    marks = array_of([is_marked(text) for text in tracker.rows.texts], pa.bool_())
    return pc.fill_null(marks.take(int32_column(places, NOTHING)), scalar_of(False, pa.bool_()))


def _hallucinated(places: array[int], tracker: EventStream) -> pa.Array:
    """Return whether each unit is a hallucination; null in builds that do not record what created a unit."""
    if tracker.of(UnitBornEvent).leaf(CREATOR_ABILITY) is None:
        return pa.nulls(len(places), pa.bool_())
    return _marked(places, tracker, is_hallucination)


def _columns(found: dict[str, array[int]], tracker: EventStream, source: TableSource) -> dict[str, pa.Array]:
    """Return stored numbers as the columns of their names."""
    columns: dict[str, pa.Array] = {}
    for name, values in found.items():
        if name.endswith("tick"):
            columns |= when(values, source, name.removesuffix("tick"))
        elif name.endswith(("unit_type", "ability")):
            columns[name] = tracker.rows.named(values)
        elif name in ("change", "cause"):
            columns[name] = named_column(values, NOTHING, _CHANGE_NAMES)
        elif name.endswith(("player", "type_changes")):
            columns[name] = int32_column(values, NOTHING)
        elif name.endswith(("x", "y")) and name != "unit_index":
            columns[name] = float64_column(values, NOTHING, source.event_scope.tracker_cells)
        else:
            columns[name] = int64_column(values, NOTHING)
    return columns


@event_table(UNITS, *HISTORY_EVENTS)
def units(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``units``."""
    lives = lives_of(unit_history(tracker))
    return UNITS.build(
        {
            **_columns(lives, tracker, source),
            "hallucinated": _hallucinated(lives["creator_ability"], tracker),
            "army": _marked(lives["unit_type"], tracker, is_army),
            "worker": _marked(lives["unit_type"], tracker, is_worker),
        }
    )


@event_table(UNIT_CHANGES, *HISTORY_EVENTS)
def unit_changes(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``unit_changes``."""
    return UNIT_CHANGES.build(_columns(changes_of(unit_history(tracker)), tracker, source))


@event_table(POSITIONS, UnitPositionsEvent, *HISTORY_EVENTS)
def positions(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``positions``, in file order."""
    found = unit_positions(tracker)
    return POSITIONS.build(_columns(found, tracker, source))
