from cpython.array cimport array, clone


cdef class NumberMap:
    cdef array _places
    cdef dict _map
    cdef Py_ssize_t _size
    cdef unsigned long long _mask

    cdef long long get(self, unsigned long long key) noexcept
    cdef long long put(self, unsigned long long key, long long number) except? -1
    cdef int make_room(self, Py_ssize_t keys) except -1
