from cpython.array cimport array
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
