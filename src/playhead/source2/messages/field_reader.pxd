from cpython.array cimport array
from libc.string cimport memcpy

from playhead.bits.byte_reader cimport ByteReader
from playhead.source2.messages.wire_decoder cimport (
    BOOL,
    BYTES,
    DOUBLE,
    ENUM,
    FIXED32,
    FIXED64,
    FLAT,
    FLOAT,
    IGNORED,
    INSIDE,
    LIST,
    MESSAGE,
    MOST_SLOTS,
    ROW_ACTION,
    ROW_KEPT,
    ROW_KIND,
    ROW_KINDS,
    ROW_PASSED,
    ROW_PLACE,
    ROW_PLAIN,
    ROW_WIRE,
    SFIXED32,
    SINT32,
    SPAN,
    STRING,
    TEXT,
    UINT64,
    VALUE,
    WIRE_BYTES,
    WIRE_FIXED32,
    WIRE_FIXED64,
    WIRE_VARINT,
    FieldPlan,
    WireDecoder,
    whole_number,
)
from playhead.tables.json_columns cimport ByteBuffer, put_byte, put_bytes, put_part

cdef enum:
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
    cdef array _stored_array
    cdef int* stored
    cdef int stored_count
    cdef int unknown
    cdef readonly bint others
    cdef bint _skips
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
    cdef long long _plain_fields(
        self, FieldPlan plan, ByteReader reader, unsigned long long end, long long last
    ) except -1
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
    cdef inline int _mark(self, int slot) noexcept
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
    cdef FieldPlan _plan_of(self, WireDecoder decoder, bint text)
    cdef int _real(self, long long bits) except -1
