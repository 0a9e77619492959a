"""The tables ``unit_changes`` and ``positions``, from the tracker, and the columns of a game's table ``units``."""

from __future__ import annotations

from array import array

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.tracker import UnitPositionsEvent
from playhead.blizzard.tables.registry import GameSource, GameTables, when
from playhead.blizzard.units.history import changes_of
from playhead.blizzard.units.tracked import CHANGE_NAMES, HISTORY_EVENTS, unit_history, unit_positions
from playhead.runtime.libraries import pa
from playhead.tables import shared
from playhead.tables.number_columns import float32_column, int32_column, int64_column, named_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_CHANGE_NAMES = dict(enumerate(CHANGE_NAMES))

_OWNERS = (
    "Owners that are no people: 0 nobody (null in `positions`); in Heroes of the Storm 11 and 12 the minions and "
    "buildings of blue and red, higher ones of neither side (15: mercenaries, globes); in StarCraft II forces of "
    "the map."
)

#: The columns of a table ``units``: `unit_columns` of `playhead.blizzard.units.history.lives_of`.
LIFE = (
    *words("tick seconds unit unit_index"),
    Column("unit_recycle", "int64", "How often the index had been used."),
    word("unit_type", "The last one."),
    Column("first_unit_type", "category", "Type at its birth."),
    Column("type_changes", "int32", "How often its type changed."),
    word("player", f"The last owner. {_OWNERS}"),
    Column("first_player", "int32", "Owner at its birth."),
    Column("finished_tick", "int32", "When it was born or its construction done; null if never.", "ticks"),
    Column("finished_seconds", "float64", "`seconds` at `finished_tick`.", "s"),
    word("end_tick", "It died or left the map."),
    word("end_seconds"),
    *words("x y end_x end_y"),
    word(
        "attacker_player",
        "Who killed it; its owner where its time ran out (a MULE), it exploded or was cancelled.",
    ),
    word("attacker_unit", "The killer."),
)

UNIT_CHANGES = TableSchema.of(
    "unit_changes",
    "One row for each change of a unit's type or owner, in file order.",
    *words("tick seconds unit"),
    word("change", "type or owner."),
    *words("unit_type"),
    word("player", "The owner, numbered as in `units`."),
    Column("old_unit_type", "category", "Type before; null if the tracker never reported the unit."),
    Column("old_player", "int32", "Owner before; null if the tracker never reported the unit."),
)

POSITIONS = TableSchema.of(
    "positions",
    "Where units were: at birth, at death, and in between for units that took or dealt damage; `player` is "
    "the owner at that time, numbered as in `units`.",
    *shared.POSITIONS.columns,
    *words("unit_index unit"),
    Column("cause", "category", "init, born, died or sample."),
    group="series",
)


def unit_columns(found: dict[str, array[int]], tracker: EventStream, source: GameSource) -> dict[str, pa.Array]:
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
            columns[name] = float32_column(values, NOTHING, source.event_scope.tracker_cells)
        else:
            columns[name] = int64_column(values, NOTHING)
    return columns


def unit_changes(tracker: EventStream, source: GameSource) -> pa.Table:
    return UNIT_CHANGES.build(unit_columns(changes_of(unit_history(tracker)), tracker, source))


def positions(tracker: EventStream, source: GameSource) -> pa.Table:
    """Return the table ``positions``, in file order."""
    return POSITIONS.build(unit_columns(unit_positions(tracker), tracker, source))


def add_to(tables: GameTables) -> None:
    """Add the tables to those of a game."""
    tables.event_table(UNIT_CHANGES, *HISTORY_EVENTS)(unit_changes)
    tables.event_table(POSITIONS, UnitPositionsEvent, *HISTORY_EVENTS)(positions)
