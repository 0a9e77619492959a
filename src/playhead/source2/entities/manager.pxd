from playhead.bits.bit_reader cimport BitReader
from playhead.bits.byte_reader cimport ByteReader
from playhead.source2.entities.classes cimport ClassInfo
from playhead.source2.entities.entity cimport Entity, EntityPool


cdef class EntityManager:
    cdef readonly list entities
    cdef readonly object tracker
    cdef readonly bint valid
    cdef readonly long long messages
    cdef readonly long long baselines_decoded
    cdef readonly long long creates
    cdef readonly long long updates
    cdef readonly long long skipped
    cdef readonly long long unknown_deletes
    cdef readonly long long missing_baselines
    cdef object _layouts
    cdef readonly EntityPool pool
    cdef public object string_tables
    cdef dict _names
    cdef readonly dict classes
    cdef unsigned int _class_bits
    cdef dict _raw_baselines
    cdef dict _baselines
    cdef dict _own_baselines
    cdef list _changed
    cdef dict _alternates
    cdef dict _fitting
    cdef int _deletion_list
    cdef int _at

    cdef object _baseline(self, ClassInfo info, str key)
    cpdef list apply(self, bytes payload)
    cdef list apply_window(self, BitReader reader)
    cdef int _apply(self, BitReader reader) except -1
    cdef int _apply_data(
        self,
        BitReader reader,
        long long updated,
        bint delta,
        bint has_pvs,
        dict alternates,
        bint update_baseline,
        int baseline,
    ) except -1
    cdef int _read_deletions(self, BitReader reader) except -1
    cdef int _note(self, Entity entity, int op) except -1
    cdef int _update(self, Entity entity, BitReader reader) except -1
    cdef int _create(
        self, int index, BitReader reader, dict alternates, bint update_baseline, int baseline
    ) except -1
    cdef int _leave(self, int index, bint delete) except -1
