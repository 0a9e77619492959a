"""The tables ``player_series``, ``upgrades`` and ``supply_blocks``."""

from __future__ import annotations

from array import array

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.tracker import (
    STATS,
    SUPPLY_UNIT,
    PlayerStatsEvent,
    UpgradeEvent,
    is_supply,
    stat_column,
    stat_path,
)
from playhead.blizzard.tables.registry import WHEN, may_make, moment, when, when_of
from playhead.clock import interval_ticks
from playhead.runtime.libraries import pa
from playhead.sc2.state.orders import written_twice
from playhead.sc2.state.players.tracked_players import tracked_players
from playhead.sc2.state.production.from_replay import PRODUCTION_EVENTS
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.arrow import to_list
from playhead.tables.number_columns import float64_column, int32_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import WORDS, word

_CLOCKS = ("game", "recording")


def _stat(name: str) -> Column:
    column, doc = stat_column(name), f"Score value {name}."
    if "Lost" in name:
        doc += " The game takes off what a cancelled construction gave back: it may be below zero."
    return word(column, doc) if column in WORDS else Column(column, "int32", doc)


PLAYER_SERIES = TableSchema.of(
    "player_series",
    "Score values of each player, every ten seconds at speed normal, and when a player leaves. Of the two rows "
    "that the game writes in the loop of a leaver, the first is kept, from before a map removes the player's "
    "units; in melee games 131 of 133 are equal. With the option "
    '`every` (``"1 min"``), the last of these rows at each step, counted from 0:00 of the game, or with '
    '``clock="recording"`` from the first loop.',
    *WHEN,
    *map(_stat, STATS),
    group="series",
)

UPGRADES = TableSchema.of(
    "upgrades",
    "One row for each upgrade that a player got; sprays and the like are upgrades too.",
    *WHEN,
    Column("upgrade", "category", "Name in the game data."),
    word("count", "Levels."),
)


@event_table(PLAYER_SERIES, PlayerStatsEvent, options=("every", "clock"))
def player_series(
    tracker: EventStream, source: TableSource, every: int | float | str | None = None, clock: str = "game"
) -> pa.Table:
    """Return the table ``player_series``.

    Raises:
        ValueError: `every` is no interval, or there is no such clock.
    """
    if clock not in _CLOCKS:
        raise ValueError(f"expected clock={' or '.join(map(repr, _CLOCKS))}, got {clock!r}")
    table = _recorded(tracker, source)
    if every is None:
        return table
    start = source.start_tick if clock == "game" else 0
    return _at_steps(table, start, interval_ticks(every, source.loops_per_second), source)


def _recorded(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the rows that the replay has."""
    stats = tracker.of(PlayerStatsEvent)
    columns = {**when_of(stats, source), "player": stats.player}
    for name in STATS:
        values = stats.numbers(stat_path(name))
        if is_supply(name):
            columns[stat_column(name)] = float64_column(values, NOTHING, divisor=SUPPLY_UNIT)
        else:
            columns[stat_column(name)] = int32_column(values, NOTHING)
    table = PLAYER_SERIES.build(columns)
    left_out = set(written_twice(tracker))
    if source.start_tick:
        # GameHeart's observers, who are players until the game begins.
        players = {player.player for player in source.players}
        rows = enumerate(stats.numbers("m_playerId"))
        left_out |= {place for place, player in rows if player not in players}
    if not left_out:
        return table
    return table.take(arrow.int64_array(array("q", [row for row in range(len(table)) if row not in left_out])))


def _at_steps(table: pa.Table, start: int, interval: int, source: TableSource) -> pa.Table:
    """Return the last row of each player at each step."""
    ticks = to_list(table["tick"])
    if not ticks:
        return table
    players = to_list(table["player"])
    count = (ticks[-1] - start) // interval * len(set(players))
    if not may_make(count, ticks[-1], source, "player_series", "the table player_series"):
        return table.slice(0, 0)
    last: dict[int | None, int] = {}
    steps, rows = array("q"), array("q")
    place = 0
    for step in range(start, ticks[-1] + 1, interval):
        while place < len(ticks) and ticks[place] <= step:
            last[players[place]] = place
            place += 1
        steps.extend([step] * len(last))
        rows.extend(last[player] for player in sorted(last, key=lambda number: -1 if number is None else number))
    found = table.take(arrow.int64_array(rows))
    return PLAYER_SERIES.build({**{name: found[name] for name in found.column_names}, **when(steps, source)})


@event_table(UPGRADES, UpgradeEvent)
def upgrades(tracker: EventStream, source: TableSource) -> pa.Table:
    done = tracker.of(UpgradeEvent)
    fields = done.friendly("upgrade", "count", scope=source.event_scope)
    return UPGRADES.build({**when_of(done, source), "player": done.player, **fields})


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
    rate = source.loops_per_second
    rows = [
        {**moment(start, rate), "player": player, **moment(end, rate, "end_")}
        for player, held in tracked_players(tracker, source).items()
        for start, end in held.blocked
    ]
    return SUPPLY_BLOCKS.build_rows(sorted(rows, key=lambda row: (row["tick"], row["player"])))
