"""Table ``physics``: the simulated state of every tee on every tick."""

from __future__ import annotations

from typing import Any

from playhead.runtime.libraries import pa, pc
from playhead.tables import Column, TableSchema
from playhead.tables.arrow import by_chunk, category, null_below_zero
from playhead.tables.shared import SECONDS, TICK
from playhead.tables.value_arrays import scalar_of
from playhead.teehistorian.physics.tables.rows import StateRows
from playhead.teehistorian.state.holders import Holders

_HOOKS = ("idle", "flying", "grabbed", "retracting", "retracted")
WEAPONS = ("hammer", "gun", "shotgun", "grenade", "laser", "ninja")
_STEPS = 1 / 256
#: Columns of a table about a tee.
WHO = (
    Column("session", "int32", "Number of the connection, as in `sessions`; null where it is not known."),
    Column("client", "int32", "Client id: the player's slot on the server, reused after it leaves."),
    Column("player", "int32", "As `session`."),
)

PHYSICS = TableSchema.of(
    "physics",
    "One row for each tee and tick: its recorded position, and the simulated state at the end of the tick. "
    "Needs the map (`replay.simulate(map=…)`); not among the tables of a recording itself.",
    TICK,
    SECONDS,
    *WHO,
    Column("x", "float64", "Recorded position, to the right.", "units, 32 a tile"),
    Column("y", "float64", "Recorded position, downwards.", "units, 32 a tile"),
    Column("vel_x", "float64", "Velocity, in steps of 1/256.", "units/tick"),
    Column("vel_y", "float64", "Velocity, in steps of 1/256.", "units/tick"),
    Column("grounded", "bool", "There was ground below the tee at the start of the tick."),
    Column("jumped_ground", "bool", "The tee jumped from the ground on this tick."),
    Column("air_jumps_left", "int32", "Jumps left before it touches the ground again."),
    Column("direction", "int32", "Direction of movement: -1 left, 0, 1 right; 0 while frozen."),
    Column("angle", "float64", "Aim, clockwise from the right, in steps of 1/256.", "radians"),
    Column("hook", "category", "idle, flying, grabbed, retracting, or retracted (until the key is released)."),
    Column("hook_x", "float64", "End of the hook; the tee's position while idle.", "units, 32 a tile"),
    Column("hook_y", "float64", "End of the hook; the tee's position while idle.", "units, 32 a tile"),
    Column("hooked_session", "int32", "Session of the hooked tee; null if none is."),
    Column("hook_ticks", "int32", "Ticks since the hook grabbed; a tee is let go after 60.", "ticks"),
    Column("weapon", "category", "hammer, gun, shotgun, grenade, laser, ninja."),
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
        "without a hook, was predicted.",
    ),
)


def take_rows(rows: StateRows, holders: Holders) -> pa.Table:
    """Return the rows since the last call, and empty the columns."""
    tick, holder, client, x, y, vel_x, vel_y, grounded, jumped, air, direction, angle, exact, known = (
        rows.bodies.to_arrow()
    )
    hook, hook_x, hook_y, hooked, hook_ticks, weapon, reload, ninja, freeze, deep, live, solo, zone, checkpoint = (
        rows.hooks.to_arrow()
    )

    def wide(column: Any) -> Any:
        return pc.cast(column, pa.float64())

    def parts(column: Any) -> Any:
        return pc.multiply(wide(column), scalar_of(_STEPS, pa.float64()))

    def flag(column: Any) -> Any:
        return by_chunk(column, lambda chunk: chunk.cast("bool"), pa.bool_())

    session = holders.sessions(holder)
    columns = {
        "tick": tick,
        "seconds": pc.divide(wide(tick), scalar_of(50.0, pa.float64())),
        "session": session,
        "client": client,
        "player": session,
        "x": wide(x),
        "y": wide(y),
        "vel_x": parts(vel_x),
        "vel_y": parts(vel_y),
        "grounded": flag(grounded),
        "jumped_ground": flag(jumped),
        "air_jumps_left": air,
        "direction": direction,
        "angle": parts(angle),
        "hook": category(hook, _HOOKS),
        "hook_x": wide(hook_x),
        "hook_y": wide(hook_y),
        "hooked_session": holders.sessions(hooked),
        "hook_ticks": hook_ticks,
        "weapon": category(weapon, WEAPONS),
        "reload_ticks": reload,
        "ninja_ticks": ninja,
        "freeze_ticks": freeze,
        "deep_frozen": flag(deep),
        "live_frozen": flag(live),
        "solo": flag(solo),
        "tune_zone": zone,
        "tele_checkpoint": checkpoint,
        "exact": flag(null_below_zero(pc.if_else(pc.equal(exact, scalar_of(2, pa.int32())), _no(pa), exact))),
        "known": flag(known),
    }
    return PHYSICS.build(columns)


def _no(pa: Any) -> Any:
    return scalar_of(-1, pa.int32())
