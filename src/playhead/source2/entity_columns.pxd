from cpython.array cimport array

from playhead.source2.class_info cimport ClassInfo
from playhead.source2.entity cimport Entity
from playhead.source2.field_decoder cimport FieldDecoder
from playhead.tables.column_buffers cimport Int32Buffer, Int64Buffer


cdef class EntityColumn:
    cdef readonly str name
    cdef int _kind
    cdef int _width
    cdef Int64Buffer _values
    cdef Int32Buffer _marks
    cdef Py_ssize_t _rows

    cdef int pad(self, Py_ssize_t rows) except -1
    cdef int put(self, Entity entity, int number, Py_ssize_t row) except -1
    cdef bint _takes(self, FieldDecoder decoder)


cdef class EntityColumns:
    cdef readonly dict columns
    cdef readonly Py_ssize_t rows
    cdef object _wanted
    cdef dict _plans

    cdef tuple _plan(self, ClassInfo info)
    cpdef int add(self, Entity entity) except -1
    cpdef int skip(self) except -1
