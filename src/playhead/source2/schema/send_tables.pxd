from cpython.array cimport array
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM


cdef extern from "Python.h":
    void PyObject_GC_UnTrack(object)
