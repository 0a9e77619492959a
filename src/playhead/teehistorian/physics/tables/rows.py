"""`StateRows`: columns of numbers with a row for each tee and tick; `table` makes table ``physics`` of them."""

from __future__ import annotations

from playhead.runtime import cython
from playhead.tables.int32_columns import Int32Columns
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.world.world import GameWorld

if cython.compiled:
    from cython.cimports.playhead.tables.int32_columns import Int32Columns
    from cython.cimports.playhead.teehistorian.physics.arena.body import Body
    from cython.cimports.playhead.teehistorian.physics.arena.single import steps, whole
    from cython.cimports.playhead.teehistorian.physics.world.world import GameWorld
else:
    from playhead.teehistorian.physics.arena.single import steps, whole


@cython.final
@cython.cclass
class StateRows:
    """Two blocks of columns, since a block has at most `MAX_WIDTH`."""

    def __init__(self) -> None:
        self.bodies = Int32Columns(14)
        self.hooks = Int32Columns(14)

    def add(self, world: GameWorld) -> cython.int:
        """Append a row for each tee that is there."""
        place: cython.int
        for place in range(world.count):
            tee: Body = world.tees[world.present[place]]
            left: cython.int = 0 if tee.jumped & 2 else tee.jumps - 1 - tee.jumped_total
            if left < 0:
                left = 0
            hook: cython.int = tee.hook_state
            hook = 4 if hook < 0 else 0 if hook == 0 else 3 if hook < 4 else hook - 3
            hooked: cython.int = -1
            if tee.hooked >= 0:
                other: Body = world.tees[tee.hooked]
                hooked = other.holder
            body: cython.int[14] = [
                world.tick,
                tee.holder,
                tee.cid,
                whole(tee.x),
                whole(tee.y),
                steps(tee.vel_x),
                steps(tee.vel_y),
                tee.grounded,
                tee.events & 1,
                left,
                tee.direction,
                tee.angle,
                tee.outcome,
                tee.known and not tee.unsure and not tee.old_hook,
            ]
            self.bodies.append(body)
            rest: cython.int[14] = [
                hook,
                whole(tee.hook_x),
                whole(tee.hook_y),
                hooked,
                tee.hook_ticks,
                tee.weapon,
                tee.reload,
                max(0, tee.ninja_start + 751 - world.tick) if tee.weapon == 5 else 0,
                tee.freeze_ticks,
                tee.deep,
                tee.live,
                tee.solo,
                tee.tune_zone,
                tee.tele_checkpoint,
            ]
            self.hooks.append(rest)
        return 0
