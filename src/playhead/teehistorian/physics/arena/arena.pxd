from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.arena.tiles cimport CANT_DOWN, CANT_LEFT, CANT_RIGHT, CANT_UP, Tiles
from playhead.teehistorian.physics.arena.body cimport Tuning

cdef enum:
    SLOTS = 128
    SWITCHES = 32768  # 256 * SLOTS


cdef class Snapshot:
    cdef list _bodies
    cdef int[128] _order
    cdef int _count
    cdef int _tick
    cdef object _drawn
    cdef public list changed
    cdef public list shots
    cdef public list beams
    cdef public object entities


cdef class Arena:
    cdef readonly Tiles tiles
    cdef readonly list tees
    cdef readonly list tunings
    cdef public int tick
    cdef int now
    cdef int made
    cdef public int freeze_seconds
    cdef public list events
    cdef public dict exits
    cdef public dict checkpoint_exits
    cdef public list spawns
    cdef public object random
    cdef public set practice
    cdef set outside
    cdef public bint hits, endless_hook, keeps_hook, takes_weapons, old_hooks, old_shots, deep_hammer
    cdef int[128] order
    cdef readonly int count
    cdef int[128] present
    cdef int[128] doomed
    cdef int[128] recorded_x
    cdef int[128] recorded_y
    cdef unsigned char[32768] _off
    cdef list _changed
    cdef dict _timed
    cdef bint _switched
    cdef float clamped_x
    cdef float clamped_y
    cdef float met_x
    cdef float met_y

    cpdef int appear(self, int cid, int x, int y) except -1
    cpdef int enter(self, int cid) except -1
    cpdef int leave(self, int cid) except -1
    cpdef int vanish(self, int cid) except -1
    cpdef int doom(self, int cid) except -1
    cpdef int aim_for(self, int cid, int x, int y) except -1
    cdef int _sort(self) except -1
    cdef int save(self, Snapshot snapshot) except -1
    cpdef int forget(self) except -1
    cdef int undo(self, Snapshot snapshot) except -1
    cdef int restore(self, Snapshot snapshot) except -1
    cdef bint is_on(self, int number, int team) noexcept
    cdef int turn(self, int place, bint on, int end) except -1
    cdef int end_timers(self) except -1
    cdef int draw(self, Body tee, int count) except -1
    cdef bint apart(self, Body one, Body other) noexcept
    cdef int clamp(self, int restrictions, float x, float y) noexcept
    cdef int push(self, Body tee, float x, float y) except -1
    cdef int restrictions(self, Body tee, float x, float y, int centre) noexcept
    cdef bint stands(self, Body tee) noexcept
    cdef bint grounded(self, Body tee) noexcept
    cdef bint freeze(self, Body tee, int seconds) noexcept
    cpdef bint thaw(self, Body tee) noexcept
    cdef int release_hooked(self, int cid) except -1
    cdef int crossed(self, float x0, float y0, float x1, float y1, float radius, int spared, int owner) noexcept
    cdef int explode(self, float x, float y, int owner, bint once, int team) except -1
