from cpython.array cimport array


cdef class Step:
    cdef readonly long long order
    cdef readonly long long player
    cdef readonly str kind
    cdef readonly str name
    cdef public object unit
    cdef readonly long long start
    cdef readonly str start_source
    cdef public object end
    cdef public str outcome
    cdef public double supply_used
    cdef public double supply_made


cdef class UnitType:
    cdef readonly str name
    cdef readonly double supply
    cdef readonly double provides
    cdef readonly bint produced
    cdef readonly bint merged
    cdef readonly bint of_drone
    cdef readonly object cocoon_of
    cdef readonly frozenset formerly


cdef class TrackedUnit:
    cdef public object tag
    cdef public UnitType kind
    cdef public long long player
    cdef public bint finished
    cdef public Step step
    cdef public long long egg
    cdef public long long hatched
    cdef public bint was_warp_gate
    cdef public bint holds_drone
    cdef public double called_down


cdef class OrderLog:
    cdef readonly array loops
    cdef set _used

    cpdef long long pop_between(self, long long first, long long last) except -2


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
