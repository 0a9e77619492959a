from cpython.array cimport array
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memcpy

from playhead.bits.bit_reader cimport BitReader

# Tags, by the bytes that the offset of a copy takes.
cdef enum:
    LITERAL = 0
    COPY_1 = 1
    COPY_2 = 2
    COPY_4 = 3


# Room after the declared size, for which short pieces can be copied in whole words.
cdef enum:
    ROOM = 64


cdef class SnappyBlock:
    cdef readonly BitReader reader
    cdef readonly long long size
    cdef bytearray _memory
    cdef unsigned char* _out
    cdef long long _most
    cdef long long _capacity

    cdef int _grow(self, long long size) except -1
    cdef int decompress_into(self, BitReader source, long long first, long long size) except -1
