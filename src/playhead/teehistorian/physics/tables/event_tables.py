"""Tables of a simulation with a row for each hook, shot, hit, freeze and run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from playhead.runtime.libraries import pa
from playhead.tables import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK
from playhead.teehistorian.physics.tables.state_table import WEAPONS, WHO
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

HOOKS = TableSchema.of(
    "hooks",
    "One row for each hook that a tee threw, in the order of their ends; those that last to the end of the "
    "recording are the last rows. Computed on the map.",
    Column("tick", TICK.type, "Tick of the throw.", TICK.unit),
    SECONDS,
    *WHO,
    Column(
        "end_tick",
        "int32",
        "First tick on which it neither flies nor holds; null if the recording ends before.",
        "ticks",
    ),
    Column("grab_tick", "int32", "Tick on which it grabbed; null if it did not.", "ticks"),
    Column("grabbed", "category", "wall or tee; null if it grabbed nothing."),
    Column("hooked_client", "int32", "Client id of the first tee that it grabbed; null if none."),
    Column("hooked_session", "int32", "Session of that tee; null if none."),
    version=2,
)
SHOTS = TableSchema.of(
    "shots",
    "One row for each shot, hammers and ninjas included. Computed on the map.",
    TICK,
    SECONDS,
    *WHO,
    Column("weapon", "category", "hammer, gun, shotgun, grenade, laser, ninja."),
    Column("x", "float64", "Where it begins: 21 units before the tee.", "units, 32 a tile"),
    Column("y", "float64", "Where it begins, downwards.", "units, 32 a tile"),
    Column("aim_x", "float64", "Aim from the tee, to the right.", "units, 32 a tile"),
    Column("aim_y", "float64", "Aim from the tee, downwards.", "units, 32 a tile"),
)
HITS = TableSchema.of(
    "hits",
    "One row for each tee that a shot hits or an explosion pushes, oneself included. Computed on the map.",
    TICK,
    SECONDS,
    *WHO,
    Column("weapon", "category", "hammer, gun, shotgun, grenade, laser, ninja."),
    Column("hit_client", "int32", "Client id of the tee that was hit."),
    Column("hit_session", "int32", "Its session; null where it is not known."),
)
FREEZES = TableSchema.of(
    "freezes",
    "One row for each time that a tee was frozen, in the order of their ends; those that last to the end of the "
    "recording are the last rows. Computed on the map.",
    Column("tick", TICK.type, "First tick of the freeze.", TICK.unit),
    SECONDS,
    *WHO,
    Column("end_tick", "int32", "First tick after it; null if the recording ends before.", "ticks"),
    Column("deep", "bool", "It was a deep freeze at some time."),
    Column(
        "end",
        "category",
        "over, thawed (by a tile, hammer or laser), or gone (the tee died or left); null if it lasts to the end.",
    ),
    version=2,
)
RUNS = TableSchema.of(
    "runs",
    "One row for each run, as the map's start and finish lines show it, for servers of every version. "
    "Computed on the map; table `runs` of the recording has what servers record since 18.3.",
    Column("tick", TICK.type, "Tick of the finish.", TICK.unit),
    SECONDS,
    Column("team", "int32", "DDRace team; 0 is no team, and everyone's before DDNet 15.6."),
    Column("clients", "list<int32>", "Client ids of those who finished together."),
    Column("sessions", "list<int32>", "Their sessions, in the same order."),
    Column("time_ticks", "int32", "From start to finish; null if the team loaded a save.", "ticks"),
    Column("time", "float64", "`time_ticks` in seconds.", "s"),
    Column("start_tick", "int32", "Tick the clock started; null if the team loaded a save.", "ticks"),
)
EVENT_TABLES = {schema.name: schema for schema in (HOOKS, SHOTS, HITS, FREEZES, RUNS)}


def build(name: str, events: Iterable[tuple[Any, ...]], session: Callable[[int], int]) -> pa.Table:
    """Return the rows of a table; `session` converts a holder, -1 if there is none."""
    schema = EVENT_TABLES[name]
    rows = [
        _ROWS[name](event, lambda holder: None if (found := session(holder)) < 0 else found) for event in events
    ]
    columns = {column: [row[place] for row in rows] for place, column in enumerate(schema.column_names)}
    return schema.build(columns)


_Session = Callable[[int], "int | None"]


def _head(event: tuple[Any, ...], session: _Session) -> tuple[Any, ...]:
    tick, holder, cid = event[1:4]
    number = session(holder)
    return tick, tick / TICKS_PER_SECOND, number, cid, number


def _hook(event: tuple[Any, ...], session: _Session) -> tuple[Any, ...]:
    end, grab, grabbed, holder = event[4:]
    tee = grabbed >= 0
    return (
        *_head(event, session),
        end,
        grab or None,
        ("tee" if tee else "wall") if grab else None,
        grabbed if tee else None,
        session(holder) if tee else None,
    )


def _shot(event: tuple[Any, ...], session: _Session) -> tuple[Any, ...]:
    weapon, *place = event[4:]
    return (*_head(event, session), WEAPONS[weapon], *map(float, place))


def _hit(event: tuple[Any, ...], session: _Session) -> tuple[Any, ...]:
    other, weapon, holder = event[4:]
    return (*_head(event, session), WEAPONS[weapon], other, session(holder))


def _freeze(event: tuple[Any, ...], session: _Session) -> tuple[Any, ...]:
    end, deep, how = event[4:]
    return (*_head(event, session), end, bool(deep), how)


def _run(event: tuple[Any, ...], session: _Session) -> tuple[Any, ...]:
    tick, team, clients, holders, start = event[1:]
    time = None if start is None else tick - start
    seconds = None if time is None else time / TICKS_PER_SECOND
    return tick, tick / TICKS_PER_SECOND, team, clients, [session(one) for one in holders], time, seconds, start


_ROWS = {"hooks": _hook, "shots": _shot, "hits": _hit, "freezes": _freeze, "runs": _run}
