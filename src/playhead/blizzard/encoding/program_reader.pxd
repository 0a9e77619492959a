from cpython.array cimport array

from playhead.bits.byte_reader cimport ByteReader, take_vint
from playhead.blizzard.encoding.bit_packed cimport BitPackedReader

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
    cdef long long* _root_list
    cdef long long _root_count
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


# For inner loops of other modules, without a call where nothing goes wrong.

cdef inline int take_tag(ProgramReader reader, int wanted, str what) except -1:
    # As `_tag`.
    if reader._bytes._pos < reader._bytes._end and reader._bytes._data[reader._bytes._pos] == wanted:
        reader._bytes._pos += 1
        return 0
    return reader._tag(wanted, what)


cdef inline long long take_int_of_32_bits(ProgramReader reader) except? -0x7EADBEEF01:
    # As `_int_of_32_bits`, of which most take two bytes or fewer.
    cdef const unsigned char* data = reader._bytes._data + reader._bytes._pos
    if reader._bytes._end - reader._bytes._pos > 1 and (data[0] < 0x80 or data[1] < 0x80):
        return take_vint(reader._bytes)
    return reader._int_of_32_bits()
