from cpython.array cimport array
from libc.string cimport memcpy

from playhead.bits.bit_reader cimport BitReader


cdef class ValuePool:
    cdef dict _numbers
    cdef list _values

    cdef long long number(self, bytes value) except -1


cdef class FieldDecoder:
    cdef readonly int kind
    cdef readonly int cells
    cdef unsigned int _bits
    cdef int _types
    cdef int _flags
    cdef float _low
    cdef float _high
    cdef float _range
    cdef float _step

    cdef int float_size(self, unsigned long long word) noexcept
    cdef long long float_cell(self, unsigned long long word) noexcept
    cdef double _read_float(self, BitReader reader) except? -7.0e300
    cdef int _read_angles(self, BitReader reader, long long* cells, Py_ssize_t at) except -1
    cdef int _read_rare(self, BitReader reader, ValuePool pool, long long* cells, Py_ssize_t at) except -1
    cdef int decode(self, BitReader reader, ValuePool pool, long long* cells, Py_ssize_t at) except -1
    cdef object present(self, ValuePool pool, long long* cells, Py_ssize_t at)
