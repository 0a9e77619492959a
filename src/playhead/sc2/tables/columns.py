"""Columns that several tables have, as schemas and as Arrow arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.sc2.protocol.tables import NO_USER
from playhead.tables import arrow
from playhead.tables.schema import Column
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.sc2.events.columns import EventFields, EventStream
    from playhead.sc2.tables.registry import TableSource

USER = Column(
    "user",
    "int64",
    "User id in the events: place in the lobby's list of users; up to 1.5 the number, from 1, among the slots "
    "that are taken. Null for none (16).",
)
PLAYER = Column("player", "int32", "Player number as in `players`; null for observers and where it is not known.")
X = Column("x", "float64", "Position from the left edge of the map.", "cells")
Y = Column("y", "float64", "Position from the bottom edge of the map.", "cells")
UNIT = Column("unit", "int64", "Unit tag: index << 18 | recycle; the pair is the identity of a unit.")
UNIT_TYPE = Column("unit_type", "string", "Name of the unit's type, as the game data has it.")
WHEN = (TICK, SECONDS)
WHO = (TICK, SECONDS, USER, PLAYER)


def when(tick: pa.Array, source: TableSource) -> dict[str, pa.Array]:
    """Return the columns tick and seconds."""
    return {"tick": tick, "seconds": arrow.seconds_of(tick, source.loops_per_second)}


def when_and_who(events: EventFields | EventStream, source: TableSource) -> dict[str, pa.Array]:
    """Return the columns tick, seconds, user and player of events."""
    from playhead.sc2.events.columns import EventStream

    if isinstance(events, EventStream):
        return dict(events.once("when_and_who", lambda held: _of_stream(held, source)))
    return dict(events.once("when_and_who", lambda: rows_of(events.stream, events.order, source)))


def rows_of(stream: EventStream, rows: pa.Array, source: TableSource) -> dict[str, pa.Array]:
    """Return the columns tick, seconds, user and player of some rows of a stream."""
    return {name: values.take(rows) for name, values in when_and_who(stream, source).items()}


def _of_stream(stream: EventStream, source: TableSource) -> dict[str, pa.Array]:
    import pyarrow as pa
    import pyarrow.compute as pc

    user = pc.if_else(pc.less(stream.user, NO_USER), stream.user, pa.scalar(None, pa.int32()))
    players = arrow.lookup(user, source.players_by_user, pa.int32())
    return {**when(stream.tick, source), "user": user.cast(pa.int64()), "player": players}
