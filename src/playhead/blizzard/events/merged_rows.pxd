from cpython.array cimport array


cdef class MergedRows:
    cdef readonly array orders
    cdef readonly array part
    cdef array _places
    cdef array _starts
