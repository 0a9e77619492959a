from playhead.bits.bit_reader cimport BitReader


cdef class EntryReader:
    cdef BitReader _reader
    cdef long long _fixed_bits
    cdef bint _compressed
    cdef bint _varint_sizes
    cdef long long _most_index
    cdef object _most_bytes
    cdef long long _index
    cdef object _history
    cdef readonly long long applied

    cpdef object read(self, object names)
    cdef bytes _read_key(self)
    cdef bytes _read_value(self)
