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
    cdef object _table
    cdef EntryList _entries
    cdef dict _texts

    cpdef str name(self, object index)
    cdef object name_at(self, long long index)
    cdef long long number_at(self, long long index, str field) except -2
    cdef str _called(self, object value)
