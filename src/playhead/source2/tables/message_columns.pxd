from playhead.source2.messages.packet cimport PacketReader
from playhead.tables.column_buffers cimport Int32Buffer, Int64Buffer


cdef class MessageColumns:
    cdef readonly Int32Buffer ticks
    cdef readonly Int32Buffer frames
    cdef readonly Int32Buffer commands
    cdef readonly Int32Buffer ids
    cdef readonly Int32Buffer sizes
    cdef readonly Int64Buffer offsets
    cdef readonly dict counts
    cdef bint _store

    cpdef int add_frame(self, int frame, int tick, int command, long long offset, int size) except -1
    cpdef int add_packet(self, int frame, int tick, int command, long long offset, object data) except -1
    cdef int _row(self, int frame, int tick, int command, long long offset, int id, int size) except -1
