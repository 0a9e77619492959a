from playhead.source2.entities.entity cimport Entity, EntityPool


cdef class PastState:
    cdef readonly Entity entity
    cdef readonly Entity fields
    cdef readonly bint active

    cdef int restore(self) except -1


cdef class PastStates:
    cdef EntityPool _pool
    cdef dict _states
    cdef dict _latest

    cdef dict latest(self)
    cdef dict at(self, long long server_tick)
    cdef int keep(self, long long server_tick, dict state, set touched, list entities) except -1
