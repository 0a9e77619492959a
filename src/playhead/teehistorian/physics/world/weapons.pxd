from playhead.teehistorian.physics.arena.arena cimport SLOTS, Arena
from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.arena.body cimport Tuning
from playhead.teehistorian.physics.world.shots cimport LaserBeams
from playhead.teehistorian.physics.world.movement cimport Movement
from playhead.teehistorian.physics.world.shots cimport FlyingShots


cdef class Weapons:
    cdef Arena arena
    cdef Movement movement
    cdef FlyingShots shots
    cdef LaserBeams lasers
    cdef list tees
    cdef public bint clamps_ninja

    cpdef int moving_input(
        self, int cid, int direction, int x, int y, int jump, int fire, int hook, int wanted
    ) except -1
    cpdef int early_input(self, int cid, int fire, int aim_x, int aim_y, int wanted, int next, int prev) except -1
    cdef int _switch_weapon(self, Body tee) except -1
    cdef int _take_queued(self, Body tee) except -1
    cdef int act(self, Body tee) except -1
    cdef int _fire(self, Body tee) except -1
    cdef int _hammer(self, Body tee, float x, float y) except -1
    cdef int _dash(self, Body tee) except -1


cdef inline int presses(int before, int now) noexcept:
    # Of a counter modulo 64, odd while pressed.
    cdef int found = 0
    before &= 63
    now &= 63
    while before != now:
        before = (before + 1) & 63
        if before & 1:
            found += 1
    return found
