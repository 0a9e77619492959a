"""The table ``inputs``: all actions of players in one table."""

from __future__ import annotations

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events import event_name, kind_of
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import ACTIVE, COMMAND_EVENTS, ControlGroupUpdateEvent, SelectionDeltaEvent
from playhead.blizzard.events.game import CameraUpdateEvent
from playhead.blizzard.events.merged_rows import MergedRows, matched, times
from playhead.blizzard.events.scope import FINE
from playhead.blizzard.tables.columns import rows_of
from playhead.runtime.libraries import pa
from playhead.sc2.events.repeats import REPEAT_EVENTS
from playhead.sc2.state.orders.command_rows import command_rows
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow, shared
from playhead.tables.number_columns import float32_column, int32_column
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import words

#: The events besides commands and their updates.
_OTHERS = (SelectionDeltaEvent, ControlGroupUpdateEvent, CameraUpdateEvent)
_INPUTS = (*COMMAND_EVENTS, *REPEAT_EVENTS, *_OTHERS)

INPUTS = TableSchema.of(
    "inputs",
    "One row for each thing that a player did, in file order: `commands`, `selections`, `control_groups` and "
    "`camera` together, which have the rest. `kind` is that of `commands`, units_selected, group_units_removed "
    "(by the game, from a control group; no action), control_group_used or camera_moved.",
    *shared.INPUTS.columns,
    *words("user x y"),
)


@event_table(INPUTS, *_INPUTS)
def inputs(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``inputs``."""
    orders = command_rows(game)
    others = [game.of(type_) for type_ in _OTHERS if game.has(type_)]
    kinds = [*orders.kinds, *(kind_of(event_name(part.type)) for part in others)]
    merged = MergedRows([orders.merged.orders, *(part.orders for part in others)], len(game))
    numbers = [
        matched(part.numbers("group"), ACTIVE, number, len(kinds)) if part.type is SelectionDeltaEvent else number
        for number, part in enumerate(others, len(orders.kinds))
    ]
    kinds.append("group_units_removed")
    places = merged.column([orders.merged.part, *numbers])
    # In the unit of orders, the smallest fraction of a cell; the camera's units are multiples of it.
    larger = int(FINE / source.event_scope.camera_unit)

    def places_on(axis: str) -> pa.Array:
        moves = (times(part.numbers(axis), larger) if part.type is CameraUpdateEvent else None for part in others)
        return float32_column(merged.column([orders.columns[axis], *moves]), NOTHING, 1 / FINE)

    shown = {
        "kind": arrow.category(int32_column(places, NOTHING), kinds),
        "x": places_on("x"),
        "y": places_on("y"),
    }
    return INPUTS.build({**rows_of(game.rows, merged.orders, source), **shown})
