from cpython.buffer cimport PyBuffer_Release
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memchr, memcpy

from playhead.bits.checked_arrays cimport hold_buffer


cdef class ByteReader:
    cdef Py_buffer _buffer
    cdef bint _held
    cdef object _view
    cdef const unsigned char* _data
    cdef unsigned long long _pos
    cdef unsigned long long _end

    cdef object _hold(self, object data)
    cdef object _lend(self, bytes data)
    cdef void _give_back(self) noexcept
    cdef int _past_end(self, unsigned long long wanted, str what) except -1
    cdef int _overlong(self, str what) except -1
    cdef long long _find_zero(self) except -1
    cpdef unsigned long long tell(self) noexcept
    cpdef unsigned long long remaining(self) noexcept
    cpdef int seek(self, unsigned long long position) except -1
    cpdef int skip(self, unsigned long long count) except -1
    cpdef int read_u8(self) except -1
    cpdef int read_u16(self) except -1
    cpdef long long read_u32(self) except -1
    cpdef unsigned long long read_u64(self) except? 0xFFFFFFFFFFFFFFFE
    cpdef long long read_i32(self) except? -0x7EADBEEF01
    cpdef double read_f32(self) except? -7.0e300
    cpdef bytes read_bytes(self, unsigned long long count)
    cpdef bytes read_cstring(self)
    cpdef long long skip_cstring(self) except -1
    cpdef long long read_varuint32(self) except -1
    cpdef unsigned long long read_varuint64(self) except? 0xFFFFFFFFFFFFFFFE
    cpdef long long read_packed_int(self) except? -0x7EADBEEF01
    cdef int _read_last_packed_ints(self, int* values, int count, unsigned long long start) except -1
    cdef long long read_packed_record(self, int* values, int* lengths, int known) except? -0x7EADBEEF01
    cpdef long long read_vint(self) except? -0x7EADBEEF01EADBEE


# For inner loops of other modules, without a call where nothing goes wrong.

cdef inline int take_u8(ByteReader reader) except -1:
    # As `read_u8`.
    if reader._pos >= reader._end:
        return reader.read_u8()
    reader._pos += 1
    return reader._data[reader._pos - 1]


cdef inline long long take_vint(ByteReader reader) except? -0x7EADBEEF01EADBEE:
    # As `read_vint`, of which most take one byte or two.
    cdef const unsigned char* data = reader._data + reader._pos
    cdef unsigned long long left = reader._end - reader._pos
    cdef long long raw
    if left > 0 and data[0] < 0x80:
        reader._pos += 1
        raw = data[0]
    elif left > 1 and data[1] < 0x80:
        reader._pos += 2
        raw = (data[0] & 0x7F) | (data[1] << 7)
    else:
        return reader.read_vint()
    return -(raw >> 1) if raw & 1 else raw >> 1


cdef inline long long take_varuint32(ByteReader reader) except -1:
    # As `read_varuint32`, of which most take up to three bytes.
    cdef const unsigned char* data = reader._data + reader._pos
    cdef unsigned long long left = reader._end - reader._pos
    if left > 0 and data[0] < 0x80:
        reader._pos += 1
        return data[0]
    if left > 1 and data[1] < 0x80:
        reader._pos += 2
        return (data[0] & 0x7F) | (data[1] << 7)
    if left > 2 and data[2] < 0x80:
        reader._pos += 3
        return (data[0] & 0x7F) | (data[1] & 0x7F) << 7 | (data[2] << 14)
    return reader.read_varuint32()
