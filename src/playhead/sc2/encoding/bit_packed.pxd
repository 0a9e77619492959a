from cpython.buffer cimport PyBuffer_Release
from cpython.bytes cimport PyBytes_FromStringAndSize

from playhead.bits.held_buffer cimport hold_buffer

cdef enum:
    MAX_WIDTH = 64  # of one read
    WHOLE_BYTES = 56  # the widest run that a read takes wherever it begins


cdef class BitPackedReader:
    cdef Py_buffer _buffer
    cdef bint _held
    cdef const unsigned char* _data
    cdef unsigned long long _pos
    cdef unsigned long long _end

    cdef object _hold(self, object data)
    cdef int _past_end(self, unsigned long long wanted) except -1 with gil
    cdef int _too_wide(self) except -1 with gil
    cpdef unsigned long long tell(self) noexcept nogil
    cpdef unsigned long long remaining(self) noexcept nogil
    cpdef int seek(self, unsigned long long position) except -1
    cpdef unsigned long long read_int(self, unsigned int count) except? 0xFFFFFFFFFFFFFFFE nogil
    cpdef long long read_loop_delta(self) except -1 nogil
    cpdef bint read_bool(self) except -1 nogil
    cpdef int skip_bits(self, unsigned long long count) except -1 nogil
    cpdef int align(self) noexcept nogil
    cpdef object read_wide_int(self, unsigned long long count)
    cpdef bytes read_aligned_bytes(self, unsigned long long count)
    cpdef bytes read_blob(self, unsigned int length_bits)
    cpdef bytes read_fourcc(self)
