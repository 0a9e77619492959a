from playhead.bits.byte_reader cimport ByteReader


cdef class VersionedReader:
    cdef ByteReader _bytes
    cdef int _max_depth
    cdef long long _max_elements
    cdef long long _elements_left

    cdef int _expected(self, str what, long long found) except -1
    cdef int _no_tag(self, int tag) except -1
    cdef long long _count(self, str what) except -1
    cdef object _value(self, int depth)
    cdef int _skip(self, int depth) except -1
    cpdef object read_value(self)
    cpdef int skip_value(self) except -1
    cpdef unsigned long long tell(self) noexcept
    cpdef unsigned long long remaining(self) noexcept
