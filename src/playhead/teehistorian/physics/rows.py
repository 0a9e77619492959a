"""`StateRows`: columns of numbers with a row for each tee and tick; `table` makes table ``physics`` of them."""

from __future__ import annotations

from playhead.runtime import cython
from playhead.tables.int32_columns import Int32Columns
from playhead.teehistorian.physics.body import Body
from playhead.teehistorian.physics.world import GameWorld

if cython.compiled:
    from cython.cimports.playhead.tables.int32_columns import Int32Columns
    from cython.cimports.playhead.teehistorian.physics.body import Body
    from cython.cimports.playhead.teehistorian.physics.single import rounded, single, whole
    from cython.cimports.playhead.teehistorian.physics.world import GameWorld
else:
    from playhead.teehistorian.physics.single import rounded, single, whole


@cython.final
@cython.cclass
class StateRows:
    """Three blocks of 13 columns, since blocks have that many."""

    def __init__(self) -> None:
        self.bodies = Int32Columns(13)
        self.hooks = Int32Columns(13)
        self.states = Int32Columns(13)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add(self, world: GameWorld) -> cython.int:
        """Append a row for each tee that is there."""
        place: cython.int
        tee: Body
        other: Body
        hooked: cython.int
        left: cython.int
        hook: cython.int
        for place in range(world.count):
            tee = world.tees[world.present[place]]
            left = 0 if tee.jumped & 2 else tee.jumps - 1 - tee.jumped_total
            if left < 0:
                left = 0
            hook = tee.hook_state
            hook = 4 if hook < 0 else 0 if hook == 0 else 3 if hook < 4 else hook - 3
            hooked = -1
            if tee.hooked >= 0:
                other = world.tees[tee.hooked]
                hooked = other.holder
            put(
                self.bodies,
                world.tick,
                tee.holder,
                tee.cid,
                whole(tee.x),
                whole(tee.y),
                rounded(single(tee.vel_x * 256)),
                rounded(single(tee.vel_y * 256)),
                tee.grounded,
                tee.events & 1,
                left,
                tee.direction,
                tee.angle,
                tee.outcome,
            )
            put(
                self.hooks,
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
            )
            put(
                self.states,
                tee.tele_checkpoint,
                tee.known,
                tee.jumped,
                rounded(single(tee.hook_dx * 256)),
                rounded(single(tee.hook_dy * 256)),
                tee.hooked,
                tee.hook_state,
                tee.team,
                0,
                0,
                0,
                0,
                0,
            )
        return 0


@cython.cfunc
@cython.inline
@cython.exceptval(-1, check=False)
def put(
    columns: Int32Columns,
    a: cython.int,
    b: cython.int,
    c: cython.int,
    d: cython.int,
    e: cython.int,
    f: cython.int,
    g: cython.int,
    h: cython.int,
    i: cython.int,
    j: cython.int,
    k: cython.int,
    n: cython.int,
    m: cython.int,
) -> cython.int:
    """Append a row of 13 numbers."""
    if cython.compiled:
        row: cython.Py_ssize_t = add_row(columns)
        columns._data[0][row] = a
        columns._data[1][row] = b
        columns._data[2][row] = c
        columns._data[3][row] = d
        columns._data[4][row] = e
        columns._data[5][row] = f
        columns._data[6][row] = g
        columns._data[7][row] = h
        columns._data[8][row] = i
        columns._data[9][row] = j
        columns._data[10][row] = k
        columns._data[11][row] = n
        columns._data[12][row] = m
    else:
        columns.append([a, b, c, d, e, f, g, h, i, j, k, n, m])
    return 0
