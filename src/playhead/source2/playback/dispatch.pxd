cdef class MessageSink:
    cpdef int accept(self, int tick, long long number, bytes payload) except -1
