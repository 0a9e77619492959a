"""The tables ``units``, ``unit_changes`` and ``positions``: what the tracker writes about units."""

from __future__ import annotations

from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.tracker import UnitPositionsEvent, sampled_units, unit_tag
from playhead.sc2.state.units import (
    CHANGE_NAMES,
    HISTORY_EVENTS,
    Change,
    position_samples,
    unit_history,
)
from playhead.sc2.tables.columns import PLAYER, UNIT, UNIT_TYPE, WHEN, X, Y, when
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow, shared
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

#: No game comes near so many players; of a damaged file, the column could not hold more.
_MAX_PLAYER = 255

UNITS = TableSchema(
    name="units",
    version=2,
    doc="One row for each unit that the tracker knows: where it came from and what became of it.",
    columns=(
        UNIT,
        Column("unit_index", "int64", "Index of the unit; used again for later units."),
        Column("unit_recycle", "int64", "How often the index had been used."),
        UNIT_TYPE,
        Column("first_type", "string", "Type at its birth; differs where it changed."),
        Column("type_changes", "int64", "How often its type changed."),
        PLAYER,
        Column("first_player", "int32", "Player at its birth."),
        Column("init_tick", "int64", "Start of construction; null where it came complete.", "ticks"),
        Column("born_tick", "int64", "When it was born or its construction done; null if never.", "ticks"),
        Column("died_tick", "int64", "When it died or left the map; null if never.", "ticks"),
        X,
        Y,
        Column("died_x", "float64", "Where it died.", "cells"),
        Column("died_y", "float64", "Where it died.", "cells"),
        Column("killer_player", "int32", "Player who killed it."),
        Column("killer_unit", "int64", "Unit tag of the killer."),
        Column("creator_unit", "int64", "Unit tag of its creator."),
        Column("creator_ability", "string", "Ability that created it."),
    ),
)

UNIT_CHANGES = TableSchema(
    name="unit_changes",
    version=2,
    doc="One row for each change of a unit's type or owner, in file order.",
    columns=(
        *WHEN,
        UNIT,
        Column("change", "category", "type or owner."),
        UNIT_TYPE,
        PLAYER,
        Column("old_type", "string", "Type before; null where the tracker never told of the unit."),
        Column("old_player", "int32", "Player before; null where the tracker never told of the unit."),
    ),
)

POSITIONS = TableSchema(
    name="positions",
    version=2,
    doc="Where units were: at birth, at death, and in between for units that took or dealt damage; `player` is "
    "who had the unit then.",
    columns=(
        *shared.POSITIONS.columns,
        Column("unit_index", "int64", "Index of the unit; used again for later units."),
        UNIT,
        Column("cause", "category", "init, born, died or sample."),
    ),
)


#: Places in a row of the table ``units``, whose columns are in this order.
_UNIT_TYPE, _TYPE_CHANGES, _PLAYER, _BORN, _DIED, _DIED_X, _DIED_Y, _KILLER_PLAYER, _KILLER = (
    UNITS.column_names.index(name)
    for name in (
        "unit_type",
        "type_changes",
        "player",
        "born_tick",
        "died_tick",
        "died_x",
        "died_y",
        "killer_player",
        "killer_unit",
    )
)


def _scaled(at: int | None, cells: float) -> float | None:
    return None if at is None else at * cells


def _lives(tracker: EventStream, cells: float) -> list[list[Any]]:
    """Return all units in order of appearance, as rows of the table.

    Of a unit that appears again without having died, as in a resumed game, the later life is another row.
    """
    alive: dict[tuple[int, int], list[Any]] = {}
    lives: list[list[Any]] = []
    for row in unit_history(tracker):
        tick, change, index, recycle = row[1:5]
        if change == Change.BORN or change == Change.INIT:
            kind, player, x, y, creator_index, creator_recycle, ability = row[5:]
            alive[index, recycle] = life = [
                unit_tag(index, recycle),
                index,
                recycle,
                kind,
                kind,
                0,
                player,
                player,
                tick if change == Change.INIT else None,
                tick if change == Change.BORN else None,
                None,
                _scaled(x, cells),
                _scaled(y, cells),
                None,
                None,
                None,
                None,
                unit_tag(creator_index, creator_recycle),
                ability,
            ]
            lives.append(life)
            continue
        known = alive.get((index, recycle))
        if known is None:
            continue
        if change == Change.DONE:
            known[_BORN] = tick
        elif change == Change.TYPE:
            known[_UNIT_TYPE] = row[5]
            known[_TYPE_CHANGES] += 1
        elif change == Change.OWNER:
            known[_PLAYER] = row[5]
        else:
            x, y, killer, killer_index, killer_recycle = row[5:]
            known[_DIED] = tick
            known[_DIED_X], known[_DIED_Y] = _scaled(x, cells), _scaled(y, cells)
            known[_KILLER_PLAYER] = killer
            known[_KILLER] = unit_tag(killer_index, killer_recycle)
    return lives


@event_table(UNITS, *HISTORY_EVENTS)
def units(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``units``."""
    import pyarrow as pa

    lives = _lives(tracker, source.event_scope.tracker_cells)
    names = UNITS.column_names
    columns: dict[str, Any] = dict(zip(names, zip(*lives, strict=True) if lives else repeat(()), strict=False))
    for name in ("player", "first_player", "killer_player"):
        columns[name] = arrow.player_numbers(pa.array(columns[name], pa.int64()))
    return UNITS.build(columns)


def unit_change_rows(tracker: EventStream, rate: float) -> list[dict[str, Any]]:
    """Return the rows of the table ``unit_changes``."""
    now: dict[tuple[int, int], tuple[str | None, int | None]] = {}
    rows: list[dict[str, Any]] = []
    for row in unit_history(tracker):
        change = row[2]
        if change == Change.BORN or change == Change.INIT:
            now[row[3], row[4]] = (row[5], row[6])
        elif change == Change.TYPE or change == Change.OWNER:
            _, tick, _, index, recycle, new = row
            before = now.get((index, recycle), (None, None))
            after = (new, before[1]) if change == Change.TYPE else (before[0], new)
            now[index, recycle] = after
            rows.append(
                {
                    "tick": tick,
                    "seconds": tick / rate,
                    "unit": unit_tag(index, recycle),
                    "change": CHANGE_NAMES[change],
                    "unit_type": after[0],
                    "player": arrow.player_number(after[1]),
                    "old_type": before[0],
                    "old_player": arrow.player_number(before[1]),
                }
            )
    return rows


@event_table(UNIT_CHANGES, *HISTORY_EVENTS)
def unit_changes(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``unit_changes``."""
    return UNIT_CHANGES.build_rows(unit_change_rows(tracker, source.loops_per_second))


def _known_player(number: int | None) -> int | None:
    """Return a player's number; None for the neutral one (0), and for what no game can have."""
    return number if number is not None and 0 < number <= _MAX_PLAYER else None


@event_table(POSITIONS, UnitPositionsEvent, *HISTORY_EVENTS)
def positions(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``positions``, in file order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    #: Loop, index, tag, player, x, y and cause of each.
    rows: list[tuple[Any, ...]] = []
    tag_of: dict[int, int | None] = {}
    owner_of: dict[int, int | None] = {}
    events = [*unit_history(tracker), *position_samples(tracker)]
    events.sort(key=itemgetter(0))
    for event in events:
        tick, change, index, recycle = event[1:5]
        if change == Change.BORN or change == Change.INIT:
            tag_of[index] = tag = unit_tag(index, recycle)
            owner_of[index] = owner = _known_player(event[6])
            rows.append((tick, index, tag, owner, event[7], event[8], change))
        elif change == Change.DIED:
            rows.append((tick, index, unit_tag(index, recycle), owner_of.get(index), event[5], event[6], change))
        elif change == Change.SAMPLE:
            found, xs, ys = sampled_units(index, recycle)
            tags, owners = map(tag_of.get, found), map(owner_of.get, found)
            rows += zip(repeat(tick), found, tags, owners, xs, ys, repeat(change), strict=False)
        elif change == Change.OWNER:
            owner_of[index] = _known_player(event[5])
    ticks, indices, units_, players, all_xs, all_ys, causes = zip(*rows, strict=True) if rows else ((),) * 7
    cells = source.event_scope.tracker_cells
    return POSITIONS.build(
        {
            **when(pa.array(ticks, pa.int32()), source),
            "player": pa.array(players, pa.int32()),
            "unit_index": pa.array(indices, pa.int64()),
            "unit": pa.array(units_, pa.int64()),
            "x": pc.multiply(pa.array(all_xs, pa.float64()), cells),
            "y": pc.multiply(pa.array(all_ys, pa.float64()), cells),
            "cause": arrow.named(pa.array(causes, pa.int32()), dict(enumerate(CHANGE_NAMES))),
        }
    )
