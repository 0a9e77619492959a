from playhead.blizzard.encoding.program_reader cimport ProgramReader


cdef class EventDecoder(ProgramReader):
    cpdef object fields_of(self, bytes event)
    cdef object _event_object(self, long long node)
    cdef object _packed_object(self, long long node)
    cdef object _bit_array(self, long long count)
    cdef object _tagged_object(self, long long node)
    cdef object _raw_object(self, int depth)
