from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.string cimport memcpy

from playhead.bits.bit_reader cimport BitReader

# Tags, by the bytes that the offset of a copy takes.
cdef enum:
    LITERAL = 0
    COPY_1 = 1
    COPY_2 = 2
    COPY_4 = 3


cdef class SnappyBlock:
    cdef readonly BitReader reader
    cdef readonly long long size
    cdef bytearray _memory
    cdef unsigned char* _out
    cdef long long _most
    cdef long long _capacity

    cdef int _grow(self, long long size) except -1
    cdef int _bad(self, str expected, long long at) except -1
    cdef int decompress_into(self, BitReader source, long long first, long long size) except -1
    cdef inline void _copy_back(self, long long at, long long offset, long long length) noexcept
