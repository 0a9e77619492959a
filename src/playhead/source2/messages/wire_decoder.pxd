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


# What happens to a field.
cdef enum:
    TEXT = 0
    IGNORED = 1
    VALUE = 2
    SPAN = 3
    LIST = 4
    INSIDE = 5
    FLAT = 6


# Bit positions in a plan's number of a field; bit 0 is whether it is repeated, `ROW_KEPT` whether it may also be JSON,
# `ROW_PLAIN` whether it is a stored number that is neither, `ROW_PASSED` whether it may be skipped and is no message.
cdef enum:
    ROW_ACTION = 1
    ROW_WIRE = 4
    ROW_KEPT = 7
    ROW_KIND = 8
    ROW_PLAIN = 13
    ROW_PASSED = 14
    ROW_PLACE = 16
    ROW_KINDS = 31


cdef enum:
    MOST_SLOTS = 128


cdef class FieldPlan:
    cdef WireDecoder _decoder
    cdef array _actions
    cdef array _slots
    cdef array _before
    cdef array _handles
    cdef int* _action_of
    cdef int* _slot_of
    cdef int* _before_of
    cdef int* _handle_of
    cdef list _inside
    cdef list _passing
    cdef bytes _keys
    cdef array _key_ends
    cdef int* _key_end_of
    cdef array _rows
    cdef int* _row_of

    cdef bint _text

    cdef object _tell(self)
    cdef int _row(self, int place) except -2
    cdef object _tell_one(self, int place)
    cdef list _enums
