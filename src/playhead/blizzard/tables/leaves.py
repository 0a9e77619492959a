"""The table ``leaves``."""

from __future__ import annotations

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.game import LEAVE_REASONS, GameUserLeaveEvent, PlayerLeaveEvent
from playhead.blizzard.tables.columns import WHO, when_and_who
from playhead.blizzard.tables.registry import GameSource, GameTables
from playhead.runtime.libraries import pa
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word

LEAVES = TableSchema.of(
    "leaves",
    "One row for each user who left the game.",
    *WHO,
    word("reason", f"{', '.join(LEAVE_REASONS)}; from 34784 on."),
    word("reason_id"),
)


def leaves(game: EventStream, source: GameSource) -> pa.Table:
    """Return the table ``leaves``."""
    reasons = ("reason", "reason_id")
    # A build has one of the two.
    if game.has(GameUserLeaveEvent):
        gone = game.of(GameUserLeaveEvent)
        return LEAVES.build({**when_and_who(gone, source), **gone.friendly(*reasons, scope=source.event_scope)})
    gone = game.of(PlayerLeaveEvent)
    return LEAVES.build({**when_and_who(gone, source), **dict.fromkeys(reasons, [None] * len(gone))})


def add_to(tables: GameTables) -> None:
    """Add the table to those of a game."""
    tables.event_table(LEAVES, GameUserLeaveEvent, PlayerLeaveEvent)(leaves)
