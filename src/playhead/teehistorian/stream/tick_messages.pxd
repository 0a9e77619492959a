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
