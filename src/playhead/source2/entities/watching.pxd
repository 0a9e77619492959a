from cpython.array cimport array

from playhead.bits.checked_arrays cimport resize
from playhead.source2.entities.classes cimport KIND_MASK, SEVERAL_CELLS, ClassInfo, cell_of, form_of
from playhead.source2.entities.entity cimport Entity
from playhead.source2.entities.field_path cimport FieldPathReader
from playhead.source2.schema.decoder cimport LENGTH, POINTER, STRING

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


cdef class FieldWatch:
    cdef FieldSlots _slots
    cdef object _handler
    cdef list _known
    cdef dict _touching
    cdef ClassInfo _class
    cdef array _touches
    cdef int _updated
    cdef array _forgotten

    cdef bint _concerns(self, Entity entity, int op) except -1
    cdef bint ignores(self, Entity entity, FieldPathReader slots) except -1
    cdef object _meet(self, ClassInfo info)
    cdef bint _differs(self, Entity entity, bint keep) except -1


cdef class WatchGroup:
    cdef tuple _watches
    cdef readonly ClassInfo info
    cdef array _touches
    cdef array _forgotten
    cdef array _settled

    cdef bint _is_settled(self, Py_ssize_t index) except -1
    cdef bint ignores(self, Entity entity, FieldPathReader slots) except -1
    cdef object _meet(self)
