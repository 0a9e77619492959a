from cpython.array cimport array


cdef class UnitHistory:
    cdef readonly Py_ssize_t units
    cdef readonly list texts
    cdef readonly array order
    cdef readonly array loop
    cdef readonly array change
    cdef readonly array unit
    cdef readonly array index
    cdef readonly array recycle
    cdef readonly array unit_type
    cdef readonly array player
    cdef readonly array x
    cdef readonly array y
    cdef readonly array other_index
    cdef readonly array other_recycle
    cdef readonly array ability
    cdef dict _numbers

    cpdef str text(self, long long place)
    cpdef long long number_of(self, long long index, long long recycle) except -2
