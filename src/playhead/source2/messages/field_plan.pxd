from cpython.array cimport array

from playhead.source2.messages.wire_decoder cimport BYTES, ENUM, MESSAGE, STRING, WireDecoder

# What happens to a field.
cdef enum:
    TEXT = 0
    IGNORED = 1
    VALUE = 2
    SPAN = 3
    LIST = 4
    INSIDE = 5
    FLAT = 6


# Bit positions in a plan's number of a field; bit 0 is whether it is repeated, `ROW_KEPT` whether it may also be JSON,
# `ROW_PLAIN` whether it is a stored number that is neither, `ROW_PASSED` whether it may be skipped and is no message.
cdef enum:
    ROW_ACTION = 1
    ROW_WIRE = 4
    ROW_KEPT = 7
    ROW_KIND = 8
    ROW_PLAIN = 13
    ROW_PASSED = 14
    ROW_PLACE = 16
    ROW_KINDS = 31


cdef enum:
    MOST_SLOTS = 128


cdef class FieldPlan:
    cdef WireDecoder _decoder
    cdef array _actions
    cdef array _slots
    cdef array _before
    cdef array _handles
    cdef int* _action_of
    cdef int* _slot_of
    cdef int* _before_of
    cdef int* _handle_of
    cdef list _inside
    cdef list _passing
    cdef bytes _keys
    cdef array _key_ends
    cdef int* _key_end_of
    cdef array _rows
    cdef int* _row_of

    cdef bint _text

    cdef object _tell(self)
    cdef int _row(self, int place) except -2
    cdef object _tell_one(self, int place)
    cdef list _enums
