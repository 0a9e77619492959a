
from playhead.bits.bit_reader cimport BitReader
from playhead.tables.column_buffers cimport Int32Buffer
from playhead.tables.json_columns cimport TextColumn

cdef class DumpedTable:
    cdef readonly str name
    cdef readonly list names
    cdef readonly list values

    cdef bint has(self, Py_ssize_t index, bytes name, object value) except -1


cdef bytes as_text(bytes name)


cdef class EntryList:
    cdef object _item
    cdef list _names
    cdef list _values
    cdef list _numbers
    cdef dict _places
    cdef dict _items
    cdef Py_ssize_t _made
    cdef list _stale

    cdef object _clear(self)
    cpdef Py_ssize_t place_of(self, long long number) except -2
    cpdef bytes name_at(self, Py_ssize_t place)
    cpdef int add(self, long long number, bytes name, object value) except -1
    cpdef int put(self, Py_ssize_t place, object value) except -1
    cdef int _make(self, Py_ssize_t place) except -1


# Kinds of a change; indices into `KINDS`.
cdef enum:
    UPDATED = 0
    CREATED = 1
    BROUGHT = 2

# The codes of the kinds in four bits each; initially no kind has a code.
cdef enum:
    NO_CODE = 0xF
    NO_CODES = 0xFFF

cdef enum:
    NO_TABLE = -1


cdef class ChangeColumns:
    cdef int _tick
    cdef str _table
    cdef int _table_code
    cdef Int32Buffer _ticks
    cdef Int32Buffer _tables
    cdef Int32Buffer _numbers
    cdef Int32Buffer _kinds
    cdef TextColumn _names
    cdef TextColumn _values
    cdef dict _table_codes
    cdef dict _kind_codes
    cdef int _packed_codes

    cpdef int add(self, long long number, bytes name, object value, int kind) except -1
    cdef int _add_kind(self, int kind) except -1


# A key may begin with a prefix of one of the last 32 keys.
cdef enum:
    HISTORY = 32


cdef class EntryReader:
    cdef BitReader _reader
    cdef long long _fixed_bits
    cdef bint _compressed
    cdef bint _varint_sizes
    cdef long long _most_index
    cdef object _most_bytes
    cdef long long _index
    cdef bytes _key
    cdef bytes _value
    cdef list _history
    cdef long long _passed
    cdef readonly long long applied

    cdef int _read(self) except -1
    cdef int _remember(self, bytes name) except -1
    cdef bytes _read_key(self)
    cdef bytes _read_value(self)
