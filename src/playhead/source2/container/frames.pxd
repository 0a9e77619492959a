from cpython.array cimport array
from playhead.bits.checked_arrays cimport resize

from playhead.bits.byte_reader cimport ByteReader, take_varuint32


cdef class FrameIndex:
    cdef readonly dict gaps
    cdef array _array
    cdef Py_ssize_t _count
    cdef int _searches
    cdef bint _signon

    cdef int _append(self, long long offset, long long command, long long tick, long long payload, long long size) except -1
    cdef object _frame(self, Py_ssize_t number)
