from playhead.teehistorian.physics.arena.arena cimport SLOTS, Arena
from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.arena.tiles cimport CANT_DOWN, Tiles
from playhead.teehistorian.physics.world.movement cimport Movement


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
