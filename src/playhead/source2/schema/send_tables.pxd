from cpython.array cimport array
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM


cdef extern from "Python.h":
    void PyObject_GC_UnTrack(object)


cdef class Serializer:
    cdef readonly str name
    cdef readonly object version
    cdef object _fields
    cdef array _numbers
