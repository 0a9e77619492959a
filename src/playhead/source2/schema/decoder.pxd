from cpython.array cimport array
from libc.string cimport memcpy

from playhead.bits.bit_reader cimport BitReader, next_bits

# Encodings of a value, described in `playhead.source2.schema.encoding.Kind`.
cdef enum:
    BOOL = 0
    SIGNED = 1
    SIGNED64 = 2
    UNSIGNED = 3
    FIXED64 = 4
    BYTE = 5
    SIGNED_BYTE = 6
    SEQUENCE = 7
    TICKS = 8
    FLOAT = 9
    COORD = 10
    NORMAL = 11
    QUANTIZED = 12
    STRING = 13
    BYTES = 14
    UNIT_VECTOR = 15
    ANGLES_FLOAT = 16
    ANGLES = 17
    PITCH_YAW = 18
    ANGLES_PRECISE = 19
    ANGLES_COORD = 20
    POINTER = 21
    LENGTH = 22


# Leading bits of a quantized float: flags of `playhead.source2.schema.quantized_float`.
cdef enum:
    SENDS_LOW = 1
    SENDS_HIGH = 2
    SENDS_ZERO = 4


cdef class ValuePool:
    cdef dict _numbers
    cdef list _values
    cdef readonly long long lookups

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
