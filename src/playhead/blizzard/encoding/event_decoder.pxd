from cpython.array cimport array

from playhead.bits.byte_reader cimport ByteReader, take_vint
from playhead.blizzard.encoding cimport tags
from playhead.blizzard.encoding.bit_packed cimport BitPackedReader, take_int, take_loop_delta
from playhead.blizzard.protocol cimport wire

cdef enum:
    MAX_DEPTH = 64  # of nested values that no type table describes
    UNKNOWN_EVENT = -1  # instead of a node
    WORD_BITS = 32  # of a word of a bit array
    NOT_SHORT = -0x7EADBEEF  # instead of an integer


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
    cdef long long _end_of_head(self, long long delta) except -2
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


cdef inline long long take_count(ProgramReader reader, long long least) except -1:
    # As `_count_of`, of which most take one byte.
    cdef const unsigned char* data = reader._bytes._data + reader._bytes._pos
    cdef long long left = reader._bytes._end - reader._bytes._pos
    if left > 0 and not data[0] & 0x81 and (data[0] >> 1) * least < left:
        reader._bytes._pos += 1
        return data[0] >> 1
    return reader._count_of(least)


cdef inline bint at_end(ProgramReader reader) noexcept:
    # Whether `remaining` is 0.
    if reader._tagged:
        return reader._bytes._pos >= reader._bytes._end
    return reader._bits._end - reader._bits._pos < 8


cdef inline long long byte_offset(ProgramReader reader) noexcept:
    # As `tell`.
    return reader._bytes._pos if reader._tagged else (reader._bits._pos + 7) >> 3


cdef inline long long take_short_field(ProgramReader reader, long long number) noexcept:
    # Read the field of this number if it is there and an integer of one byte or two, as most are; else NOT_SHORT.
    cdef const unsigned char* data = reader._bytes._data + reader._bytes._pos
    cdef long long raw
    if reader._bytes._end - reader._bytes._pos < 4 or data[0] != number << 1 or data[0] > 0x7F or data[1] != tags.VINT:
        return NOT_SHORT
    raw = data[2]
    if raw < 0x80:
        reader._bytes._pos += 3
    elif data[3] < 0x80:
        raw = (raw & 0x7F) | (data[3] << 7)
        reader._bytes._pos += 4
    else:
        return NOT_SHORT
    return -(raw >> 1) if raw & 1 else raw >> 1


cdef inline bint take_zero_bit(ProgramReader reader) noexcept:
    # Read a bit if there is one and it is 0; return whether it is.
    cdef unsigned long long at = reader._bits._pos
    if at >= reader._bits._end or (reader._bits._data[at >> 3] >> (at & 7)) & 1:
        return False
    reader._bits._pos = at + 1
    return True


cdef inline long long take_head(ProgramReader reader) except -2:
    # As `_head`. In the tagged encoding most deltas take one byte or two, and most numbers one.
    cdef const unsigned char* data
    cdef long long delta, number
    cdef int at = 4
    if not reader._tagged:
        delta = reader._loop + take_loop_delta(reader._bits)
        reader._user = <long long> take_int(reader._bits, wire.USER_BITS)
        number = reader._number = <long long> take_int(reader._bits, reader._id_bits)
        if delta >> 31 or number >= reader._root_count or reader._root_list[number] == wire.NO_ROOT:
            return reader._end_of_head(delta - reader._loop)
        reader._loop = delta
        return reader._root_list[number]
    if reader._bytes._end - reader._bytes._pos < 7:
        return reader._head()
    data = reader._bytes._data + reader._bytes._pos
    delta = data[3]
    if delta > 0x7F:
        delta = (delta & 0x7F) | (data[4] << 7)
        at = 5
    number = data[at + 1] >> 1
    if (
        data[0] != tags.CHOICE or data[1] > 6 or data[1] & 1 or data[2] != tags.VINT or delta & 1
        or (at == 5 and data[4] > 0x7F) or data[at] != tags.VINT or data[at + 1] & 0x81
        or number >= reader._root_count or reader._root_list[number] == wire.NO_ROOT
    ):
        return reader._head()
    delta = reader._loop + (delta >> 1)
    if delta >> 31:
        return reader._head()
    reader._bytes._pos += at + 2
    reader._loop = delta
    reader._number = number
    return reader._root_list[number]


cdef class EventDecoder(ProgramReader):
    cpdef object fields_of(self, bytes event)
    cdef object _event_object(self, long long node)
    cdef object _packed_object(self, long long node)
    cdef object _bit_array(self, long long count)
    cdef object _tagged_object(self, long long node)
    cdef object _raw_object(self, int depth)
