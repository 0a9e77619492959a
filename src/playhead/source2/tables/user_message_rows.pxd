from playhead.source2.messages.field_reader cimport FieldPlan, FieldReader
from playhead.source2.playback.decoding cimport SharedDecoder
from playhead.source2.playback.dispatch cimport MessageSink
from playhead.tables.column_buffers cimport Int32Buffer
from playhead.tables.nullable_columns cimport TextColumn

# Game events have a table of their own, and their list of descriptors has no place in any.
cdef enum:
    GAME_EVENT_LIST = 205
    GAME_EVENT = 207


cdef class UserMessageRows(MessageSink):
    cdef readonly Int32Buffer ticks
    cdef readonly Int32Buffer numbers
    cdef readonly TextColumn fields
    cdef readonly TextColumn raw
    cdef SharedDecoder _decoder
    cdef object _definitions
    cdef dict _plans
    cdef list _common
    cdef FieldReader _reader

    cdef FieldPlan _plan(self, long long number)


cdef class DecodingCheck(MessageSink):
    cdef SharedDecoder _decoder
