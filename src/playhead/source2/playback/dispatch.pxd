cdef class MessageSink:
    cpdef int accept(self, int tick, long long number, bytes payload) except -1


cdef class PacketSink:
    cdef int take_packet(
        self, int frame, int tick, long long offset, int size, int* ids, int* sizes, Py_ssize_t count
    ) except -1
