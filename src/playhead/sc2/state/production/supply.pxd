from cpython.array cimport array

# Of one loop: what a game begins with, steps that begin, and then what ends.
cdef enum:
    FIRST = 0
    BEGINS = 1
    ENDS = 2
    RANKS = 4


cdef class SupplyChanges:
    cdef array _times
    cdef array _places
    cdef array _players
    cdef array _used
    cdef array _made
    cdef Py_ssize_t _count
    cdef Py_ssize_t _capacity

    cdef int add(self, long long order, long long loop, int rank, long long player, double used, double made) except -1
    cdef list _columns(self)
    cdef int sort(self) except -1
    cdef int count(self, list steps) except -1
    cpdef list of(self, long long player)
