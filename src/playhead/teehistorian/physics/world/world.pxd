from playhead.teehistorian.physics.arena.arena cimport SLOTS, Arena, Snapshot
from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.arena.tiles cimport CANT_DOWN, Tiles
from playhead.teehistorian.physics.world.entities cimport Entities
from playhead.teehistorian.physics.world.movement cimport Movement
from playhead.teehistorian.physics.world.shots cimport FlyingShots, LaserBeams
from playhead.teehistorian.physics.world.weapons cimport Weapons

cdef class TileRules:
    cdef Arena arena
    cdef Tiles tiles
    cdef Movement movement

    cdef int act(self, Body tee) except -1
    cdef int _tiles_between(self, Body tee, int here) except -1
    cdef int _speedup(self, Body tee, int cell) except -1
    cdef int _tile(self, Body tee, int cell) except -1
    cdef int _teleguns(self, Body tee, int tile, int front) except -1
    cdef int _switch(self, Body tee, int cell) except -1
    cdef int _teleport(self, Body tee, int cell) except -1


cdef enum:
    MOST_KEPT = 13  # states that `keep` keeps: ages of `GivenInputs` whose stories may change


cdef class GameWorld(Arena):
    cdef readonly Movement movement
    cdef TileRules rules
    cdef readonly Weapons weapons
    cdef readonly FlyingShots shots
    cdef readonly LaserBeams lasers
    cdef readonly Entities entities
    cdef public bint strong_hooks, rescues
    cdef public dict leaving
    cdef readonly dict pauses

    cdef list _history
    cdef list _spare

    cpdef int keep(self) except -1
    cdef int kept(self) noexcept
    cpdef int go_back(self, int ticks) except -1
    cdef int forget_history(self) except -1
    cpdef int step(self) except -1
    cdef int follow_pauses(self) except -1
    cpdef int rest(self, int tick) except -1
    cdef int _before_core(self, Body tee) except -1
    cdef bint _is_safe(self, Body tee) noexcept
