"""The table ``inputs``: actions of the players with mouse and keys."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events import Event, event_name, kind_of
from playhead.blizzard.events.columns import EventFields, EventStream
from playhead.blizzard.events.commands import (
    NO_LINK,
    TARGET_POINT,
    TARGET_UNIT,
    CmdEvent,
    CmdUpdateTargetPointEvent,
    CmdUpdateTargetUnitEvent,
    ControlGroupUpdateEvent,
    SelectionDeltaEvent,
)
from playhead.blizzard.events.game import CameraUpdateEvent, HeroTalentTreeSelectedEvent, UnitClickEvent
from playhead.blizzard.events.merged_rows import MergedRows, blank, blank_where, times
from playhead.blizzard.events.scope import FINE
from playhead.blizzard.events.triggers import TriggerKeyPressedEvent, TriggerMouseClickedEvent
from playhead.blizzard.tables.registry import rows_of
from playhead.hots.tables.registry import TableSource, event_table
from playhead.runtime.libraries import pa
from playhead.tables import arrow, shared
from playhead.tables.number_columns import float32_column, int32_column, int64_column
from playhead.tables.schema import Column
from playhead.tables.vocabulary import word, words

_INPUTS: tuple[type[Event], ...] = (
    CmdEvent,
    CmdUpdateTargetPointEvent,
    CmdUpdateTargetUnitEvent,
    SelectionDeltaEvent,
    ControlGroupUpdateEvent,
    CameraUpdateEvent,
    UnitClickEvent,
    HeroTalentTreeSelectedEvent,
    TriggerKeyPressedEvent,
    TriggerMouseClickedEvent,
)
#: Columns, and the field of a class that each comes from.
_NUMBERS = {
    "ability_id": ("ability_id",),
    "ability_index": ("ability_index",),
    "target_unit": ("target_unit", "unit"),
    "command_number": ("command_number",),
    "key_code": ("key", "button"),
    "talent_index": ("index",),
}

INPUTS = shared.INPUTS.extended(
    *words("user x y"),
    word("ability_id", "Index in the catalog of the build's data; null for a right click."),
    word("ability_index"),
    word("target_unit", "Of a command or a click."),
    word("command_number"),
    Column("key_code", "int64", "The game's number of the key or of the mouse button."),
    word("talent_index"),
)


#: Columns of a command that are stored for other targets too, by the targets that they mean something for.
_TARGETS = {"x": (TARGET_POINT, TARGET_UNIT), "y": (TARGET_POINT, TARGET_UNIT), "target_unit": (TARGET_UNIT,)}


def _stored(part: EventFields, column: str, fields: Sequence[str]) -> array[int] | None:
    """Return the values of a column for the events of a class; None if it has none."""
    field = next((field for field in fields if field in part.names), None)
    values = None if field is None else part.numbers(field)
    if part.type is not CmdEvent or values is None:
        return values
    values = values[:]
    if column in _TARGETS:
        blank(values, part.numbers("m_data#"), _TARGETS[column])
    elif column.startswith("ability"):
        blank_where(values, part.numbers("ability_id"), NO_LINK)
    return values


@event_table(INPUTS, *_INPUTS)
def inputs(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``inputs``, in file order."""
    parts = [game.of(type_) for type_ in _INPUTS if game.has(type_)]
    merged = MergedRows([part.orders for part in parts], len(game))
    # In the unit of commands, the smallest fraction of a cell; the camera's units are multiples of it.
    larger = int(FINE / source.event_scope.camera_unit)

    def axis(name: str) -> pa.Array:
        stored = [_stored(part, name, (name,)) for part in parts]
        for place, part in enumerate(parts):
            if part.type is CameraUpdateEvent:
                stored[place] = times(part.numbers(name), larger)
        return float32_column(merged.column(stored), NOTHING, 1 / FINE)

    def numbers(name: str, fields: Sequence[str]) -> pa.Array:
        return int64_column(merged.column([_stored(part, name, fields) for part in parts]), NOTHING)

    kinds = [kind_of(event_name(part.type)) for part in parts]
    return INPUTS.build(
        {
            **rows_of(game.rows, merged.orders, source),
            "kind": arrow.category(int32_column(merged.part, NOTHING), kinds),
            "x": axis("x"),
            "y": axis("y"),
            **{name: numbers(name, fields) for name, fields in _NUMBERS.items()},
        }
    )
