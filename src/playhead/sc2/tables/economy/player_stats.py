"""The tables ``player_stats``, ``supply`` and ``upgrades``."""

from __future__ import annotations

from array import array

from playhead.runtime.libraries import pa
from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.tracker import (
    STATS,
    SUPPLY_UNIT,
    PlayerStatsEvent,
    UpgradeEvent,
    is_supply,
    stat_column,
    stat_path,
)
from playhead.sc2.state.players.statistics import written_twice
from playhead.sc2.tables.columns import PLAYER, WHEN, when_of
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import float64_column, int64_column
from playhead.tables.schema import Column, TableSchema


def _stat(name: str) -> Column:
    if is_supply(name):
        return Column(stat_column(name), "float64", f"Score value {name}; stored in units of 1/4096.", "supply")
    return Column(stat_column(name), "int64", f"Score value {name}.")


PLAYER_STATS = TableSchema.of(
    "player_stats",
    "Score values of each player, every ten seconds at speed normal, and when a player leaves.",
    *WHEN,
    PLAYER,
    *map(_stat, STATS),
    version=2,
)

SUPPLY = TableSchema.of(
    "supply",
    "Supply of each player over time, from the statistics.",
    *WHEN,
    PLAYER,
    Column("supply_used", "float64", "Supply in use.", "supply"),
    Column("supply_made", "float64", "Supply provided.", "supply"),
    version=2,
)

UPGRADES = TableSchema.of(
    "upgrades",
    "One row for each upgrade that a player got; sprays and the like are upgrades too.",
    *WHEN,
    PLAYER,
    Column("upgrade", "string", "Name."),
    Column("count", "int64", "By how many levels."),
    version=2,
)


@event_table(PLAYER_STATS, PlayerStatsEvent)
def player_stats(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``player_stats``."""
    return _player_stats(tracker, source)


def _player_stats(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``player_stats``, cached with the stream, as ``supply`` is a part of it."""
    return tracker.once("player_stats", lambda held: _made_of(held, source))


def _made_of(tracker: EventStream, source: TableSource) -> pa.Table:
    stats = tracker.of(PlayerStatsEvent)
    columns = {**when_of(stats, source), "player": stats.player}
    for name in STATS:
        values = stats.numbers(stat_path(name))
        if is_supply(name):
            columns[stat_column(name)] = float64_column(values, NOTHING, divisor=SUPPLY_UNIT)
        else:
            columns[stat_column(name)] = int64_column(values, NOTHING)
    table = PLAYER_STATS.build(columns)
    left_out = set(written_twice(tracker))
    if source.start_tick:
        # GameHeart's observers, who are players until the game begins.
        players = {player.player for player in source.players}
        rows = enumerate(stats.numbers("m_playerId"))
        left_out |= {place for place, player in rows if player not in players}
    if not left_out:
        return table
    return table.take(arrow.int64_array(array("q", [row for row in range(len(table)) if row not in left_out])))


@event_table(SUPPLY, PlayerStatsEvent)
def supply(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``supply``."""
    stats = _player_stats(tracker, source)
    names = {"supply_used": "food_used", "supply_made": "food_made"}
    return SUPPLY.build({name: stats[names.get(name, name)] for name in SUPPLY.column_names})


@event_table(UPGRADES, UpgradeEvent)
def upgrades(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``upgrades``."""
    done = tracker.of(UpgradeEvent)
    fields = done.friendly("upgrade", "count", scope=source.event_scope)
    return UPGRADES.build({**when_of(done, source), "player": done.player, **fields})
