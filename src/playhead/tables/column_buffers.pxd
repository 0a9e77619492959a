from cpython.array cimport array
from libc.string cimport memcmp

from playhead.bits.checked_arrays cimport resize


cdef class NumberBuffer:
    cdef array _array
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef int _extend(self) except -1


cdef class Int32Buffer(NumberBuffer):
    cdef int* _data

    cdef int _grow(self) except -1
    cpdef int append(self, int value) except -1


cdef class Int64Buffer(NumberBuffer):
    cdef long long* _data

    cdef int _grow(self) except -1
    cpdef int append(self, long long value) except -1


# For inner loops of other modules: without a call if there is room.

cdef inline int append_int32(Int32Buffer buffer, int value) except -1:
    if buffer._size == buffer._capacity:
        buffer._grow()
    buffer._data[buffer._size] = value
    buffer._size += 1
    return 0


cdef inline int append_int64(Int64Buffer buffer, long long value) except -1:
    if buffer._size == buffer._capacity:
        buffer._grow()
    buffer._data[buffer._size] = value
    buffer._size += 1
    return 0


cdef class PackedColumn:
    cdef list _chunks
    cdef Py_ssize_t _rows

    cdef int _add(self, int* numbers, Py_ssize_t rows) except -1


cdef class Int32Columns:
    cdef list _packed
    cdef list _blocks
    cdef set _left_out
    cdef (int*)[16] _data
    cdef int _width
    cdef Py_ssize_t _done
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef int _grow(self) except -1
    cdef int _end_chunk(self) except -1
    cdef int append(self, int* row) except -1


cdef inline Py_ssize_t add_row(Int32Columns columns) except -1:
    # Room for one more row: its index in every `_data[i]`, where compiled callers put its values.
    if columns._size == columns._capacity:
        columns._grow()
    columns._size += 1
    return columns._size - 1
