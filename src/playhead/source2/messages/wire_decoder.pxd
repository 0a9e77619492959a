from cpython.array cimport array
from libc.string cimport memcpy

from playhead.bits.byte_reader cimport ByteReader, take_varuint32

# Wire types.
cdef enum:
    WIRE_VARINT = 0
    WIRE_FIXED64 = 1
    WIRE_BYTES = 2
    WIRE_FIXED32 = 5


# Kinds of value: `KINDS`, in their order.
cdef enum:
    INT32 = 0
    INT64 = 1
    UINT32 = 2
    UINT64 = 3
    SINT32 = 4
    SINT64 = 5
    BOOL = 6
    ENUM = 7
    FIXED32 = 8
    SFIXED32 = 9
    FLOAT = 10
    FIXED64 = 11
    SFIXED64 = 12
    DOUBLE = 13
    STRING = 14
    BYTES = 15
    MESSAGE = 16


cdef long long whole_number(unsigned long long raw, int kind) noexcept


cdef class WireDecoder:
    cdef readonly str name
    cdef long long _max_fields
    cdef long long _span
    cdef array _places
    cdef array _kinds
    cdef array _wires
    cdef array _repeated
    cdef int* _place_of
    cdef int* _kind_of
    cdef int* _wire_of
    cdef int* _is_repeated
    cdef list _names
    cdef list _enums
    cdef list _inside

    cpdef dict decode(self, object data)
    cdef long long _fill(self, dict out, ByteReader reader, unsigned long long end, int depth, long long left) except -1
    cdef int _too_many(self, ByteReader reader) except -1
    cdef int _append(self, dict out, object name, object value) except -1
    cdef unsigned long long _size(self, ByteReader reader, unsigned long long end) except? 0xFFFFFFFFFFFFFFFE
    cdef object _value(self, ByteReader reader, unsigned long long end, int kind, int place)
    cdef object _integer(self, unsigned long long raw, int kind, int place)
    cdef long long _packed(self, dict out, ByteReader reader, unsigned long long end, int place, long long left) except -1
    cdef int _unknown(self, dict out, ByteReader reader, unsigned long long end, long long number, int wire) except -1
