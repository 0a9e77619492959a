from playhead.source2.messages.field_reader cimport FieldReader
from playhead.source2.messages.packet cimport PacketReader
from playhead.source2.messages.wire_decoder cimport FieldPlan
from playhead.source2.playback.decoding cimport SharedDecoder
from playhead.source2.playback.fast_path cimport MessageSink, PacketSink
from playhead.tables.column_buffers cimport Int32Buffer, Int32Columns
from playhead.tables.json_columns cimport TextColumn, ValueColumn

# Messages of lower numbers are counted without a dict; all known messages have lower numbers.
cdef enum:
    MOST_COUNTED = 4096

# Game events have a table of their own, and their list of descriptors has no place in any.
cdef enum:
    GAME_EVENT_LIST = 205
    GAME_EVENT = 207


cdef class FrameSizes(PacketSink):
    cdef readonly ValueColumn column


cdef class MessageColumns(PacketSink):
    cdef readonly Int32Columns rows
    cdef long long[MOST_COUNTED] _counted
    cdef dict _rare
    cdef bint _store

    cpdef int add_frame(self, int frame, int tick, int command, long long offset, int size) except -1
    cpdef int add_packet(self, int frame, int tick, int command, long long offset, object data) except -1
    cdef int _count(self, int number) except -1
    cdef int _row(self, int frame, int tick, int command, long long offset, int id, int size) except -1


cdef class UserMessageRows(MessageSink):
    cdef readonly Int32Buffer ticks
    cdef readonly Int32Buffer numbers
    cdef readonly object decodable
    cdef readonly object undecodable
    cdef Py_ssize_t _batch
    cdef TextColumn _open
    cdef dict _open_undecodable
    cdef SharedDecoder _decoder

    cpdef int close(self) except -1


cdef class MessageTexts:
    cdef object _numbers
    cdef object _payloads
    cdef object _plan_of
    cdef object _fields_of
    cdef dict _plans

    cdef object _written(self, object numbers, object payloads)


cdef class DecodingCheck(MessageSink):
    cdef SharedDecoder _decoder
