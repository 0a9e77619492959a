from cpython.array cimport array

from playhead.source2.entities.classes cimport ClassInfo
from playhead.source2.entities.entity cimport Entity, EntityPool


# Values of `playhead.source2.entities.handlers.EntityOp`.
cdef enum:
    OP_UPDATED = 2
    OP_CREATED_ENTERED = 9
    OP_DELETED_LEFT = 20


# Entities that a recording can have at a time.
cdef enum:
    ENTITIES = 16384


cdef class PastState:
    cdef readonly Entity entity
    cdef readonly bint active
    cdef EntityPool _pool
    cdef Py_ssize_t _size
    cdef array _fields

    cdef int restore(self) except -1


cdef class PastStates:
    cdef EntityPool _pool
    cdef dict _states
    cdef dict _latest
    cdef long long _latest_tick
    cdef long long _base_tick
    cdef dict _changes
    cdef Py_ssize_t _most_changes
    cdef dict _revived
    cdef set _restored
    cdef set _undeleted
    cdef set touched
    cdef long long _message
    cdef array _mentioned_array
    cdef long long* _mentioned

    cdef dict _between(self, long long one, long long other)
    cdef object _forget_changes(self)
    cdef bint _knows(self, long long server_tick) except -1
    cdef bint go_back(self, list entities, bint delta, long long base) except -1
    cdef list come_forward(self, list entities, long long server_tick)
    cdef int touch_mentioned(self) except -1
    cdef object revive(self, int index, ClassInfo info, int serial)
    cdef bint was_reported_gone(self, int index) except -1
