from playhead.tables.int32_columns cimport Int32Columns
from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.world.world cimport GameWorld


cdef class StateRows:
    cdef readonly Int32Columns bodies, hooks
    cdef int add(self, GameWorld world) except -1
