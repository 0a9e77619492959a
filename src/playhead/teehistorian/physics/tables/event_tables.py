"""Tables of a simulation: state at every tick, rows of hooks, shots, hits, freezes, runs, deaths and kills."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from playhead.runtime.libraries import cast_array, pa, pc
from playhead.tables import Column, TableSchema
from playhead.tables.arrow import by_chunk, category, float32_of, null_below_zero
from playhead.tables.column_buffers import float64_of
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.physics.tables.lives import KILL_TICKS
from playhead.teehistorian.physics.tables.notes import StateRows
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, WEAPONS, seconds_or_none

_HOOKS = ("idle", "flying", "grabbed", "retracting", "retracted")
#: Steps of a velocity in a map unit, and of an angle in a radian.
_STEPS = 256

PHYSICS = TableSchema.of(
    "physics",
    "One row for each tee and tick: its recorded position, and the simulated state at the end of the tick. "
    "Needs the map (`replay.simulate(map=…)`); not among the tables of a recording itself.",
    *words("tick seconds player client"),
    word("x", "The recorded one."),
    word("y", "The recorded one."),
    word("velocity_x", "In steps of 50/256."),
    word("velocity_y", "In steps of 50/256."),
    Column("grounded", "bool", "There was ground below the tee at the start of the tick."),
    Column("jumped_ground", "bool", "The tee jumped from the ground on this tick."),
    Column("air_jumps_left", "int32", "Jumps left before it touches the ground again."),
    word("direction", "0 while frozen."),
    Column("angle", "float32", "Aim, clockwise from the right.", "°"),
    Column(
        "hook_state", "category", "idle, flying, grabbed, retracting, or retracted (until the key is released)."
    ),
    Column("hook_x", "float32", "End of the hook; the tee's position while idle.", "map units"),
    Column("hook_y", "float32", "End of the hook; the tee's position while idle.", "map units"),
    Column("hooked_player", "int32", "`player` whose tee is hooked; null if none is."),
    Column("hook_ticks", "int32", "Ticks since the hook grabbed; a tee is let go after 60.", "ticks"),
    word("weapon", f"{', '.join(WEAPONS)}."),
    Column("reload_ticks", "int32", "Ticks until the next shot.", "ticks"),
    Column("ninja_ticks", "int32", "Ticks of ninja left.", "ticks"),
    Column("freeze_ticks", "int32", "Ticks of freeze left.", "ticks"),
    Column("deep_frozen", "bool", "Freeze begins again until a tile ends it."),
    Column("live_frozen", "bool", "The tee cannot move; it can hook and shoot."),
    Column("solo", "bool", "The tee touches no others."),
    Column("tune_zone", "int32", "Number of the tune zone; 0 outside."),
    Column("tele_checkpoint", "int32", "Number of the last checkpoint of teleporters; 0 for none."),
    Column("exact", "bool", "The position was predicted; null on the tick of a spawn."),
    Column(
        "known",
        "bool",
        "The state is certain: every position since the spawn, or since the tee last stood still on ground "
        "without a hook, was predicted, and no input that the recording may lack leads to another state.",
    ),
    group="series",
)


def take_rows(rows: StateRows) -> pa.Table:
    """Return the rows since the last call, and empty the columns."""
    bodies, hooks = rows.bodies.to_arrow(), rows.hooks.to_arrow()
    names = [name for name in PHYSICS.column_names if name != "seconds"]
    columns = dict(zip(names, [*bodies[:12], *hooks, *bodies[12:]], strict=True))

    def flag(column: Any) -> Any:
        return by_chunk(column, lambda chunk: cast_array(chunk, pa.bool_()), pa.bool_())

    def parts(column: Any, of_one: float = TICKS_PER_SECOND) -> Any:
        return cast_array(float64_of(column, _STEPS / of_one), pa.float32())

    exact = pc.equal(columns["exact"], scalar_of(2, pa.int32()))
    columns["exact"] = null_below_zero(pc.if_else(exact, scalar_of(-1, pa.int32()), columns["exact"]))
    columns |= {
        "seconds": float64_of(columns["tick"], TICKS_PER_SECOND),
        "angle": parts(columns["angle"], math.degrees(1)),
        "hook_state": category(columns["hook_state"], _HOOKS),
        "weapon": category(columns["weapon"], WEAPONS),
    }
    for make, made in (
        (null_below_zero, "player hooked_player"),
        (float32_of, "x y hook_x hook_y"),
        (parts, "velocity_x velocity_y"),
        (flag, "grounded jumped_ground deep_frozen live_frozen solo exact known"),
    ):
        columns |= {name: make(columns[name]) for name in made.split()}
    return PHYSICS.build(columns)


_KILL_SECONDS = KILL_TICKS // TICKS_PER_SECOND
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
DEATHS = TableSchema.of(
    "deaths",
    "One row for each tee that died or left the game. Computed on the map.",
    *words("tick seconds player client"),
    word(
        "reason",
        "tile (a death tile), outside (far from the map), kill (the player asked for it), team (with its team), "
        "left (the player left the server), spectators (the player went there); null if none of these is known.",
    ),
    word("team", "0 is no team."),
    word("x", "Its last place."),
    word("y", "Its last place."),
    word("attacker_player", f"The last who hooked or hit it, at most {_KILL_SECONDS} s before."),
    word("attacker_client", "The client id of the attacker."),
    word("weapon", f"That of the attacker: {', '.join(WEAPONS)}, or hook."),
    Column("touch_tick", "int32", "The last tick on which the attacker hooked or hit it.", "ticks"),
)
KILLS = TableSchema.of(
    "kills",
    f"One row for each death whose tee another player hooked or hit at most {_KILL_SECONDS} s before: this is a "
    "conclusion, because the game has no kills. Computed on the map.",
    word("tick", "That of the death."),
    *words("seconds attacker_player attacker_client victim_player victim_client"),
    word("weapon", f"The last with which the attacker touched the victim: {', '.join(WEAPONS)}, or hook."),
    Column("touch_tick", "int32", "The last tick on which the attacker hooked or hit it.", "ticks"),
    word("reason", "As in table `deaths`."),
    word("x", "The last place of the victim."),
    word("y", "The last place of the victim."),
)
EVENT_TABLES = {schema.name: schema for schema in (HOOKS, SHOTS, HITS, FREEZES, RACES, DEATHS, KILLS)}


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


def _death(event: tuple[Any, ...]) -> tuple[Any, ...]:
    reason, team, x, y, touched = event[4:]
    tick, cid, holder, weapon = touched or (None, None, -1, None)
    return (*_head(event), reason or None, team, x, y, _player(holder), cid, weapon, tick)


def _kill(event: tuple[Any, ...]) -> tuple[Any, ...]:
    tick, seconds, player, client = _head(event)
    reason, _, x, y, (touched, cid, holder, weapon) = event[4:]
    return tick, seconds, _player(holder), cid, player, client, weapon, touched, reason or None, x, y


_ROWS: dict[str, Callable[[tuple[Any, ...]], tuple[Any, ...]]] = {
    "hooks": _hook,
    "shots": _shot,
    "hits": _hit,
    "freezes": _freeze,
    "races": _race,
    "deaths": _death,
    "kills": _kill,
}
