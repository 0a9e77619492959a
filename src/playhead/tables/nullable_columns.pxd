from cpython.array cimport array
from playhead.bits.checked_arrays cimport resize
from libc.string cimport memset

from playhead.tables.byte_buffer cimport ByteBuffer


cdef class ValueColumn:
    cdef array _cells
    cdef array _valid
    cdef long long* _cell
    cdef unsigned char* _there
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef object _begin(self)
    cdef int _grow(self, Py_ssize_t rows) except -1
    cpdef int append(self, long long value, bint there) except -1
    cpdef int fill(self, Py_ssize_t rows) except -1


cdef class TextColumn:
    cdef readonly ByteBuffer data
    cdef ValueColumn _ends

    cdef object _begin(self)
    cdef object _in_one(self, object form)
    cpdef int end(self, bint there) except -1


# For inner loops of other modules: as the method, without a call where there is room.

cdef inline int append_value(ValueColumn column, long long value, bint there) except -1:
    if column._size == column._capacity:
        column._grow(column._size + 1)
    column._cell[column._size] = value
    column._there[column._size] = there
    column._size += 1
    return 0
