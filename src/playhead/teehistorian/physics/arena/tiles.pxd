from libc.math cimport ceilf, fabsf

from playhead.teehistorian.physics.arena.single cimport length, ratio, rounded, single, whole

cdef enum:
    CANT_LEFT = 1
    CANT_RIGHT = 2
    CANT_UP = 4
    CANT_DOWN = 8


cdef class Tiles:
    cdef readonly int width
    cdef readonly int height
    cdef dict _kept
    cdef const unsigned char* wall
    cdef const unsigned char* walls
    cdef const unsigned char* near_wall
    cdef const unsigned char* near_stopper
    cdef const unsigned char* near_death
    cdef const unsigned char* game
    cdef const unsigned char* game_flags
    cdef const unsigned char* front
    cdef const unsigned char* front_flags
    cdef const unsigned char* special
    cdef const unsigned char* tele
    cdef const unsigned char* tele_number
    cdef const unsigned char* speedup_force
    cdef const unsigned char* speedup_most
    cdef const unsigned char* speedup_type
    cdef const short* speedup_angle
    cdef const unsigned char* switch
    cdef const unsigned char* switch_number
    cdef const unsigned char* switch_delay
    cdef const unsigned char* tune
    cdef const unsigned char* door
    cdef const unsigned char* door_number
    cdef readonly bint has_stoppers
    cdef readonly bint has_specials
    cdef readonly bint has_hook_walls
    cdef readonly bint has_doors
    cdef readonly bint has_race
    cdef readonly bint has_deaths
    cdef float hit_x
    cdef float hit_y
    cdef float last_x
    cdef float last_y
    cdef float air_x
    cdef float air_y
    cdef int hook_number

    cdef int cell(self, int x, int y) noexcept
    cdef int tile_at(self, float x, float y) noexcept
    cdef bint solid(self, float x, float y) noexcept
    cdef bint box(self, float x, float y) noexcept
    cdef int hook_line(self, float x0, float y0, float x1, float y1, bint old) noexcept
    cdef int restrictions(self, float x, float y, float distance, int centre) noexcept
    cdef int through(self, int cell, int off_cell, float x0, float y0, float x1, float y1) noexcept
    cdef int blocks_hook(self, int cell, float x0, float y0, float x1, float y1) noexcept
    cdef int stops(self, int tile, int flags, int side) noexcept
    cdef int shot_line(self, float x0, float y0, float x1, float y1, int teleporters) noexcept
    cdef int light_line(self, float x0, float y0, float x1, float y1, bint walls) noexcept
    cdef bint air_near(self, float x, float y, float old_x, float old_y) noexcept
    cdef bint air_above(self, float x, float y) noexcept
    cdef int beside(self, float x, float y, float distance, int side) noexcept
    cdef bint kills(self, float x, float y) noexcept
    cpdef int race(self, float x, float y) noexcept
    cdef int zone(self, float x, float y) noexcept
    cdef int telegun(self, int cell, int kind) noexcept
