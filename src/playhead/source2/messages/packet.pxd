from playhead.bits.bit_reader cimport BitReader


cdef class PacketReader:
    cdef BitReader _reader
    cdef unsigned long long _payload_bits
    cdef readonly int id
    cdef readonly int size

    cpdef int advance(self) except -1
    cpdef int advance_to(self, frozenset wanted) except -1
    cpdef int collect(self, list found, frozenset wanted, long long lowest) except -1
    cpdef int meets(self, bytes marks, bytearray present) except -1
    cdef int _too_large(self, unsigned long long size) except -1
    cdef int _bad_number(self, unsigned long long number) except -1
    cpdef bytes payload(self)
