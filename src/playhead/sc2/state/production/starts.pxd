cdef class Starts:
    cdef dict _build_loops
    cdef object _boosted
    cdef object _made_in
    cdef double _fastest
    cdef double _gateway_share
    cdef dict _warp_gates
    cdef dict _orders
    cdef dict _births_of
    cdef dict _ended

    cdef tuple of(self, long long loop, long long player, str name, object creator)
    cdef str egg(self, long long player, long long loop)
