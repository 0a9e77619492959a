from cpython.array cimport array
from playhead.bits.checked_arrays cimport extend_buffer, resize

from playhead.bits.byte_reader cimport ByteReader
from playhead.source2.messages.wire_decoder cimport WIRE_BYTES, WIRE_FIXED32, WIRE_FIXED64, WIRE_VARINT


cdef extern from "Python.h":
    str PyUnicode_DecodeUTF8(const char* text, Py_ssize_t size, const char* errors)


# Fields of CSVCMsg_FlattenedSerializer.
cdef enum:
    SERIALIZERS = 1
    SYMBOLS = 2
    FIELDS = 3
    COORD_SIZES = 4


# Of ProtoFlattenedSerializer_t.
cdef enum:
    SERIALIZER_NAME = 1
    SERIALIZER_VERSION = 2
    FIELD_NUMBERS = 3


# Of ProtoFlattenedSerializerField_t; each is also the number of its cell.
cdef enum:
    TYPE = 1
    NAME = 2
    BIT_COUNT = 3
    LOW = 4
    HIGH = 5
    FLAGS = 6
    TABLE_NAME = 7
    TABLE_VERSION = 8
    SEND_NODE = 9
    ENCODER = 10
    POLYMORPHIC = 11
    ENUMERATION = 13


# Cells without a field number.
cdef enum:
    PRESENT = 0
    FIRST_TYPE = 12
    CELLS = 14


# Fields of polymorphic_field_t; cells of each.
cdef enum:
    TYPE_NAME = 1
    TYPE_VERSION = 2
    TYPE_CELLS = 2


# Cells of a serializer, after its name and its version.
cdef enum:
    TABLE_NUMBERS = 2
    TABLE_COUNT = 3
    TABLE_CELLS = 4


# Field of proto_enum_info_t.
cdef enum:
    IS_SIGNED = 1


cdef class FlattenedSchema:
    cdef readonly list symbols
    cdef readonly bytes coord_sizes
    cdef array _fields
    cdef array _types
    cdef array _tables
    cdef array _numbers
    cdef Py_ssize_t _number_count
    cdef Py_ssize_t _number_room

    cdef int make_room(self, Py_ssize_t numbers) except -1
    cdef inline int add_number(self, int number) except -1


cdef class FlattenedReader:
    cdef readonly set skipped
    cdef ByteReader _reader
    cdef long long _left
    cdef (int)[CELLS] _row

    cdef int _count(self, str name) except -1
    cdef long long _key(self, str name) except -1
    cdef long long _end(self, unsigned long long end, str name) except -1
    cdef int _close(self, unsigned long long end, str name) except -1
    cdef int _unknown(self, long long key, unsigned long long end, str name) except -1
    cdef str _text(self, unsigned long long end, str name)
    cdef int _add_row(self, array rows, int count) except -1
    cdef int _serializer(self, FlattenedSchema out, unsigned long long end) except -1
    cdef int _field(self, FlattenedSchema out, unsigned long long end) except -1
    cdef int _type(self, FlattenedSchema out, unsigned long long end) except -1
    cdef int _is_signed(self, int signed, unsigned long long end) except -1
