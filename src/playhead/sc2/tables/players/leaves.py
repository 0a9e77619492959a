"""The table ``leaves``."""

from __future__ import annotations

from playhead.runtime.libraries import pa
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.game import GameUserLeaveEvent, PlayerLeaveEvent
from playhead.sc2.tables.columns import WHO, when_and_who
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import Column, TableSchema

LEAVES = TableSchema.of(
    "leaves",
    "One row for each user who left the game.",
    *WHO,
    Column("reason", "int64", "The game's number of the reason; from 34784 on."),
    version=2,
)


@event_table(LEAVES, GameUserLeaveEvent, PlayerLeaveEvent)
def leaves(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``leaves``."""
    # A build has one of the two.
    gone = game.of(GameUserLeaveEvent) if game.has(GameUserLeaveEvent) else game.of(PlayerLeaveEvent)
    return LEAVES.build({**when_and_who(gone, source), "reason": gone.get("m_leaveReason")})
