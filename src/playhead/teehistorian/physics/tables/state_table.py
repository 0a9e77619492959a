"""Table ``physics``: the simulated state of every tee on every tick."""

from __future__ import annotations

import math
from typing import Any

from playhead.runtime.libraries import cast_array, pa, pc
from playhead.tables import Column, TableSchema
from playhead.tables.arrow import by_chunk, category, float32_of, null_below_zero
from playhead.tables.column_buffers import float64_of
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.physics.tables.notes import StateRows
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, WEAPONS

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
