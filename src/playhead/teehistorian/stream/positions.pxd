from playhead.teehistorian.stream.int32 cimport add_int32


cdef class PositionTracker:
    cdef int[128] x
    cdef int[128] y
    cdef bint[128] _present

    cpdef bint appear(self, int cid, int x, int y) except -1
    cpdef bint move(self, int cid, int dx, int dy) except -1
    cpdef bint vanish(self, int cid) except -1
