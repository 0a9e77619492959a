from cpython.array cimport array, resize

from playhead.bits.bit_reader cimport BitReader


cdef class FieldPathReader:
    cdef array _array
    cdef object _short_held
    cdef object _long_held
    cdef unsigned long long* _paths
    cdef array _numbers_array
    cdef int* _numbers
    cdef Py_ssize_t _capacity
    cdef int* _short
    cdef int* _long
    cdef (long long)[7] _path
    cdef (unsigned long long)[7] _prefix
    cdef (int)[7] _shift
    cdef (long long)[7] _most

    cdef int _grow(self) except -1
    cdef int _bad(self, int op, int level) except -1
    cdef int _push(self, int op, int last, long long value) except -1
    cdef int _repack(self, int op, int last) except -1
    cdef int _with_numbers(self, BitReader reader, int op, int last) except -1
    cdef int _rare(self, BitReader reader, int op, int last) except -1
    cdef Py_ssize_t read(self, BitReader reader) except -1
