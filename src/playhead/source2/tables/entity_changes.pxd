from cpython.array cimport array

from playhead.source2.entities.classes cimport ClassInfo
from playhead.source2.entities.entity cimport Entity
from playhead.source2.entities.slots cimport FieldSlots


cdef class EntityChanges:
    cdef readonly list changes
    cdef FieldSlots _slots
    cdef long long _absent
    cdef dict _last
    cdef array _none

    cdef int _look(self, object tick, object subject, object found, str prefix) except -1
    cdef long long _value(self, Entity entity, int number) noexcept
