from cpython.array cimport array

from playhead.tables.byte_buffer cimport ByteBuffer, put_byte, put_bytes
from playhead.tables.nullable_columns cimport TextColumn

# Kinds of the values of a column.
cdef enum:
    WHOLE = 0
    REAL = 1
    CODE = 2
    WHOLES = 3


cdef class JsonColumn:
    cdef bytes _key
    cdef int _kind
    cdef list _texts
    cdef array _there
    cdef array _wholes
    cdef array _reals
    cdef array _ends
    cdef unsigned char* _there_of
    cdef long long* _whole_of
    cdef double* _real_of
    cdef long long* _end_of

    cdef int add(self, ByteBuffer data, Py_ssize_t row) except -1
    cdef int _add_list(self, ByteBuffer data, Py_ssize_t row) except -1


cdef class JsonRows:
    cdef list _columns

    cdef Py_ssize_t _rows(self) except -1
    cdef int _add_row(self, ByteBuffer data, Py_ssize_t row) except -1
