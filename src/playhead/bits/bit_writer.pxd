cdef class BitWriter:
    cdef bytearray _out
    cdef unsigned long long _acc
    cdef unsigned int _used

    cpdef int write_bits(self, unsigned long long value, unsigned int count) except -1
    cpdef int write_boolean(self, bint value) except -1
    cpdef int write_ubit_var(self, unsigned long long value) except -1
    cpdef int write_ubit_var_fp(self, unsigned long long value) except -1
    cpdef int write_varuint32(self, unsigned long long value) except -1
    cpdef int write_varuint64(self, unsigned long long value) except -1
    cpdef int write_varint32(self, long long value) except -1
    cpdef int write_varint64(self, long long value) except -1
    cpdef int write_bits_from_bytes(self, bytes data, unsigned long long count) except -1
