from cpython.array cimport array
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from playhead.source2.schema.flattened cimport (
    BIT_COUNT,
    CELLS,
    ENCODER,
    ENUMERATION,
    FIRST_TYPE,
    FLAGS,
    HIGH,
    LOW,
    NAME,
    POLYMORPHIC,
    PRESENT,
    SEND_NODE,
    TABLE_CELLS,
    TABLE_COUNT,
    TABLE_NAME,
    TABLE_NUMBERS,
    TABLE_VERSION,
    TYPE,
    TYPE_CELLS,
    FlattenedSchema,
)


cdef extern from "Python.h":
    void PyObject_GC_UnTrack(object)


cdef class FieldPool


cdef class Serializer:
    cdef readonly str name
    cdef readonly object version
    cdef object _fields
    cdef FieldPool _pool
    cdef Py_ssize_t _first
    cdef Py_ssize_t _count


cdef class FieldPool:
    cdef FlattenedSchema _flat
    cdef Py_ssize_t _count
    cdef list _made
    cdef list _kinds
    cdef bytearray _referring

    cdef inline int _cell(self, Py_ssize_t number, int cell) noexcept
    cdef inline bint _has(self, Py_ssize_t number, int cell) noexcept
    cdef int _check_field(self, Py_ssize_t number) except -1
    cdef str _symbol(self, Py_ssize_t number, int cell)
    cdef tuple _polymorphic(self, Py_ssize_t number)
    cdef object _number(self, Py_ssize_t number, int cell)
    cdef object _float(self, Py_ssize_t number, int cell)
    cdef object _field(self, Py_ssize_t number)
    cdef tuple chosen(self, Py_ssize_t first, Py_ssize_t count)
    cdef object send_tables(self)
    cdef list _referring_of(self, Serializer table)
