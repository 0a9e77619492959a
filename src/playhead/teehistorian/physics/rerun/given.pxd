from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.world.world cimport SLOTS, GameWorld
from playhead.teehistorian.stream.ticks cimport INPUT_LENGTH
from playhead.teehistorian.stream.ticks cimport InputTracker

cdef enum:
    AGES = 16  # ticks that are kept, the next one included
    KEPT = 64  # inputs of a client in one section, as after a stall of a second; further ones replace the last
    CELLS = 2048  # AGES * SLOTS
    CHATS = 4  # bits of a player's flags
    CAMERA = 32
    SHOWN = 31
    VALUES = 1331200  # CELLS * (1 + KEPT) * INPUT_LENGTH


cdef class GivenInputs:
    cdef bint _repeats, _one_input, _pause_resets, _camera_cuts
    cdef int _now
    cdef int[CELLS] _count
    cdef int[AGES] _most  # inputs of the client with most of them, by tick
    cdef bint[CELLS] _other
    cdef bint[CELLS] _known
    cdef int *_values  # of their own: pages that nobody writes take no memory

    cdef int append(self, int cid, InputTracker inputs) except -1
    cdef int give(self, GameWorld world, int age, int slots) except -1
    cdef int cell(self, int age, int cid) noexcept
    cdef int _place(self, int cell, int number) noexcept
    cdef int _early(self, GameWorld world, Body tee, int place) except -1
    cdef int _moves(self, GameWorld world, Body tee, int place, int flags) except -1
    cdef int spawn(self, Body tee) except -1
    cdef int count(self, int cid) noexcept
    cdef bint is_open(self, int age, int cid) noexcept
    cdef int may_be_other(self, int cid) noexcept
    cdef bint is_kept(self, Body tee) noexcept
    cdef int late(self, int age) noexcept
    cdef bint likely_other(self, int cid, int inputs) noexcept
    cdef bint chosen(self, int age, int cid) noexcept
    cdef int choose(self, int age, int cid, bint other) noexcept
    cdef int advance(self, int slots) noexcept
