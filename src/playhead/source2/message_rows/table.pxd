from cpython.array cimport array

from playhead.source2.entities.entity cimport Entity
from playhead.source2.entities.manager cimport EntityManager
from playhead.source2.entities.watching cimport FieldSlots
from playhead.source2.messages.field_reader cimport NO_HANDLE_24, NO_HANDLE_32, FieldReader
from playhead.source2.messages.wire_decoder cimport MOST_SLOTS, FieldPlan
from playhead.source2.playback.decoding cimport SharedDecoder
from playhead.source2.playback.fast_path cimport MessageSink
from playhead.source2.string_tables.entries cimport EntryList
from playhead.tables.json_columns cimport put_bytes, put_part
from playhead.tables.column_buffers cimport Int32Buffer, append_int32
from playhead.tables.json_columns cimport TextColumn, ValueColumn, append_value

# Bits of a handle that are the index.
cdef enum:
    INDEX_BITS_SET = 16383


cdef class EntityNames:
    cdef EntityManager _manager
    cdef FieldSlots _slots
    cdef dict _fields
    cdef object _tables
    cdef dict _by_name
    cdef list _by_id
    cdef Py_ssize_t _count
    cdef Py_ssize_t _number
    cdef object _table
    cdef EntryList _entries
    cdef list _given
    cdef list _texts

    cpdef str name(self, object index)
    cdef object name_at(self, long long index)
    cdef long long number_at(self, long long index, str field) except -2
    cdef object _find_table(self)
    cdef long long _number_in(self, Entity entity, FieldSlots slots) except -2
    cdef object _called(self, long long number)


# `Content`.
cdef enum:
    NOTHING = 0
    NUMBER = 1
    NOT_NEGATIVE = 2
    NOT_ZERO = 3
    HANDLE = 4
    CONSTANT = 5
    TEXT_OF = 6
    NAME = 7
    AXIS = 8
    BYTES = 9
    OTHERS = 10
    NUMBERS = 11
    NAMES = 12
    PLAYERS = 13
    CALL = 14
    FIELD = 15


# Numbers below this keep the codes of their texts.
cdef enum:
    MOST_KNOWN = 64


# Bits of a span that are its size.
cdef enum:
    SIZE_BITS_SET = 4294967295


cdef class CellPlan:
    cdef readonly int content
    cdef readonly int slot
    cdef readonly int count
    cdef readonly int step
    cdef int number
    cdef object extra
    cdef dict _codes
    cdef int[MOST_KNOWN] _known


cdef class RowPlan:
    cdef readonly FieldPlan fields
    cdef int _number
    cdef list _cells
    cdef array _asked
    cdef Py_ssize_t _asked_count
    cdef int* _asked_at
    cdef array _first
    cdef array _next
    cdef array _columns
    cdef array _is_number
    cdef int* _first_of
    cdef int* _next_of
    cdef int* _column_of
    cdef unsigned char* _is_number_at


cdef class MessageTable:
    cdef readonly Int32Buffer ticks
    cdef readonly Int32Buffer numbers
    cdef readonly list plans
    cdef readonly int unknown
    cdef TextColumn _others
    cdef list _types
    cdef array _is_text
    cdef array _is_plain
    cdef Py_ssize_t _rows
    cdef Py_ssize_t _batch
    cdef EntityNames _names
    cdef list _columns
    cdef list _lists
    cdef list _codes
    cdef list _closed
    cdef list _packed
    cdef object _room
    cdef FieldReader _reader

    cdef object _begin(self)
    cdef object _open(self)
    cdef object _close(self)
    cdef object _stored(self, Py_ssize_t i, str kind)
    cdef int _code(self, Py_ssize_t column, object text) except -2
    cdef int _number_of(self, RowPlan plan) except -1
    cpdef bint append(self, RowPlan plan, int tick, bytes payload) except -1
    cdef int _append_cell(self, CellPlan cell, Py_ssize_t column, bytes payload) except -1
    cdef int _text_code(self, CellPlan cell, Py_ssize_t column, long long value) except -2
    cdef int _append_name(self, ValueColumn values, Py_ssize_t column, int form, bint there, long long value) except -1
    cdef int _append_list(self, ValueColumn values, Py_ssize_t column, int content, bint there) except -1
    cdef int _append_object(self, Py_ssize_t column, object value) except -1
    cdef object _column_to_arrow(self, Py_ssize_t i, str kind)
    cdef object _form(self, Py_ssize_t i, str kind)
    cdef object _named(self, Py_ssize_t column, object codes)


cdef class MessageAppender(MessageSink):
    cdef MessageTable _table
    cdef RowPlan _plan
    cdef object _plan_of
    cdef SharedDecoder _decoder
    cdef object _otherwise
