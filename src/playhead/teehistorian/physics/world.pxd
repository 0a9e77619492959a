from libc.math cimport atan2 as c_atan2

from playhead.teehistorian.physics.body cimport Body
from playhead.teehistorian.physics.tiles cimport CANT_DOWN, CANT_LEFT, CANT_RIGHT, CANT_UP, Tiles
from playhead.teehistorian.physics.tuning cimport Tuning

cdef enum:
    SLOTS = 128
    RETRACTED = -1
    IDLE = 0
    RETRACT_END = 3
    FLYING = 4
    GRABBED = 5


cdef class GameWorld:
    cdef readonly Tiles tiles
    cdef readonly list tees
    cdef readonly list tunings
    cdef list _former
    cdef public int tick
    cdef public bint strong_hooks
    cdef public bint old_pause
    cdef public int freeze_seconds
    cdef int[128] order
    cdef int count
    cdef int[128] present
    cdef int[128] doomed
    cdef int[128] _former_order
    cdef int _former_count
    cdef int _former_tick
    cdef public list hits
    cdef public dict leaving
    cdef public dict exits
    cdef public dict checkpoint_exits
    cdef int[128] recorded_x
    cdef int[128] recorded_y
    cdef float _clamped_x
    cdef float _clamped_y

    cpdef int appear(self, int cid, int x, int y) except -1
    cpdef int vanish(self, int cid) except -1
    cpdef int doom(self, int cid) except -1
    cdef int _sort(self) except -1
    cpdef int save(self) except -1
    cpdef int restore(self) except -1
    cpdef int step(self) except -1
    cdef int _before_core(self, Body tee) except -1
    cdef int _core(self, Body tee) except -1
    cdef int _hook(self, Body tee, float aim_x, float aim_y) except -1
    cdef int _drag(self, Body tee) except -1
    cdef int _others(self, Body tee) except -1
    cdef int _move(self, Body tee) except -1
    cdef int _walk(self, Body tee, float new_x, float new_y) except -1
    cdef int _quantize(self, Body tee) except -1
    cdef int _after_core(self, Body tee) except -1
    cdef int _tiles_between(self, Body tee) except -1
    cdef int _speedup(self, Body tee, int cell) except -1
    cdef int _tile(self, Body tee, int cell) except -1
    cdef bint _freeze(self, Body tee, int seconds) noexcept
    cdef bint _thaw(self, Body tee) noexcept
    cdef int _weapons(self, Body tee) except -1
    cdef int _take_queued(self, Body tee) except -1
    cdef int _switch_weapon(self, Body tee) except -1
    cpdef int early_input(self, int cid, int fire, int aim_x, int aim_y, int wanted, int next, int prev) except -1
    cpdef int moving_input(
        self, int cid, int direction, int x, int y, int jump, int fire, int hook, int wanted
    ) except -1
    cdef int _fire(self, Body tee) except -1
    cdef int _hammer(self, Body tee, float x, float y) except -1
    cdef int _push(self, Body tee, float x, float y) except -1
    cdef int _clamp(self, int restrictions, float x, float y) noexcept
    cdef int _teleport(self, Body tee, int cell) except -1
    cpdef int aim_for(self, int cid, int x, int y) except -1
    cdef bint _apart(self, Body one, Body other) noexcept


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
