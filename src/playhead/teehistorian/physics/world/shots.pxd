from playhead.teehistorian.physics.arena.arena cimport Arena, Snapshot
from playhead.teehistorian.physics.arena.body cimport Body, Tuning
from playhead.teehistorian.physics.arena.tiles cimport Tiles

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


cdef class Projectile:
    cdef readonly int kind, owner, aim_x, aim_y
    cdef public int start, life, zone, freezes, explodes, bounces, number
    cdef public float x, y, dx, dy
    cdef Projectile copy(self)


cdef class FlyingShots:
    cdef Arena arena
    cdef Tiles tiles
    cdef list tees
    cdef readonly list projectiles
    cdef public bint outlive
    cdef float _x
    cdef float _y

    cdef int save(self, Snapshot snapshot) except -1
    cdef int restore(self, Snapshot snapshot) except -1
    cdef int act(self) except -1
    cdef int launch(self, Body tee, float x, float y, float dx, float dy) except -1
    cdef int _at(self, Projectile one, int ticks) noexcept
    cdef bint _clipped(self, float x, float y) noexcept
    cdef bint _fly(self, Projectile one) except -1
    cdef int _freeze_at(self, Projectile one, float x, float y) except -1
    cdef int _teleport(
        self, Projectile one, Body shooter, float at_x, float at_y, bint met, int wall, float free_x, float free_y
    ) except -1
