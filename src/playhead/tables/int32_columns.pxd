cdef class Int32Columns:
    cdef list _full
    cdef list _columns
    cdef (int*)[16] _data
    cdef int _width
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef int _grow(self) except -1
    cdef Py_ssize_t add_row(self) except -1
    cdef int append(self, int* row) except -1
