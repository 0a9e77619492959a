from cpython.array cimport array

from playhead.source2.entities.field_path cimport FieldPathReader
from playhead.source2.schema.decoder cimport ValuePool


cdef class EntityPool:
    cdef readonly ValuePool strings
    cdef FieldPathReader paths
    cdef public double seconds_per_tick
    cdef readonly long long values
    cdef long long _left
    cdef long long _most
    cdef array _scratch_array
    cdef long long* _scratch

    cdef int reserve(self, long long cells) except -1
