from cpython.buffer cimport PyBuffer_Release
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memcpy

from playhead.bits.checked_arrays cimport hold_buffer

# Bits that `peek_bits` has in one load, wherever in a byte they begin.
cdef enum:
    PEEK_BITS = 56

# A text up to this size is put together without a growing buffer.
cdef enum:
    SHORT_TEXT = 256


cdef class BitReader:
    cdef Py_buffer _buffer
    cdef bint _held
    cdef const unsigned char* _data
    cdef unsigned long long _pos
    cdef unsigned long long _end
    cdef unsigned long long _first
    cdef unsigned long long _held_bits
    cdef long long _whole_words

    cdef object _hold(self, object data)
    cdef int _past_end(self, unsigned long long wanted) except -1 with gil
    cdef int _bad(self, int wanted) except -1 with gil
    cdef inline unsigned long long _word(self) noexcept nogil
    cdef unsigned long long _gather(self, unsigned int count) noexcept nogil
    cpdef int window(self, unsigned long long first, unsigned long long count) except -1
    cpdef unsigned long long tell(self) noexcept nogil
    cpdef unsigned long long rem_bits(self) noexcept nogil
    cpdef unsigned long long read_bits(self, unsigned int count) except? 0xFFFFFFFFFFFFFFFE nogil
    cpdef unsigned long long peek_bits(self, unsigned int count) noexcept nogil
    cpdef int skip_bits(self, unsigned long long count) except -1 nogil
    cpdef bint try_skip(self, unsigned long long count) noexcept nogil
    cpdef bint read_boolean(self) except -1 nogil
    cpdef unsigned long long read_ubit_var(self) except? 0xFFFFFFFFFFFFFFFE nogil
    cpdef unsigned long long read_ubit_var_fp(self) except? 0xFFFFFFFFFFFFFFFE nogil
    cpdef long long read_varuint32(self) except -1 nogil
    cpdef unsigned long long read_varuint64(self) except? 0xFFFFFFFFFFFFFFFE nogil
    cpdef long long read_varint32(self) except? -0x7EADBEEF01 nogil
    cpdef long long read_varint64(self) except? -0x7EADBEEF01EADBEE nogil
    cpdef double read_float(self) except? -7.0e300 nogil
    cpdef double read_coord(self) except? -7.0e300 nogil
    cpdef double read_angle(self, unsigned int count) except? -7.0e300 nogil
    cpdef double read_normal(self) except? -7.0e300 nogil
    cpdef bytes read_bits_as_bytes(self, unsigned long long count)
    cpdef bytes read_bytes(self, unsigned long long count)
    cpdef bytes read_string(self)
    cpdef bytes read_string_after(self, bytes begin)


# For inner loops of other modules: without a call, wherever there are 64 bits more.

cdef inline unsigned long long peek_word(BitReader reader) noexcept:
    # As `peek_bits(PEEK_BITS)`.
    cdef const unsigned char* data
    cdef unsigned long long word
    if <long long> reader._pos <= reader._whole_words:
        data = reader._data + (reader._pos >> 3)
        word = (
            <unsigned long long> data[0]
            | <unsigned long long> data[1] << 8
            | <unsigned long long> data[2] << 16
            | <unsigned long long> data[3] << 24
            | <unsigned long long> data[4] << 32
            | <unsigned long long> data[5] << 40
            | <unsigned long long> data[6] << 48
            | <unsigned long long> data[7] << 56
        )
        return (word >> (reader._pos & 7)) & ((<unsigned long long> 1 << PEEK_BITS) - 1)
    return reader.peek_bits(PEEK_BITS)


cdef inline bint pass_bits(BitReader reader, unsigned long long count) noexcept:
    # As `try_skip`.
    if count > reader._end - reader._pos:
        return False
    reader._pos += count
    return True


cdef inline unsigned long long bits_left(BitReader reader) noexcept:
    # As `rem_bits`.
    return reader._end - reader._pos


cdef inline unsigned long long next_bits(BitReader reader, unsigned int count) except? 0xFFFFFFFFFFFFFFFE:
    # As `read_bits`, of at most PEEK_BITS.
    cdef unsigned long long word = peek_word(reader) & ((<unsigned long long> 1 << count) - 1)
    if not pass_bits(reader, count):
        return reader.read_bits(count)
    return word


cdef inline unsigned int varint_size(unsigned long long word) noexcept:
    # The bits of the varint at the start of `word`; 0 for one of more than four bytes.
    if not word & 0x80:
        return 8
    if not word & 0x8000:
        return 16
    if not word & 0x800000:
        return 24
    return 0 if (word >> 31) & 1 else 32  # a wider literal would be a Python object


cdef inline unsigned long long varint_of(unsigned long long word, unsigned int size) noexcept:
    # The varint of `size` bits (at most 32) at the start of `word`.
    if size == 8:
        return word & 0x7F
    word &= (<unsigned long long> 1 << size) - 1
    return word & 0x7F | (word >> 1) & 0x3F80 | (word >> 2) & 0x1FC000 | (word >> 3) & 0xFE00000


cdef inline unsigned int ubit_var_size(unsigned long long word) noexcept:
    # The bits of the "ubitvar" at the start of `word`.
    if word & 32:
        return 34 if word & 16 else 14
    return 10 if word & 16 else 6


cdef inline unsigned long long ubit_var_of(unsigned long long word) noexcept:
    # The "ubitvar" at the start of `word`.
    cdef unsigned long long more = ((word >> 6) & 0xFFFFFFF) << 4
    if word & 48 != 48:
        more &= 0xFF0 if word & 32 else (word & 16) * 15
    return (word & 15) | more


cdef inline long long next_varuint32(BitReader reader) except -1:
    # As `read_varuint32`, of which most take few bytes.
    cdef unsigned long long word = peek_word(reader)
    cdef unsigned int size = varint_size(word)
    if size == 0 or not pass_bits(reader, size):
        return reader.read_varuint32()
    return <long long> varint_of(word, size)


cdef inline unsigned long long next_varuint64(BitReader reader) except? 0xFFFFFFFFFFFFFFFE:
    # As `read_varuint64`, of which most take few bytes.
    cdef unsigned long long word = peek_word(reader)
    cdef unsigned int size = varint_size(word)
    if size == 0 or not pass_bits(reader, size):
        return reader.read_varuint64()
    return varint_of(word, size)


cdef inline unsigned long long next_ubit_var(BitReader reader) except? 0xFFFFFFFFFFFFFFFE:
    # As `read_ubit_var`.
    cdef unsigned long long word = peek_word(reader)
    if not pass_bits(reader, ubit_var_size(word)):
        return reader.read_ubit_var()
    return ubit_var_of(word)
