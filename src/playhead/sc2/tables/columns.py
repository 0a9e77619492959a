"""Columns shared by several tables, as schemas and as Arrow arrays."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from playhead.runtime.libraries import pa
from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.tables.row_heads import row_heads
from playhead.tables.number_columns import float64_column, int32_column
from playhead.tables.schema import Column
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    from playhead.sc2.events.columns import EventFields, EventStream, StreamRows
    from playhead.sc2.tables.registry import TableSource

USER = Column(
    "user",
    "int64",
    "User id in the events: index in the lobby's list of users; up to 1.5 the number, from 1, among the taken "
    "slots. Null for no user (16).",
)
PLAYER = Column("player", "int32", "Player number as in `players`; null for observers and if unknown.")
X = Column("x", "float64", "Position from the left edge of the map.", "cells")
Y = Column("y", "float64", "Position from the bottom edge of the map.", "cells")
UNIT = Column("unit", "int64", "Unit tag: index << 18 | recycle; the pair is the identity of a unit.")
UNIT_TYPE = Column("unit_type", "string", "Name of the unit's type, as the game data has it.")
WHEN = (TICK, SECONDS)
WHO = (TICK, SECONDS, USER, PLAYER)


def when(ticks: array[int], source: TableSource) -> dict[str, pa.Array]:
    """Return the columns tick and seconds of loops (``array('q')``, `NOTHING` for none)."""
    rate = source.loops_per_second
    return {"tick": int32_column(ticks, NOTHING), "seconds": float64_column(ticks, NOTHING, divisor=rate)}


def when_of(events: EventFields, source: TableSource) -> dict[str, pa.Array]:
    """Return the columns tick and seconds of events."""
    columns = when_and_who(events, source)
    return {name: columns[name] for name in ("tick", "seconds")}


def when_and_who(events: EventFields | EventStream, source: TableSource) -> dict[str, pa.Array]:
    """Return the columns tick, seconds, user and player of events."""
    from playhead.sc2.events.columns import EventStream

    if isinstance(events, EventStream):
        return dict(events.once("when_and_who", lambda held: rows_of(held.rows, None, source)))
    return dict(events.once("when_and_who", lambda: rows_of(events.stream, events.orders, source)))


def rows_of(stream: StreamRows, orders: array[int] | None, source: TableSource) -> dict[str, pa.Array]:
    """Return the columns tick, seconds, user and player of some rows of a stream (``array('i')``), or of all."""
    ticks, users, *_ = stream.heads
    return row_heads(orders, ticks, users, source.players_by_user, source.loops_per_second)
