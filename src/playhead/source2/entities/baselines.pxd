from cpython.array cimport array

from playhead.bits.bit_reader cimport BitReader
from playhead.source2.entities.classes cimport ClassInfo, EntityPool
from playhead.source2.entities.entity cimport Entity


cdef class Baselines:
    cdef readonly long long decoded
    cdef EntityPool _pool
    cdef dict _sent
    cdef dict _of_classes
    cdef list _own

    cpdef object update(self, str key, bytes value)
    cdef bint _recall(self, ClassInfo info, Entity entity, str key, bytes sent) except -1
    cpdef object decode(self, ClassInfo info, str key)
    cdef object of_class(self, ClassInfo info, object alternate)
    cdef object own(self, int baseline, long long index, ClassInfo info)
    cdef int copy_own(self, int baseline) except -1
    cdef int keep_own(self, int baseline, Entity entity) except -1
    cdef int forget_own(self, long long index) except -1
