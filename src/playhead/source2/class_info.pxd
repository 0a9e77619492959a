from cpython.array cimport array


cdef class ClassInfo:
    cdef readonly int class_id
    cdef readonly str name
    cdef readonly object fields
    cdef object _wanted
    cdef list _slots
    cdef list _decoders
    cdef dict _names
    cdef dict _children
    cdef dict _polymorphic
    cdef array _cell_array
    cdef int* _cell
    cdef readonly int cells
    cdef dict _map
    cdef array _keys_array
    cdef array _numbers_array
    cdef unsigned long long* _keys
    cdef int* _numbers
    cdef unsigned long long _mask
    cdef long long _map_size

    cdef object _refresh(self)
    cdef inline unsigned long long _start(self, unsigned long long path) noexcept nogil
    cdef int slot(self, unsigned long long path, object entity) except -2
    cdef int _remember(self, unsigned long long path, int number) except -1
    cdef int _rehash(self) except -1
    cdef int _slot_by_types(self, unsigned long long path, object entity) except -2
    cdef int _add_path(self, unsigned long long path, object entity) except -2
    cdef int _add(self, tuple path, tuple types) except -2
    cpdef object children(self, int number)
