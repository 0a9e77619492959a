"""The table ``inputs``: everything that players did, in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.sc2.events import event_name, kind_of
from playhead.sc2.events.columns import EventFields, EventStream
from playhead.sc2.events.commands import COMMAND_EVENTS, ControlGroupUpdateEvent, SelectionDeltaEvent
from playhead.sc2.events.game import CameraUpdateEvent
from playhead.sc2.tables.columns import USER, X, Y, when_and_who
from playhead.sc2.tables.commands import target_positions
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow, shared
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

_INPUTS = (*COMMAND_EVENTS, SelectionDeltaEvent, ControlGroupUpdateEvent, CameraUpdateEvent)

INPUTS = TableSchema(
    name="inputs",
    version=1,
    doc="One row for each thing that a player did, in file order: `commands`, `selections`, `control_groups` and "
    "`camera` together, which have the rest. `kind` is command, update_point, update_unit, selection, "
    "control_group or camera.",
    columns=(*shared.INPUTS.columns, USER, X, Y),
)


def _positions(done: EventFields, source: TableSource) -> dict[str, pa.Array]:
    import pyarrow as pa

    if done.type in COMMAND_EVENTS:
        return target_positions(done, source.event_scope)
    if done.type is CameraUpdateEvent:
        return done.friendly("x", "y", scope=source.event_scope)
    return dict.fromkeys(("x", "y"), pa.nulls(len(done), pa.float64()))


@event_table(INPUTS, *_INPUTS)
def inputs(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``inputs``."""
    import pyarrow as pa

    parts = []
    for type_ in _INPUTS:
        if not game.has(type_):
            continue
        done = game.of(type_)
        positions = _positions(done, source)
        columns = {
            "order": done.order,
            **when_and_who(done, source),
            "kind": arrow.constant(kind_of(event_name(type_)), done.order, pa.string()),
            "x": positions["x"],
            "y": positions["y"],
        }
        parts.append(pa.table(columns))
    merged = pa.concat_tables(parts).sort_by("order")
    columns = {name: merged.column(name) for name in INPUTS.column_names}
    columns["kind"] = columns["kind"].dictionary_encode().combine_chunks()
    return INPUTS.build(columns)
