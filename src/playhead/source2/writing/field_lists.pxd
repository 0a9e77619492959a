from cpython.array cimport array

from playhead.bits.bit_writer cimport BitWriter

# Encodings that this module writes itself, as numbers of `Kind`.
cdef enum:
    BOOL = 0
    SIGNED = 1
    UNSIGNED = 3
    SEQUENCE = 7
    TICKS = 8
    FLOAT = 9
    QUANTIZED = 12
    LENGTH = 22


cdef class FieldList:
    cdef bytes _paths
    cdef unsigned long long _path_bits
    cdef int _count
    cdef object _numbers
    cdef object _scales
    cdef int* _number
    cdef double* _scale
    cdef list _encodings
