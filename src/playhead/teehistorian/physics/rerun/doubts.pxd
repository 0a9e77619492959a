from playhead.teehistorian.physics.rerun.given cimport GivenInputs
from playhead.teehistorian.physics.rerun.prediction cimport Prediction
from playhead.teehistorian.physics.world.movement cimport FLYING
from playhead.teehistorian.physics.world.world cimport GameWorld

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
