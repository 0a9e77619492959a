from playhead.source2.messages.field_reader cimport FieldReader


cdef class SharedDecoder:
    cdef str _game
    cdef object _decoder
    cdef object _report
    cdef FieldReader _checker
    cdef dict _plans
    cdef object _event_list
    cdef object _latest
    cdef object _read
    cdef long long _latest_number
    cdef object _latest_message
    cdef object _latest_list
    cdef object _latest_event

    cpdef object read(self, object payload)
    cpdef object check(self, object tick, long long number, object payload)
