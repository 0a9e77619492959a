from playhead.teehistorian.physics.arena.arena cimport SLOTS, Arena, Snapshot
from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.arena.tiles cimport Tiles
from playhead.teehistorian.physics.world.shots cimport Beam, LaserBeams
from playhead.teehistorian.physics.world.shots cimport FlyingShots, Projectile

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


cdef class Light:
    cdef readonly float x, y, to_x, to_y
    cdef float angle, turn
    cdef int reach, speed, now, over
    cdef readonly int number
    cdef int act(self, Arena arena) except -1
    cdef int _turn(self, Tiles tiles) except -1


cdef class Dragger:
    cdef readonly float x, y
    cdef int strength
    cdef bint through
    cdef readonly int number
    cdef readonly list pulled
    cdef dict targets
    cdef bint _reaches(self, Arena arena, Body other) except -1
    cdef int pull(self, Arena arena, int cid, bint look) except -1
    cdef int look(self, Arena arena, list beams) except -1


cdef class Entities:
    cdef Arena arena
    cdef Tiles tiles
    cdef FlyingShots shots
    cdef LaserBeams lasers
    cdef readonly dict pickups
    cdef readonly list things
    cdef readonly list plasma
    cdef list _beams
    cdef bytes _here
    cdef bytes _near

    cdef int save(self, Snapshot snapshot) except -1
    cdef int restore(self, Snapshot snapshot) except -1
    cdef int act(self) except -1
    cdef int _act_rays(self, bint look) except -1
    cdef int _pick_up(self, Body tee) except -1
    cdef int _give(self, Body tee, int kind) except -1
    cdef int _end_ninja(self, Body tee) except -1
