from cpython.buffer cimport PyBuffer_Release
from cpython.bytes cimport PyBytes_FromStringAndSize

from playhead.bits.checked_arrays cimport hold_buffer

cdef enum:
    MAX_WIDTH = 64  # of one read
    WHOLE_BYTES = 56  # the widest run that a read takes wherever it begins


cdef class BitPackedReader:
    cdef Py_buffer _buffer
    cdef bint _held
    cdef const unsigned char* _data
    cdef unsigned long long _pos
    cdef unsigned long long _end

    cdef object _hold(self, object data)
    cdef int _past_end(self, unsigned long long wanted) except -1 with gil
    cdef int _too_wide(self) except -1 with gil
    cpdef unsigned long long tell(self) noexcept nogil
    cpdef unsigned long long remaining(self) noexcept nogil
    cpdef int seek(self, unsigned long long position) except -1
    cpdef unsigned long long read_int(self, unsigned int count) except? 0xFFFFFFFFFFFFFFFE nogil
    cpdef long long read_loop_delta(self) except -1 nogil
    cpdef bint read_bool(self) except -1 nogil
    cpdef int skip_bits(self, unsigned long long count) except -1 nogil
    cpdef int align(self) noexcept nogil
    cpdef object read_wide_int(self, unsigned long long count)
    cpdef bytes read_aligned_bytes(self, unsigned long long count)
    cpdef bytes read_blob(self, unsigned int length_bits)
    cpdef bytes read_fourcc(self)


# For inner loops of other modules, without a call where nothing goes wrong.

cdef inline unsigned long long take_int(BitPackedReader reader, unsigned int count) except? 0xFFFFFFFFFFFFFFFE nogil:
    # As `read_int`.
    cdef unsigned int shift, first
    cdef const unsigned char* data
    cdef unsigned long long value
    if count > MAX_WIDTH or count > reader._end - reader._pos or count == 0:
        return reader.read_int(count)
    shift = reader._pos & 7
    first = 8 - shift
    data = reader._data + (reader._pos >> 3)
    value = data[0] >> shift
    reader._pos += count
    if count <= first:
        return value & ((1 << count) - 1)
    count -= first
    while count >= 8:
        data += 1
        value = (value << 8) | data[0]
        count -= 8
    if count:
        value = (value << count) | (data[1] & ((1 << count) - 1))
    return value


cdef inline long long take_loop_delta(BitPackedReader reader) except -1 nogil:
    # As `read_loop_delta`.
    cdef unsigned int size = <unsigned int> take_int(reader, 2)
    return <long long> take_int(reader, 6 + 8 * size if size < 3 else 32)


cdef inline bint take_bool(BitPackedReader reader) except -1 nogil:
    # As `read_bool`.
    cdef bint bit
    if reader._pos >= reader._end:
        return reader.read_bool()
    bit = (reader._data[reader._pos >> 3] >> (reader._pos & 7)) & 1
    reader._pos += 1
    return bit
