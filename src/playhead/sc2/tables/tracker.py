"""Tables made of the tracker: units, positions, statistics, upgrades, build order."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playhead.sc2.events.columns import Stream
from playhead.sc2.events.unit_tag import unit_tag
from playhead.sc2.tables import schemas as tables

if TYPE_CHECKING:
    import pyarrow as pa

#: First base build that gives positions in cells; before, in blocks of four.
_FIRST_CELLS = 27950
_FOOD = 4096.0
#: No game comes near so many players; of a damaged file, the column could not hold more.
_MAX_PLAYER = 255
Row = dict[str, Any]


def cell_size(base_build: int) -> float:
    """Cells in one unit of the tracker's positions."""
    return 1.0 if base_build >= _FIRST_CELLS else 4.0


def player_setups(stream: Stream | None) -> list[tuple[int | None, int | None]]:
    """Player and user of each player setup (from 2.1 on)."""
    if stream is None or "SPlayerSetupEvent" not in stream.kinds:
        return []
    rows: list[Any] = stream.kinds["SPlayerSetupEvent"].rows("m_playerId", "m_userId")
    return [(player, user) for _, _, player, user in rows]


def unit_history(stream: Stream) -> list[tuple[Any, ...]]:
    """What happened to units, in file order: ``(order, loop, what, index, recycle, …)``."""
    return stream.once("unit_history", _unit_history)


def _unit_history(stream: Stream) -> list[tuple[Any, ...]]:
    where = ("m_x", "m_y")
    unit = ("m_unitTagIndex", "m_unitTagRecycle")
    creator = ("m_creatorUnitTagIndex", "m_creatorUnitTagRecycle", "m_creatorAbilityName")
    owner = ("m_unitTypeName", "m_controlPlayerId")
    events: list[tuple[Any, ...]] = []
    for event, what, paths in (
        ("SUnitInitEvent", "init", (*unit, *owner, *where, *creator)),
        ("SUnitBornEvent", "born", (*unit, *owner, *where, *creator)),
        ("SUnitDoneEvent", "done", unit),
        ("SUnitTypeChangeEvent", "type", (*unit, "m_unitTypeName")),
        ("SUnitOwnerChangeEvent", "owner", (*unit, "m_controlPlayerId")),
        (
            "SUnitDiedEvent",
            "died",
            (*unit, *where, "m_killerPlayerId", "m_killerUnitTagIndex", "m_killerUnitTagRecycle"),
        ),
    ):
        if event in stream.kinds:
            events += ((*row[:2], what, *row[2:]) for row in stream.kinds[event].rows(*paths))
    events.sort(key=lambda row: row[0])
    return events


@dataclass(slots=True)
class _Life:
    """A row of the table ``units``, whose columns the attributes are."""

    unit: int | None
    unit_index: int
    unit_recycle: int
    unit_type: str
    first_type: str
    player: int
    first_player: int
    init_tick: int | None
    born_tick: int | None
    x: float | None
    y: float | None
    creator_unit: int | None
    creator_ability: str | None
    type_changes: int = 0
    died_tick: int | None = None
    died_x: float | None = None
    died_y: float | None = None
    killer_player: int | None = None
    killer_unit: int | None = None


def _scaled(at: int | None, cells: float) -> float | None:
    return None if at is None else at * cells


def _lives(stream: Stream, cells: float) -> list[_Life]:
    """All units in order of appearance. Of a unit that appears again without having died, as in a resumed game,
    the later life is another row."""
    alive: dict[tuple[int, int], _Life] = {}
    lives: list[_Life] = []
    for _, tick, what, index, recycle, *rest in unit_history(stream):
        if what in ("init", "born"):
            kind, player, x, y, creator_index, creator_recycle, ability = rest
            alive[index, recycle] = life = _Life(
                unit=unit_tag(index, recycle),
                unit_index=index,
                unit_recycle=recycle,
                unit_type=kind,
                first_type=kind,
                player=player,
                first_player=player,
                init_tick=tick if what == "init" else None,
                born_tick=tick if what == "born" else None,
                x=_scaled(x, cells),
                y=_scaled(y, cells),
                creator_unit=unit_tag(creator_index, creator_recycle),
                creator_ability=ability,
            )
            lives.append(life)
            continue
        known = alive.get((index, recycle))
        if known is None:
            continue
        if what == "done":
            known.born_tick = tick
        elif what == "type":
            known.unit_type = rest[0]
            known.type_changes += 1
        elif what == "owner":
            known.player = rest[0]
        else:
            x, y, killer, killer_index, killer_recycle = rest
            known.died_tick = tick
            known.died_x, known.died_y = _scaled(x, cells), _scaled(y, cells)
            known.killer_player = killer
            known.killer_unit = unit_tag(killer_index, killer_recycle)
    return lives


def units(stream: Stream, cells: float) -> pa.Table:
    """The table ``units``."""
    import pyarrow as pa

    lives = _lives(stream, cells)
    arrow = tables.UNITS.arrow()
    return tables.UNITS.build(
        {
            name: pa.array([getattr(life, name) for life in lives], arrow.field(name).type)
            for name in tables.UNITS.column_names
        }
    )


def unit_change_rows(stream: Stream, rate: float) -> list[Row]:
    """Rows of the table ``unit_changes``."""
    now: dict[tuple[int, int], tuple[str | None, int | None]] = {}
    rows: list[Row] = []
    for _, tick, what, index, recycle, *rest in unit_history(stream):
        before = now.get((index, recycle), (None, None))
        if what in ("init", "born"):
            now[index, recycle] = (rest[0], rest[1])
        elif what in ("type", "owner"):
            after = (rest[0], before[1]) if what == "type" else (before[0], rest[0])
            now[index, recycle] = after
            rows.append(
                {
                    "tick": tick,
                    "seconds": tick / rate,
                    "unit": unit_tag(index, recycle),
                    "change": what,
                    "unit_type": after[0],
                    "player": after[1],
                    "old_type": before[0],
                    "old_player": before[1],
                }
            )
    return rows


def _known_player(number: int | None) -> int | None:
    """A player's number; None for the neutral one (0), and for what no game can have."""
    return number if number is not None and 0 < number <= _MAX_PLAYER else None


def positions(stream: Stream, cells: float, rate: float) -> pa.Table:
    """The table ``positions``, in file order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ticks: list[int] = []
    indices: list[int] = []
    units: list[int | None] = []
    xs: list[int | None] = []
    ys: list[int | None] = []
    causes: list[str] = []
    players: list[int | None] = []
    current: dict[int, int | None] = {}
    owners: dict[int, int | None] = {}
    events: list[tuple[Any, ...]] = unit_history(stream)
    if "SUnitPositionsEvent" in stream.kinds:
        sampled = stream.kinds["SUnitPositionsEvent"].rows("m_firstUnitIndex", "m_items")
        events = [*events, *((order, tick, "sample", first, items) for order, tick, first, items in sampled)]
        events.sort(key=lambda row: row[0])
    for _, tick, what, *rest in events:
        if what == "sample":
            # Triples of index delta, x and y; the first index stands alone.
            index, items = rest[0] or 0, rest[1]
            count = len(items) // 3
            for place in range(0, 3 * count, 3):
                index += items[place]
                indices.append(index)
                units.append(current.get(index))
                players.append(owners.get(index))
            xs += items[1 : 3 * count : 3]
            ys += items[2 : 3 * count : 3]
            ticks += [tick] * count
            causes += [what] * count
            continue
        if what in ("init", "born"):
            current[rest[0]] = tag = unit_tag(rest[0], rest[1])
            owners[rest[0]] = _known_player(rest[3])
            x, y = rest[4:6]
        elif what == "died":
            tag = unit_tag(rest[0], rest[1])
            x, y = rest[2:4]
        else:
            if what == "owner":
                owners[rest[0]] = _known_player(rest[2])
            continue
        ticks.append(tick)
        players.append(owners.get(rest[0]))
        indices.append(rest[0])
        units.append(tag)
        xs.append(x)
        ys.append(y)
        causes.append(what)
    spots = {name: pc.multiply(pa.array(spot, pa.float64()), cells) for name, spot in (("x", xs), ("y", ys))}
    return tables.POSITIONS.build(
        {
            **_times(pa.array(ticks, pa.int32()), rate),
            "player": pa.array(players, pa.int32()),
            "unit_index": pa.array(indices, pa.int64()),
            "unit": pa.array(units, pa.int64()),
            **spots,
            "cause": pa.array(causes, pa.string()).dictionary_encode(),
        }
    )


def _times(tick: pa.Array, rate: float) -> dict[str, pa.Array]:
    import pyarrow as pa
    import pyarrow.compute as pc

    return {"tick": tick, "seconds": pc.divide(tick.cast(pa.float64()), rate)}


def player_stats(stream: Stream, rate: float) -> pa.Table:
    """The table ``player_stats``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stats = stream.kinds["SPlayerStatsEvent"]
    columns = {**_times(stats.tick, rate), "player": stats.get("m_playerId")}
    for name in tables.STATS:
        values = stats.get(f"m_stats.m_scoreValue{name}")
        if name.startswith("Food"):
            values = pc.divide(values.cast(pa.float64()), _FOOD)
        columns[tables.stat_column(name)] = values
    return tables.PLAYER_STATS.build(columns)


def supply(stream: Stream, rate: float) -> pa.Table:
    """The table ``supply``."""
    stats = player_stats(stream, rate)
    names = {"supply_used": "food_used", "supply_made": "food_made"}
    return tables.SUPPLY.build({name: stats[names.get(name, name)] for name in tables.SUPPLY.column_names})


def upgrades(stream: Stream, rate: float) -> pa.Table:
    """The table ``upgrades``."""
    import pyarrow as pa

    done = stream.kinds["SUpgradeEvent"]
    return tables.UPGRADES.build(
        {
            **_times(done.tick, rate),
            "player": done.get("m_playerId"),
            "upgrade": done.get("m_upgradeTypeName").cast(pa.string()),
            "count": done.get("m_count"),
        }
    )


def build_order_rows(stream: Stream, rate: float) -> list[Row]:
    """Rows of the table ``build_order``."""
    food: dict[int, tuple[list[int], list[float]]] = {}
    if "SPlayerStatsEvent" in stream.kinds:
        stats: list[Any] = stream.kinds["SPlayerStatsEvent"].rows("m_playerId", "m_stats.m_scoreValueFoodUsed")
        for _, tick, player, used in stats:
            ticks, values = food.setdefault(player, ([], []))
            ticks.append(tick)
            values.append(used / _FOOD if used is not None else 0.0)
    steps: list[tuple[int, int, int, str, str]] = [
        (order, tick, rest[3], "construction" if what == "init" else "unit", rest[2])
        for order, tick, what, *rest in unit_history(stream)
        if what in ("init", "born")
    ]
    if "SUpgradeEvent" in stream.kinds:
        rows: list[Any] = stream.kinds["SUpgradeEvent"].rows("m_playerId", "m_upgradeTypeName")
        steps += ((order, tick, player, "upgrade", name) for order, tick, player, name in rows)
    steps.sort()
    out = []
    for _, tick, player, kind, name in steps:
        if tick == 0 or not player:
            continue
        ticks, values = food.get(player, ([], []))
        before = bisect.bisect_right(ticks, tick)
        out.append(
            {
                "tick": tick,
                "seconds": tick / rate,
                "player": player,
                "kind": kind,
                "name": name,
                "supply": values[before - 1] if before else None,
            }
        )
    return out
