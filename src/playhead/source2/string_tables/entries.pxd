from playhead.bits.bit_reader cimport BitReader
from playhead.source2.string_tables.changes cimport CREATED, UPDATED, ChangeColumns
from playhead.source2.string_tables.entry_list cimport EntryList, as_text

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
