"""The tables ``player_stats``, ``supply``, ``upgrades`` and ``build_order``."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.tracker import (
    STATS,
    SUPPLY_UNIT,
    PlayerStatsEvent,
    UpgradeEvent,
    is_supply,
    stat_column,
    stat_path,
    stat_value,
)
from playhead.sc2.state.units import APPEARS, HISTORY_EVENTS, Change, unit_history
from playhead.sc2.tables.columns import PLAYER, WHEN, when
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa


def _stat(name: str) -> Column:
    if is_supply(name):
        return Column(stat_column(name), "float64", f"Score value {name}; stored in units of 1/4096.", "supply")
    return Column(stat_column(name), "int64", f"Score value {name}.")


PLAYER_STATS = TableSchema(
    name="player_stats",
    version=1,
    doc="Score values of each player, every ten seconds at speed normal.",
    columns=(*WHEN, PLAYER, *map(_stat, STATS)),
)

SUPPLY = TableSchema(
    name="supply",
    version=1,
    doc="Supply of each player over time, from the statistics.",
    columns=(
        *WHEN,
        PLAYER,
        Column("supply_used", "float64", "Supply in use.", "supply"),
        Column("supply_made", "float64", "Supply provided.", "supply"),
    ),
)

UPGRADES = TableSchema(
    name="upgrades",
    version=1,
    doc="One row for each upgrade that a player got; sprays and the like are upgrades too.",
    columns=(
        *WHEN,
        PLAYER,
        Column("upgrade", "string", "Name."),
        Column("count", "int64", "By how many levels."),
    ),
)

BUILD_ORDER = TableSchema(
    name="build_order",
    version=1,
    doc="What each player started or got, in order: units and buildings after loop 0, and upgrades.",
    columns=(
        *WHEN,
        PLAYER,
        Column("kind", "category", "unit (complete), construction (begun) or upgrade."),
        Column("name", "string", "Name of the unit type or upgrade."),
        Column("supply", "float64", "Supply in use by the last statistics before it.", "supply"),
    ),
)


@event_table(PLAYER_STATS, PlayerStatsEvent)
def player_stats(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``player_stats``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stats = tracker.of(PlayerStatsEvent)
    columns = {**when(stats.tick, source), "player": stats.player}
    for name in STATS:
        values = stats.get(stat_path(name))
        if is_supply(name):
            values = pc.divide(values.cast(pa.float64()), SUPPLY_UNIT)
        columns[stat_column(name)] = values
    return PLAYER_STATS.build(columns)


@event_table(SUPPLY, PlayerStatsEvent)
def supply(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``supply``."""
    stats = player_stats(tracker, source)
    names = {"supply_used": "food_used", "supply_made": "food_made"}
    return SUPPLY.build({name: stats[names.get(name, name)] for name in SUPPLY.column_names})


@event_table(UPGRADES, UpgradeEvent)
def upgrades(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``upgrades``."""
    done = tracker.of(UpgradeEvent)
    fields = done.friendly("upgrade", "count", scope=source.event_scope)
    return UPGRADES.build({**when(done.tick, source), "player": done.player, **fields})


@event_table(BUILD_ORDER, *HISTORY_EVENTS, PlayerStatsEvent, UpgradeEvent)
def build_order(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``build_order``."""
    supply_of: dict[int, tuple[list[int], list[float]]] = {}
    for _, tick, player, used in tracker.of(PlayerStatsEvent).rows("m_playerId", stat_path("FoodUsed")):
        ticks, values = supply_of.setdefault(player, ([], []))
        ticks.append(tick)
        values.append(stat_value("FoodUsed", used) or 0.0)
    steps: list[tuple[int, int, int, str, str]] = [
        (order, tick, rest[3], "construction" if change == Change.INIT else "unit", rest[2])
        for order, tick, change, *rest in unit_history(tracker)
        if change in APPEARS
    ]
    done = tracker.of(UpgradeEvent).rows("m_playerId", "upgrade")
    steps += ((order, tick, player, "upgrade", name) for order, tick, player, name in done)
    steps.sort()
    rows = []
    for _, tick, player, kind, name in steps:
        if tick == 0 or not player:
            continue
        ticks, values = supply_of.get(player, ([], []))
        before = bisect.bisect_right(ticks, tick)
        rows.append(
            {
                "tick": tick,
                "seconds": tick / source.loops_per_second,
                "player": player,
                "kind": kind,
                "name": name,
                "supply": values[before - 1] if before else None,
            }
        )
    return BUILD_ORDER.build_rows(rows)
