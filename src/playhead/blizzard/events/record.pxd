from cpython.array cimport array

from playhead.blizzard.encoding.event_decoder cimport EventDecoder

cdef extern from *:
    """
    /* An object of a class that EventRecord is a base of, as calling `__new__` of the class makes it. */
    #define playhead_new_object(type_, nothing) (((PyTypeObject*)(type_))->tp_new((PyTypeObject*)(type_), nothing, NULL))
    """
    object new_object "playhead_new_object" (object type_, tuple nothing)

cdef extern from "Python.h":
    void leave_alone "PyObject_GC_UnTrack" (object made)


cdef class AddedFields:
    cdef readonly object of
    cdef readonly tuple names
    cdef tuple _paths
    cdef tuple _converts
    cdef tuple _defaults
    cdef object _settle
    cdef tuple _shown

    cpdef dict payload(self, tuple values)
    cpdef tuple make(self, object fields, object scope)


cdef class EventKind:
    cdef readonly str name
    cdef readonly AddedFields plan
    cdef object _program
    cdef bint _tagged
    cdef int _id_bits
    cdef double _rate
    cdef dict _players
    cdef object _scope
    cdef list _decoders
    cdef long long _number

    cdef object _fields(self, bytes raw)
    cdef double _seconds(self, long long loop)
    cdef object _player(self, long long user, object fields)
    cdef tuple _values(self, long long loop, long long user, bytes raw)


cdef class EventRecord:
    cdef EventKind _kind
    cdef bytes _raw
    cdef tuple _held
    cdef int _loop
    cdef int _user

    cdef tuple _all(self)


cdef class FriendlyField:
    cdef Py_ssize_t _place
