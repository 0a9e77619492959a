from playhead.tables.column_buffers cimport Int32Columns
from playhead.teehistorian.physics.arena.arena cimport SLOTS
from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.arena.tiles cimport Tiles
from playhead.teehistorian.physics.world.world cimport GameWorld


cdef class EventNotes:
    cdef GameWorld _world
    cdef public list events
    cdef public object race
    cdef public object deaths
    cdef int[128] _hook_start
    cdef int[128] _grab_tick
    cdef int[128] _grabbed
    cdef int[128] _freeze_start
    cdef int[128] _freeze_left
    cdef bint[128] _was_deep

    cdef int note(self) except -1
    cdef int _touch(self, Body tee) except -1
    cdef int end(self, int cid) except -1
    cdef int finish(self) except -1
    cdef int _holder_of(self, int cid) noexcept
    cdef int _end_hook(self, int cid, int tick) except -1
    cdef int _end_freeze(self, int cid, int tick, str end) except -1


cdef class StateRows:
    cdef readonly Int32Columns bodies, hooks
    cdef int add(self, GameWorld world) except -1
