from playhead.teehistorian.physics.arena.arena cimport Arena, Snapshot
from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.arena.tiles cimport Tiles
from playhead.teehistorian.physics.arena.tuning cimport Tuning


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
