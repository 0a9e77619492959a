from playhead.teehistorian.physics.arena.arena cimport Arena
from playhead.teehistorian.physics.arena.body cimport Body


cdef class Turret:
    cdef readonly float x, y
    cdef bint freezes, explodes
    cdef readonly int number
    cdef dict last
    cdef list act(self, Arena arena)


cdef class Plasma:
    cdef readonly float x, y
    cdef float dx, dy
    cdef bint freezes, explodes
    cdef readonly int cid, left, made
    cdef bint act(self, Arena arena) except -1
