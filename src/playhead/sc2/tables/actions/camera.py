"""The table ``camera``."""

from __future__ import annotations

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.game import CameraUpdateEvent
from playhead.blizzard.tables.columns import WHO, when_and_who
from playhead.runtime.libraries import pa
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

_UNCHANGED = "Null if it did not change."
CAMERA = TableSchema.of(
    "camera",
    "One row for each move of a player's camera.",
    *WHO,
    *words("x y"),
    word("distance", f"From the camera to the place: 34 by default. {_UNCHANGED}"),
    word("pitch", f"56 by default. {_UNCHANGED}"),
    word("yaw", f"90 by default. {_UNCHANGED}"),
    word("reason_id", "Null for the player, or if the build does not record it."),
)


@event_table(CAMERA, CameraUpdateEvent)
def camera(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``camera``."""
    moves = game.of(CameraUpdateEvent)
    fields = moves.friendly("x", "y", "distance", "pitch", "yaw", "reason_id", scope=source.event_scope)
    return CAMERA.build({**when_and_who(moves, source), **fields})
