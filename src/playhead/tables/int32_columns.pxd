from libc.string cimport memcmp

# What becomes of a column.
cdef enum:
    AS_INTS = 0
    AS_DOUBLES = 1
    LEFT_OUT = 2


cdef class Int32Columns:
    cdef list _full
    cdef list _blocks
    cdef dict _constants
    cdef dict _wide
    cdef (int*)[16] _data
    cdef int[16] _left
    cdef int[16] _become
    cdef int _width
    cdef int _block_chunks
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef int _grow(self) except -1
    cdef int _double(self) except -1
    cdef int _begin_chunk(self) except -1
    cdef int _end_chunk(self) except -1
    cdef object _doubles(self, int column)
    cdef list _last_chunk(self)
    cdef int append(self, int* row) except -1


cdef inline Py_ssize_t add_row(Int32Columns columns) except -1:
    # Room for one more row: its index in every `_data[i]`, where compiled callers put its values.
    if columns._size == columns._capacity:
        columns._grow()
    columns._size += 1
    return columns._size - 1
