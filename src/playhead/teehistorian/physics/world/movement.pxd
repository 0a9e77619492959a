from libc.math cimport atan2 as c_atan2

from playhead.teehistorian.physics.arena.arena cimport SLOTS, Arena
from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.arena.tiles cimport Tiles
from playhead.teehistorian.physics.arena.body cimport Tuning

cdef enum:
    RETRACTED = -1
    IDLE = 0
    RETRACT_END = 3
    FLYING = 4
    GRABBED = 5


cdef class Movement:
    cdef Arena arena
    cdef Tiles tiles
    cdef list tees
    cdef public bint hooks_return
    cdef float slid_x
    cdef float slid_y
    cdef float slid_vel_x
    cdef float slid_vel_y

    cdef int core(self, Body tee) except -1
    cdef int _hook(self, Body tee, float aim_x, float aim_y) except -1
    cdef int _through_teleporter(self, Body tee, float aim_x, float aim_y) except -1
    cdef int _drag(self, Body tee) except -1
    cdef int others(self, Body tee) except -1
    cdef float ramp(self, Body tee) noexcept
    cdef int move(self, Body tee) except -1
    cdef bint slide(self, Tuning tuning, float x, float y, float vel_x, float vel_y) noexcept
    cdef int _walk(self, Body tee, float new_x, float new_y) except -1
    cdef int quantize(self, Body tee) except -1
