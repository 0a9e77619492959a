from playhead.teehistorian.stream.int32 cimport add_int32
from playhead.teehistorian.stream.tick_messages cimport INPUT_LENGTH, MAX_CLIENTS


cdef enum:
    INPUT_VALUES = 1280  # of all slots: MAX_CLIENTS times INPUT_LENGTH


cdef class InputTracker:
    cdef int[INPUT_VALUES] values
    cdef bint[MAX_CLIENTS] _known

    cdef bint set(self, int cid, int* values) except -1
    cdef bint add(self, int cid, int* values) except -1


cdef class PositionTracker:
    cdef int[MAX_CLIENTS] x
    cdef int[MAX_CLIENTS] y
    cdef bint[MAX_CLIENTS] _present

    cpdef bint appear(self, int cid, int x, int y) except -1
    cpdef bint move(self, int cid, int dx, int dy) except -1
    cpdef bint vanish(self, int cid) except -1
