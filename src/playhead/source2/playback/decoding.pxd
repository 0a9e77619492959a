from playhead.source2.messages.field_reader cimport FieldReader
from playhead.source2.messages.wire_decoder cimport FieldPlan, WireDecoder


cdef class SharedDecoder:
    cdef str _game
    cdef object _decoder
    cdef object _report
    cdef FieldReader _checker
    cdef dict _plans
    cdef list _common
    cdef object _event_list
    cdef object _latest
    cdef object _read
    cdef long long _read_number
    cdef long long _latest_number
    cdef object _latest_message
    cdef bint _latest_unknown
    cdef set _told
    cdef dict _inside
    cdef object _latest_list
    cdef object _latest_event

    cpdef int read(self, long long number, object payload) except -1
    cpdef bint has_fields(self, int tick, long long number, bytes payload) except -1
    cdef FieldPlan _plan(self, long long number)
