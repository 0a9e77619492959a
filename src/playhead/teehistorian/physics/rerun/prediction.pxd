from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.rerun.given cimport CELLS, GivenInputs
from playhead.teehistorian.physics.world.movement cimport FLYING
from playhead.teehistorian.physics.world.world cimport MOST_KEPT, SLOTS, GameWorld

cdef enum:
    NEIGHBOURS = 3  # other tees whose inputs are tried for a position that differs


cdef class Prediction:
    cdef GameWorld _world
    cdef GivenInputs _given
    cdef int[CELLS] _recorded_x
    cdef int[CELLS] _recorded_y
    cdef int[128] _miss
    cdef int[128] _former_miss
    cdef int[128] _start_x
    cdef int[128] _start_y
    cdef bint[128] _landed
    cdef bint[128] _turned
    cdef bint[128] _teleported  # by a command of its player
    cdef bint[128] checked
    cdef bint[128] gone
    cdef bint[128] wrong
    cdef int slots  # above the highest client id so far
    cdef bint searches
    cdef bint _jumps
    cdef int tick
    cdef readonly long long guessed
    cdef object _alternatives
    cdef Py_ssize_t _next_chosen

    cdef int expect(self, int cid, int x, int y) except -1
    cdef bint predict(self) except -1
    cdef bint ends(self) noexcept
    cdef int probe(self) except -1
    cdef int settle(self) except -1
    cdef int advance(self) except -1
    cdef int _settle_tick(self, int age) except -1
    cdef int _follow(self) except -1
    cdef int _expect_late(self) except -1
    cdef int _attempt(self, int age) except -1
    cdef int compare(self, int age) noexcept
    cdef int _land(self) except -1
    cdef int _doubt_landings(self) except -1
    cdef int _guess(self) except -1
    cdef int _turn_back(self, int cid) except -1
    cdef int _retry(self) except -1
    cdef int _search(self) except -1
    cdef bint _explains(self, int cid, int age, int before) except -1
    cdef int again(self, int age, bint checks) except -2


cdef class Recovery:
    cdef bint[128] open
    cdef float[256] _least
    cdef float[256] _most

    cdef int close(self, int cid) noexcept
    cdef int follow(self, Body tee, int moved_x, int moved_y) except -1
    cdef int correct(self, Body tee, int moved_x, int moved_y) except -1
    cdef int _narrow(self, int place, float predicted, int moved, float ramp) noexcept
    cdef float _along(self, int place, float predicted, int moved, float ramp, bint known) noexcept


cdef enum:
    LATER = 10  # ticks after which positions have had their chance to decide, fewer than `MOST_KEPT`
    REFUTED = 0  # what a look at another input finds
    EQUAL = 1
    HOOK = 2
    OPEN = 3
    HOOK_LAUNCH = 4


cdef class Doubts:
    cdef Prediction _prediction
    cdef GameWorld _world
    cdef GivenInputs _given
    cdef bint _searches
    cdef object _doubts
    cdef Py_ssize_t _next
    cdef list _pending
    cdef list _former

    cdef int look(self, bint exact, bint last) except -1
    cdef int settle(self) except -1
    cdef int _decide(self, int begun, int cid, bint ends) except -1
    cdef int _other(self, int cid, int age) except -1
    cdef int _follow(self) except -1
