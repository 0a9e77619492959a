from cpython.array cimport array


cdef class Actions:
    cdef readonly array loops
    cdef readonly array kinds
    cdef readonly array firsts
    cdef readonly array seconds
    cdef readonly array thirds


cdef class Moves:
    cdef readonly array loops
    cdef readonly array xs
    cdef readonly array ys
