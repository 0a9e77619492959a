from playhead.source2.messages.field_plan cimport FieldPlan
from playhead.source2.messages.field_reader cimport FieldReader
from playhead.source2.playback.decoding cimport SharedDecoder
from playhead.source2.playback.dispatch cimport MessageSink
from playhead.tables.column_buffers cimport Int32Buffer, append_int32
from playhead.tables.nullable_columns cimport TextColumn

# Game events have a table of their own, and their list of descriptors has no place in any.
cdef enum:
    GAME_EVENT_LIST = 205
    GAME_EVENT = 207


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
