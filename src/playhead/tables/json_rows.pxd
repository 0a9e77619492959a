from cpython.array cimport array

from playhead.tables.nullable_columns cimport ByteBuffer, TextColumn

# What the values of a column are.
cdef enum:
    WHOLE = 0
    REAL = 1
    CODE = 2
    WHOLES = 3


cdef class JsonRows:
    cdef int _width
    cdef list _keys
    cdef list _kinds
    cdef list _wholes
    cdef list _reals
    cdef list _ends
    cdef list _there
    cdef list _texts

    cdef Py_ssize_t _rows(self) except -1
    cdef int _add_row(self, ByteBuffer data, Py_ssize_t row) except -1
    cdef int _add_list(self, ByteBuffer data, int column, Py_ssize_t row) except -1
