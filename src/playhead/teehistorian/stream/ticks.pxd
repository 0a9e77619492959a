from playhead.teehistorian.stream.int32 cimport add_int32

cpdef enum:
    MAX_CLIENTS = 128
    INPUT_LENGTH = 10

# Codes of a position row's event; no client, no extension; no last tick.
cdef enum:
    APPEARED = 0
    MOVED = 1
    GONE = 2
    NOTHING = -1
    NO_LIMIT = 0x7FFFFFFF


cdef class PlayerDiff:
    cdef public int cid
    cdef public int dx
    cdef public int dy


cdef class TickSkip:
    cdef public int dt


cdef class PlayerNew:
    cdef public int cid
    cdef public int x
    cdef public int y


cdef class PlayerOld:
    cdef public int cid


cdef class TenNumbers:
    cdef public int cid
    cdef int[INPUT_LENGTH] _values


cdef class InputDiff(TenNumbers):
    pass


cdef class InputNew(TenNumbers):
    pass


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
