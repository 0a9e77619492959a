from cpython.array cimport array


cdef class MergedRows:
    cdef readonly array orders
    cdef readonly array part
