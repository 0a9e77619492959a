from cpython.array cimport array, resize
from libc.string cimport memset

from playhead.source2.entities.classes cimport ClassInfo
from playhead.source2.entities.entity cimport Entity, EntityPool
from playhead.source2.schema.decoder cimport FieldDecoder
from playhead.source2.entities.slots cimport FieldSlots


cdef class EntityColumn:
    cdef readonly str name
    cdef int _kind
    cdef int _width
    cdef array _cells_array
    cdef array _valid_array
    cdef long long* _cells
    cdef unsigned char* _valid
    cdef Py_ssize_t _capacity

    cdef object _begin(self)
    cdef int _grow(self, Py_ssize_t rows) except -1
    cdef int put(self, Entity entity, int number, Py_ssize_t row) except -1
    cdef bint _takes(self, FieldDecoder decoder)


cdef class EntityColumns:
    cdef readonly dict columns
    cdef readonly Py_ssize_t rows
    cdef FieldSlots _slots
    cdef list _ordered

    cdef object _widen(self)
    cpdef int add(self, Entity entity, str prefix=*) except -1
