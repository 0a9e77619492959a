from cpython.array cimport array, resize


cdef class Int32Buffer:
    cdef array _array
    cdef int* _data
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef int _grow(self) except -1
    cpdef int append(self, int value) except -1


cdef class Int64Buffer:
    cdef array _array
    cdef long long* _data
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef int _grow(self) except -1
    cpdef int append(self, long long value) except -1
