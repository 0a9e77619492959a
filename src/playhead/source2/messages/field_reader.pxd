from cpython.array cimport array
from libc.string cimport memcpy, memset

from playhead.bits.byte_reader cimport ByteReader
from playhead.source2.messages.wire_decoder cimport (
    BOOL,
    BYTES,
    DOUBLE,
    ENUM,
    FIXED32,
    FIXED64,
    FLOAT,
    MESSAGE,
    SFIXED32,
    SINT32,
    STRING,
    UINT64,
    WIRE_BYTES,
    WIRE_FIXED32,
    WIRE_FIXED64,
    WIRE_VARINT,
    WireDecoder,
    whole_number,
)
from playhead.tables.byte_buffer cimport ByteBuffer, put_byte, put_bytes, put_part

# What happens to a field.
cdef enum:
    TEXT = 0
    IGNORED = 1
    VALUE = 2
    SPAN = 3
    LIST = 4
    INSIDE = 5
    FLAT = 6


# Bit positions in a plan's number of a field; bit 0 is whether it is repeated.
cdef enum:
    ROW_ACTION = 1
    ROW_WIRE = 4
    ROW_KIND = 8
    ROW_PLACE = 16
    ROW_KINDS = 31


cdef enum:
    MOST_SLOTS = 128
    MOST_CUTS = 8


# Handles of nothing, in 24 bits and in 32.
cdef enum:
    NO_HANDLE_24 = 0xFFFFFF
    NO_HANDLE_32 = 0xFFFFFFFF


# Characters of JSON.
cdef enum:
    OPEN = 123
    CLOSE = 125
    OPEN_LIST = 91
    CLOSE_LIST = 93


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
    cdef bytes _keys
    cdef array _key_ends
    cdef int* _key_end_of
    cdef array _rows
    cdef int* _row_of

    cdef bint _text

    cdef object _tell(self)
    cdef list _enums


cdef class FieldReader:
    cdef ByteBuffer _text
    cdef ByteReader _reader
    cdef dict _texts
    cdef dict _passing
    cdef array _cell_array
    cdef array _there_array
    cdef array _list_array
    cdef long long* cells
    cdef unsigned char* there
    cdef Py_ssize_t list_size
    cdef int _cut_count
    cdef int[MOST_CUTS] _cut_slot
    cdef int[MOST_CUTS] _cut_before
    cdef Py_ssize_t[MOST_CUTS] _cut_first
    cdef Py_ssize_t[MOST_CUTS] _cut_end

    cpdef bint read(self, FieldPlan plan, bytes payload) except -1
    cdef bint _any_there(self, int first, int end) noexcept
    cdef int _close(self, Py_ssize_t start) except -1
    cdef int _fields(self, FieldPlan plan, ByteReader reader, unsigned long long end, int depth) except -1
    cdef int _ignore(
        self, FieldPlan plan, int place, int kind, ByteReader reader, unsigned long long end, int depth, int wire
    ) except -1
    cdef int _unknown(
        self, FieldPlan plan, long long number, int wire, bint same, ByteReader reader, unsigned long long end, int depth
    ) except -1
    cdef inline int _key(self, FieldPlan plan, int place) except -1
    cdef inline unsigned long long _size(
        self, WireDecoder decoder, ByteReader reader, unsigned long long end
    ) except? 0xFFFFFFFFFFFFFFFE
    cdef long long listed(self, Py_ssize_t place) noexcept
    cdef int _add_to_list(self, long long value) except -1
    cdef int _store(
        self, FieldPlan plan, int place, int kind, ByteReader reader, unsigned long long end, int depth
    ) except -1
    cdef int _keep(
        self, FieldPlan plan, int place, int kind, ByteReader reader, unsigned long long end, int depth
    ) except -1
    cdef long long _number(
        self, WireDecoder decoder, int kind, ByteReader reader, unsigned long long end
    ) except? -0x7EADBEEF01
    cdef int _value(
        self, FieldPlan plan, int place, int kind, ByteReader reader, unsigned long long end, int depth
    ) except -1
    cdef FieldPlan _all_passed(self, WireDecoder decoder)
    cdef FieldPlan _all_text(self, WireDecoder decoder)
    cdef int _real(self, long long bits) except -1
