"""The table ``camera``."""

from __future__ import annotations

from playhead.runtime.libraries import pa
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.game import CameraUpdateEvent
from playhead.sc2.tables.columns import WHO, X, Y, when_and_who
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import Column, TableSchema

CAMERA = TableSchema.of(
    "camera",
    "One row for each move of a player's camera.",
    *WHO,
    X,
    Y,
    Column("distance", "int64", "As stored; null if it did not change."),
    Column("pitch", "int64", "As stored; null if it did not change."),
    Column("yaw", "int64", "As stored; null if it did not change."),
    Column("reason", "int64", "Cause of the move; null for the player, or if the build does not record it."),
    version=2,
)


@event_table(CAMERA, CameraUpdateEvent)
def camera(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``camera``."""
    moves = game.of(CameraUpdateEvent)
    fields = moves.friendly("x", "y", "distance", "pitch", "yaw", "reason", scope=source.event_scope)
    return CAMERA.build({**when_and_who(moves, source), **fields})
