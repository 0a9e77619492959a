from cpython.array cimport array

from playhead.bits.byte_reader cimport ByteReader
from playhead.sc2.encoding.bit_packed cimport BitPackedReader

cdef enum:
    MAX_DEPTH = 64  # of nested values that no type table describes
    UNKNOWN_EVENT = -1  # instead of a node
    WORD_BITS = 32  # of a word of a bit array


cdef class ProgramReader:
    cdef bint _tagged
    cdef unsigned int _id_bits
    cdef BitPackedReader _bits
    cdef ByteReader _bytes
    cdef tuple _arrays
    cdef long long* _kinds
    cdef long long* _lows
    cdef long long* _widths
    cdef long long* _firsts
    cdef long long* _counts
    cdef long long* _tags
    cdef long long* _slots
    cdef list _keys
    cdef dict _roots
    cdef long long _loop
    cdef long long _number
    cdef long long _user

    cdef int _corrupt(self, str what, long long found) except -1
    cdef long long _case(self, long long node, long long tag) except -1
    cdef bytes _packed_bytes(self, long long node)
    cdef unsigned long long _bit_word(self, long long count) except? 0xFFFFFFFFFFFFFFFE
    cdef int _tag(self, int wanted, str what) except -1
    cdef long long _count_of(self, long long least) except -1
    cdef long long _int_of_32_bits(self) except? -0x7EADBEEF01
    cdef bytes _tagged_bytes(self)
    cdef long long _bare_head(self) except? -0x7EADBEEF01
    cdef long long _head(self) except -2
    cdef long long _root(self) except -2
    cpdef unsigned long long tell(self) noexcept
    cpdef unsigned long long remaining(self) noexcept
