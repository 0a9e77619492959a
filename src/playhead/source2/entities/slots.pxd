from cpython.array cimport array

from playhead.source2.entities.classes cimport ClassInfo
from playhead.source2.entities.entity cimport Entity


cdef class FieldSlots:
    cdef readonly list names
    cdef object _wanted
    cdef dict _places
    cdef dict _answers
    cdef dict _known
    cdef list _classes
    cdef list _of_class

    cdef array numbers(self, ClassInfo info, str prefix)
    cdef tuple _find(self, ClassInfo info, str prefix)
    cdef bint _wants(self, str name) except -1
