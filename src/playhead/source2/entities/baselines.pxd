from cpython.array cimport array, clone
from libc.string cimport memcmp, memcpy

from playhead.bits.bit_reader cimport BitReader
from playhead.source2.entities.classes cimport ClassInfo, EntityPool, FieldHistory
from playhead.source2.entities.entity cimport Entity

cdef class Baselines:
    cdef readonly long long decoded
    cdef EntityPool _pool
    cdef dict _sent
    cdef dict _of_classes
    cdef list _own

    cpdef object update(self, str key, bytes value)
    cdef bint _recall(self, ClassInfo info, Entity entity, str key, bytes sent) except -1
    cpdef object decode(self, ClassInfo info, str key)
    cdef object of_class(self, ClassInfo info, object alternate)
    cdef object own(self, int baseline, long long index, ClassInfo info)
    cdef int copy_own(self, int baseline) except -1
    cdef int keep_own(self, int baseline, Entity entity) except -1
    cdef int forget_own(self, long long index) except -1


# Values of `playhead.source2.entities.handlers.EntityOp`.
cdef enum:
    OP_UPDATED = 2
    OP_CREATED_ENTERED = 9
    OP_DELETED_LEFT = 20


# Bound on kept states: four seconds of packets. A server sends a complete state to a client that was silent for
# longer. And the number of indices compared at once.
cdef enum:
    MOST_STATES = 128
    BLOCK = 64


cdef array _SAVED


cdef class PastState:
    cdef readonly Entity entity
    cdef readonly bint active
    cdef EntityPool _pool
    cdef Py_ssize_t _room
    cdef Py_ssize_t _count
    cdef FieldHistory _history
    cdef array _saved

    cdef int save(self, Entity entity) except -1
    cdef int restore(self) except -1
    cdef int forget(self) except -1


cdef class PastStates:
    cdef EntityPool _pool
    cdef list _versions
    cdef list _free
    cdef Py_ssize_t _most_versions
    cdef long long _latest_tick
    cdef long long _base_tick
    cdef dict _revived
    cdef set _undeleted
    cdef int _message
    cdef Py_ssize_t _places
    cdef array _now_array
    cdef array _mentioned_array
    cdef array _touched_at_array
    cdef array _touched_array
    cdef array _restored_array
    cdef int* _now
    cdef int* _mentioned
    cdef int* _touched_at
    cdef int* _touched
    cdef int* _restored
    cdef int _touched_count
    cdef int _restored_count
    cdef long long _ticks[128]
    cdef int _count
    cdef list _tables

    cdef int _grow(self, long long index) except -1
    cdef int _save(self, Entity entity) except -1
    cdef int _collect(self) except -1
    cdef inline int mention(self, int index) except -1
    cdef inline int touch(self, int index) except -1
    cdef int _find(self, long long server_tick) except -2
    cdef int _keep_states(self, long long first, long long end) except -1
    cdef int _keep_state(self, long long server_tick) except -1
    cdef bint restore_base(self, list entities, bint delta, long long base) except -1
    cdef int _restore(self, list entities, array table) except -1
    cdef int touch_mentioned(self) except -1
    cdef object revive(self, int index, ClassInfo info, int serial)
    cdef bint was_reported_deleted(self, int index) except -1
    cdef int keep_current(self, list entities, long long server_tick, list changed) except -1
