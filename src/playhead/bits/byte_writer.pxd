cdef class ByteWriter:
    cdef bytearray _out

    cpdef int write_u8(self, unsigned int value) except -1
    cpdef int write_varuint64(self, unsigned long long value) except -1
    cpdef int write_varuint32(self, unsigned long long value) except -1
    cpdef int write_packed_int(self, long long value) except -1
    cpdef int write_vint(self, long long value) except -1
