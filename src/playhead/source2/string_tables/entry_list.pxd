from cpython.array cimport array
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memcmp

from playhead.bits.byte_reader cimport ByteReader, take_varuint32


# Keys of fields: name, entry and flags of a table; name and data of an entry.
cdef enum:
    TABLE_NAME = 0x0A
    TABLE_ENTRY = 0x12
    TABLE_FLAGS = 0x20
    ENTRY_NAME = 0x0A
    ENTRY_DATA = 0x12

# Marks an entry without data.
cdef enum:
    NONE = -1


cdef class DumpedTable:
    cdef readonly str name
    cdef bytes _data
    cdef array _names
    cdef array _values

    cdef bint _walk(self, bytes packed, Py_ssize_t count) except -1
    cdef bint _is_ascii(self, long long at, unsigned long long size) except -1
    cdef object _decode(self, bytes packed)
    cpdef bytes name_of(self, Py_ssize_t index)
    cpdef object value_of(self, Py_ssize_t index)
    cdef long long _place(self, array places, Py_ssize_t index) except? -2
    cdef bytes _bytes(self, long long place)
    cpdef bint has(self, Py_ssize_t index, bytes name, object value, bint strictly) except -1
    cdef bint _equal(self, long long place, bytes other) except -1


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
    cdef DumpedTable _agreed

    cdef object _clear(self)
    cpdef Py_ssize_t place_of(self, long long number) except -2
    cpdef bytes name_at(self, Py_ssize_t place)
    cpdef int add(self, long long number, bytes name, object value) except -1
    cpdef int put(self, Py_ssize_t place, object value) except -1
    cdef int _make(self, Py_ssize_t place) except -1
