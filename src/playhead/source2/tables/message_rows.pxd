from cpython.array cimport array

from playhead.source2.entities.manager cimport EntityManager
from playhead.source2.entities.slots cimport FieldSlots
from playhead.source2.messages.field_reader cimport NO_HANDLE_24, NO_HANDLE_32, FieldPlan, FieldReader
from playhead.source2.playback.dispatch cimport MessageSink
from playhead.source2.string_tables.entry_list cimport EntryList
from playhead.tables.column_buffers cimport Int32Buffer
from playhead.tables.byte_buffer cimport put_part
from playhead.tables.nullable_columns cimport TextColumn, ValueColumn, append_value

# `playhead.source2.tables.row_content.Content`.
cdef enum:
    NOTHING = 0
    NUMBER = 1
    NOT_NEGATIVE = 2
    NOT_ZERO = 3
    HANDLE = 4
    CODE = 5
    CODE_OF = 6
    NAME = 7
    AXIS = 8
    BYTES = 9
    STRING = 10
    OTHERS = 11
    NUMBERS = 12
    NAMES = 13
    PLAYERS = 14
    CALL = 15
    FIELD = 16


# What a column's only slot is where a missing value leaves nothing to do; never, always.
cdef enum:
    NOT_LONE = -1
    ALWAYS_NULL = -2


# Bits of a handle that are the index; of a span that are its size.
cdef enum:
    INDEX_BITS_SET = 16383
    SIZE_BITS_SET = 4294967295


cdef class EntityNames:
    cdef EntityManager _manager
    cdef FieldSlots _slots
    cdef dict _fields
    cdef object _tables
    cdef bint _followed
    cdef object _table
    cdef EntryList _entries
    cdef dict _texts

    cpdef object name(self, object index)
    cdef object name_at(self, long long index)
    cdef long long number_at(self, long long index, str field) except -2
    cdef object _called(self, object number)


cdef class RowPlan:
    cdef FieldPlan _fields
    cdef array _ops
    cdef array _slots
    cdef array _counts
    cdef array _steps
    cdef array _numbers
    cdef int* _op_of
    cdef int* _slot_of
    cdef int* _count_of
    cdef int* _step_of
    cdef int* _number_of
    cdef array _lone
    cdef int* _lone_of
    cdef list _objects


cdef class MessageTable:
    cdef readonly Int32Buffer ticks
    cdef list _types
    cdef Py_ssize_t _width
    cdef Py_ssize_t _rows
    cdef EntityNames _names
    cdef list _columns
    cdef list _lists
    cdef list _codes
    cdef list _texts
    cdef list _number_codes
    cdef list _byte_codes
    cdef FieldReader _reader

    cdef object _begin(self)
    cdef int _code(self, Py_ssize_t column, object text) except -2
    cpdef bint add(self, RowPlan plan, int tick, bytes payload) except -1
    cdef int _put(self, RowPlan plan, Py_ssize_t column, int op, bytes payload, Py_ssize_t before) except -1
    cdef int _put_code(
        self, ValueColumn values, RowPlan plan, Py_ssize_t column, bint there, long long value
    ) except -1
    cdef int _byte_code(self, Py_ssize_t column, bytes text) except -2
    cdef int _put_name(self, ValueColumn values, Py_ssize_t column, int form, bint there, long long value) except -1
    cdef int _put_list(self, ValueColumn values, Py_ssize_t column, int op, bint there) except -1
    cdef int _put_object(self, Py_ssize_t column, object value) except -1
    cdef object _named(self, Py_ssize_t column, ValueColumn values)


cdef class MessageTaker(MessageSink):
    cdef MessageTable _table
    cdef RowPlan _plan
    cdef object _otherwise


cdef class BatchTaker:
    cdef MessageTable _table
    cdef RowPlan _plan
    cdef Py_ssize_t _batch_size
    cdef object _full

    cpdef bint take(self, int tick, bytes payload) except -1
