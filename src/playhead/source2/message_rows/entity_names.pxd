from cpython.array cimport array

from playhead.source2.entities.entity cimport Entity
from playhead.source2.entities.manager cimport EntityManager
from playhead.source2.entities.slots cimport FieldSlots
from playhead.source2.string_tables.entry_list cimport EntryList


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
