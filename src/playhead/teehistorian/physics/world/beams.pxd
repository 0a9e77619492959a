from playhead.teehistorian.physics.arena.arena cimport Arena, Snapshot
from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.arena.tiles cimport Tiles
from playhead.teehistorian.physics.arena.tuning cimport Tuning


cdef class Beam:
    cdef readonly int kind, owner, made
    cdef public int seen, bounces, was_tele, zero, cancelled, blue, zone
    cdef public float x, y, dx, dy, from_x, from_y, tele_x, tele_y, energy
    cdef Beam copy(self)


cdef class LaserBeams:
    cdef Arena arena
    cdef Tiles tiles
    cdef list tees
    cdef readonly list beams
    cdef public bint old

    cdef int save(self, Snapshot snapshot) except -1
    cdef int restore(self, Snapshot snapshot) except -1
    cdef bint act(self, Beam beam) except -1
    cdef int shoot(self, Body tee, float dx, float dy) except -1
    cdef int _bounce(self, Beam one) except -1
    cdef int _reflect(self, Beam one) except -1
    cdef bint _hit(self, Beam one, float begin_x, float begin_y, float to_x, float to_y) except -1
    cdef int _carry(self, Beam one, float tile_x, float tile_y, float to_x, float to_y, bint hits_self) except -1
