from cpython.array cimport array, clone
from libc.string cimport memcpy

from playhead.bits.checked_arrays cimport resize
from playhead.source2.entities.classes cimport EntityPool


cdef array _NUMBERS
cdef array _VALUES
cdef array _MARKS


cdef class FieldHistory:
    cdef Py_ssize_t count
    cdef array whole
    cdef Py_ssize_t whole_size
    cdef EntityPool _pool
    cdef long long _taken
    cdef Py_ssize_t _listed
    cdef Py_ssize_t _markable
    cdef array _numbers_array
    cdef array _first_array
    cdef array _marks_array
    cdef int* _numbers
    cdef long long* _first
    cdef signed char* _marks

    cdef int _reserve(self, long long cells) except -1
    cdef int _make_room(self, int cell, Py_ssize_t capacity) except -1
    cdef int keep(self, int cell, long long* values, signed char* present, Py_ssize_t capacity) except -1
    cdef int save(self, array saved, long long* values, signed char* present, Py_ssize_t capacity) except -1
    cdef int load(
        self, array saved, Py_ssize_t count, long long* values, signed char* present, Py_ssize_t capacity
    ) except -1
    cdef int keep_whole(self, array saved, Py_ssize_t size) except -1
