"""The tables ``units``, ``unit_changes`` and ``positions``, from the tracker."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from playhead.runtime.libraries import pa, pc
from playhead.sc2.abilities.unit_types import is_army, is_worker
from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.tracker import UnitPositionsEvent
from playhead.sc2.state.units.lives import changes_of, lives_of, positions_of
from playhead.sc2.state.units.tracked import CHANGE_NAMES, HISTORY_EVENTS, position_samples, unit_history
from playhead.sc2.tables.columns import PLAYER, UNIT, UNIT_TYPE, WHEN, X, Y, when
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import shared
from playhead.tables.number_columns import float64_column, int32_column, int64_column, named_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of

#: Columns of the table ``units`` that are not plain whole numbers.
_TEXTS = frozenset({"unit_type", "first_type", "creator_ability"})
_PLAYERS = frozenset({"player", "first_player", "killer_player"})
_CELLS = frozenset({"x", "y", "died_x", "died_y"})
_CHANGE_NAMES = dict(enumerate(CHANGE_NAMES))

UNITS = TableSchema.of(
    "units",
    "One row for each unit in the tracker: its origin, types, owners and end.",
    UNIT,
    Column("unit_index", "int64", "Index of the unit; used again for later units."),
    Column("unit_recycle", "int64", "How often the index had been used."),
    UNIT_TYPE,
    Column("first_type", "string", "Type at its birth."),
    Column("type_changes", "int64", "How often its type changed."),
    PLAYER,
    Column("first_player", "int32", "Player at its birth."),
    Column("init_tick", "int64", "Start of construction; null if it appeared complete.", "ticks"),
    Column("born_tick", "int64", "When it was born or its construction done; null if never.", "ticks"),
    Column("died_tick", "int64", "When it died or left the map; null if never.", "ticks"),
    X,
    Y,
    Column("died_x", "float64", "Where it died.", "cells"),
    Column("died_y", "float64", "Where it died.", "cells"),
    Column("killer_player", "int32", "Player who killed it."),
    Column("killer_unit", "int64", "Unit tag of the killer."),
    Column("creator_unit", "int64", "Unit tag of its creator."),
    Column("creator_ability", "string", "Ability that created it."),
    Column("hallucinated", "bool", "Whether it is a hallucination."),
    Column("army", "bool", "Whether its last type is an army's; queens are, summoned units are not."),
    Column("worker", "bool", "Whether its last type is a worker's."),
    version=3,
)

UNIT_CHANGES = TableSchema.of(
    "unit_changes",
    "One row for each change of a unit's type or owner, in file order.",
    *WHEN,
    UNIT,
    Column("change", "category", "type or owner."),
    UNIT_TYPE,
    PLAYER,
    Column("old_type", "string", "Type before; null if the tracker never reported the unit."),
    Column("old_player", "int32", "Player before; null if the tracker never reported the unit."),
    version=2,
)

POSITIONS = TableSchema.of(
    "positions",
    "Where units were: at birth, at death, and in between for units that took or dealt damage; `player` is "
    "the owner at that time.",
    *shared.POSITIONS.columns,
    Column("unit_index", "int64", "Index of the unit; used again for later units."),
    UNIT,
    Column("cause", "category", "init, born, died or sample."),
    version=2,
)


def _texts(places: array[int], tracker: EventStream) -> pa.Array:
    """Return the texts of the stream at these indices."""
    return tracker.rows.text_values.take(int32_column(places, NOTHING))


def is_hallucination(ability: str) -> bool:
    """Return whether an ability creates hallucinations."""
    return "Hallucination" in ability


def _marked(places: array[int], tracker: EventStream, is_marked: Callable[[str], bool]) -> pa.Array:
    """Return for each index of a text whether the text is marked; False for none."""
    marks = array_of([is_marked(text) for text in tracker.rows.texts], pa.bool_())
    return pc.fill_null(marks.take(int32_column(places, NOTHING)), scalar_of(False, pa.bool_()))


@event_table(UNITS, *HISTORY_EVENTS)
def units(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``units``."""
    cells = source.event_scope.tracker_cells
    lives = lives_of(unit_history(tracker))
    columns = {
        "hallucinated": _marked(lives["creator_ability"], tracker, is_hallucination),
        "army": _marked(lives["unit_type"], tracker, is_army),
        "worker": _marked(lives["unit_type"], tracker, is_worker),
    }
    for name, values in lives.items():
        if name in _TEXTS:
            columns[name] = _texts(values, tracker)
        elif name in _PLAYERS:
            columns[name] = int32_column(values, NOTHING)
        elif name in _CELLS:
            columns[name] = float64_column(values, NOTHING, cells)
        else:
            columns[name] = int64_column(values, NOTHING)
    return UNITS.build(columns)


@event_table(UNIT_CHANGES, *HISTORY_EVENTS)
def unit_changes(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``unit_changes``."""
    found = changes_of(unit_history(tracker))
    return UNIT_CHANGES.build(
        {
            **when(found["tick"], source),
            "unit": int64_column(found["unit"], NOTHING),
            "change": _change_names(found["change"]),
            "unit_type": _texts(found["unit_type"], tracker),
            "player": int32_column(found["player"], NOTHING),
            "old_type": _texts(found["old_type"], tracker),
            "old_player": int32_column(found["old_player"], NOTHING),
        }
    )


def _change_names(changes: array[int]) -> pa.Array:
    return named_column(changes, NOTHING, _CHANGE_NAMES)


@event_table(POSITIONS, UnitPositionsEvent, *HISTORY_EVENTS)
def positions(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``positions``, in file order."""
    found = positions_of(unit_history(tracker), *position_samples(tracker), tracker.rows.heads[0])
    cells = source.event_scope.tracker_cells
    return POSITIONS.build(
        {
            **when(found["tick"], source),
            "player": int32_column(found["player"], NOTHING),
            "unit_index": int64_column(found["unit_index"], NOTHING),
            "unit": int64_column(found["unit"], NOTHING),
            "x": float64_column(found["x"], NOTHING, cells),
            "y": float64_column(found["y"], NOTHING, cells),
            "cause": _change_names(found["cause"]),
        }
    )
