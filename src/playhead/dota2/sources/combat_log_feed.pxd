from playhead.source2.message_rows.table cimport MessageTable
from playhead.source2.messages.field_reader cimport FieldReader
from playhead.source2.messages.wire_decoder cimport FieldPlan
from playhead.source2.playback.decoding cimport SharedDecoder
from playhead.source2.playback.fast_path cimport MessageSink

# How the payload of an entry begins: key of its first field, the type.
cdef enum:
    TYPE_KEY = 0x08


cdef class CombatLogFeed(MessageSink):
    cdef SharedDecoder _decoder
    cdef bint _legacy
    cdef list _of_all
    cdef dict _by_type
    cdef dict _short_names
    cdef dict _by_number
    cdef FieldPlan _plan
    cdef FieldReader _reader
    cdef object _pack
    cdef object _unpack

    cdef int _hand_over(self, object tick, int number, list lists) except -1
    cdef object _entry(self, object tick, str kind)
