"""Tables of a simulation with a row for each hook, shot, hit, freeze and run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from playhead.runtime.libraries import pa
from playhead.tables import Column, TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, WEAPONS, seconds_or_none

_WEAPON = word("weapon", f"{', '.join(WEAPONS)}.")
HOOKS = TableSchema.of(
    "hooks",
    "One row for each hook that a tee threw, in the order of their ends; those that last to the end of the "
    "recording are the last rows. Computed on the map.",
    word("tick", "That of the throw."),
    *words("seconds player client"),
    word("end_tick", "The first on which it neither flies nor holds."),
    *words("end_seconds"),
    Column("grab_tick", "int32", "Tick on which it grabbed; null if it did not.", "ticks"),
    Column("grabbed", "category", "wall or tee; null if it grabbed nothing."),
    word("target_client", "The first tee that it grabbed; null if none."),
    *words("target_player"),
)
SHOTS = TableSchema.of(
    "shots",
    "One row for each shot, hammers and ninjas included. Computed on the map.",
    *words("tick seconds player client"),
    _WEAPON,
    word("x", "Where it begins: 21 units from the tee."),
    word("y", "Where it begins."),
    Column("aim_x", "float32", "Aim from the tee, to the right.", "map units"),
    Column("aim_y", "float32", "Aim from the tee, downwards.", "map units"),
)
HITS = TableSchema.of(
    "hits",
    "One row for each tee that a shot hits or an explosion pushes, oneself included. Computed on the map.",
    *words("tick seconds player client"),
    _WEAPON,
    word("target_client", "The tee that was hit."),
    *words("target_player"),
)
FREEZES = TableSchema.of(
    "freezes",
    "One row for each time that a tee was frozen, in the order of their ends; those that last to the end of the "
    "recording are the last rows. Computed on the map.",
    word("tick", "The first of the freeze."),
    *words("seconds player client"),
    word("end_tick", "The first after it."),
    *words("end_seconds"),
    Column("deep", "bool", "It was a deep freeze at some time."),
    word("outcome", "over, thawed (by a tile, hammer or laser), or gone (the tee died or left)."),
)
RACES = TableSchema.of(
    "races",
    "One row for each run, as the map's start and finish lines show it, for servers of every version. "
    "Computed on the map; table `runs` of the recording has what servers record since 18.3.",
    word("tick", "That of the finish."),
    *words("seconds"),
    word("team", "0 is no team, and everyone's before DDNet 15.6."),
    word("clients", "Those who finished together."),
    word("players", "In the order of `clients`; null if unknown."),
    word("duration_ticks", "From start to finish; null if the team loaded a save."),
    *words("duration_seconds"),
    word("start_tick", "When the clock started; null if the team loaded a save."),
)
EVENT_TABLES = {schema.name: schema for schema in (HOOKS, SHOTS, HITS, FREEZES, RACES)}


def build(name: str, events: Iterable[tuple[Any, ...]]) -> pa.Table:
    """Return the rows of a table."""
    schema = EVENT_TABLES[name]
    rows = [_ROWS[name](event) for event in events]
    return schema.build({column: [row[place] for row in rows] for place, column in enumerate(schema.column_names)})


def _player(holder: int) -> int | None:
    return None if holder < 0 else holder


def _head(event: tuple[Any, ...]) -> tuple[Any, ...]:
    tick, holder, cid = event[1:4]
    return tick, tick / TICKS_PER_SECOND, _player(holder), cid


def _hook(event: tuple[Any, ...]) -> tuple[Any, ...]:
    end, grab, grabbed, holder = event[4:]
    target = (grabbed, _player(holder)) if grabbed >= 0 else (None, None)
    how = ("wall" if target[0] is None else "tee") if grab else None
    return (*_head(event), end, seconds_or_none(end), grab or None, how, *target)


def _shot(event: tuple[Any, ...]) -> tuple[Any, ...]:
    weapon, *place = event[4:]
    return (*_head(event), WEAPONS[weapon], *map(float, place))


def _hit(event: tuple[Any, ...]) -> tuple[Any, ...]:
    other, weapon, holder = event[4:]
    return (*_head(event), WEAPONS[weapon], other, _player(holder))


def _freeze(event: tuple[Any, ...]) -> tuple[Any, ...]:
    end, deep, how = event[4:]
    return (*_head(event), end, seconds_or_none(end), bool(deep), how)


def _race(event: tuple[Any, ...]) -> tuple[Any, ...]:
    tick, team, clients, holders, start = event[1:]
    ticks = None if start is None else tick - start
    head = (tick, tick / TICKS_PER_SECOND, team, clients, [_player(holder) for holder in holders])
    return (*head, ticks, seconds_or_none(ticks), start)


_ROWS: dict[str, Callable[[tuple[Any, ...]], tuple[Any, ...]]] = {
    "hooks": _hook,
    "shots": _shot,
    "hits": _hit,
    "freezes": _freeze,
    "races": _race,
}
