from cpython.array cimport array
from libc.string cimport memcpy

from playhead.bits.byte_reader cimport ByteReader


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
