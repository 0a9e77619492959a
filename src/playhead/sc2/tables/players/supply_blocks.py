"""The table ``supply_blocks``: when players had no free supply."""

from __future__ import annotations

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.tracker import PlayerStatsEvent
from playhead.blizzard.tables.columns import WHEN, moment
from playhead.runtime.libraries import pa
from playhead.sc2.state.players.tracked_players import tracked_players
from playhead.sc2.state.production.from_replay import PRODUCTION_EVENTS
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word

SUPPLY_BLOCKS = TableSchema.of(
    "supply_blocks",
    "One row for each time in which a player's supply was all in use, below 200. The sum over a player is "
    "`supply_blocked_seconds` of `player_stats`.",
    *WHEN,
    word("end_tick", "Supply was free again, or the game ended."),
    word("end_seconds"),
)


@event_table(SUPPLY_BLOCKS, PlayerStatsEvent, *PRODUCTION_EVENTS)
def supply_blocks(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``supply_blocks``."""
    rate = source.loops_per_second
    rows = [
        {**moment(start, rate), "player": player, **moment(end, rate, "end_")}
        for player, held in tracked_players(tracker, source).items()
        for start, end in held.blocked
    ]
    return SUPPLY_BLOCKS.build_rows(sorted(rows, key=lambda row: (row["tick"], row["player"])))
