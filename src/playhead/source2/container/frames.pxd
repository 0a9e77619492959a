from cpython.array cimport array, resize

from playhead.bits.byte_reader cimport ByteReader


cdef class FrameIndex:
    cdef array _array
    cdef Py_ssize_t _count

    cdef int _append(self, long long offset, long long command, long long tick, long long payload, long long size) except -1
