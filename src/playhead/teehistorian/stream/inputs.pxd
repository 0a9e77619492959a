from playhead.teehistorian.stream.int32 cimport add_int32


cdef class InputTracker:
    cdef int[1280] values
    cdef bint[128] _known

    cdef bint set(self, int cid, int* values) except -1
    cdef bint add(self, int cid, int* values) except -1
