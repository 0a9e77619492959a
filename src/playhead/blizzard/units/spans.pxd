cdef class Spans:
    cdef readonly dict columns
    cdef long long[::1] unit
    cdef long long[::1] row
    cdef long long[::1] unit_type
    cdef long long[::1] player
    cdef long long[::1] start
    cdef long long[::1] end
    cdef long long[::1] x
    cdef long long[::1] y
    cdef long long[::1] finished
    cdef long long[::1] hallucinated
    cdef long long[::1] cause
    cdef long long[::1] killer
    cdef long long[::1] end_x
    cdef long long[::1] end_y
