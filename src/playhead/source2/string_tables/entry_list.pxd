from playhead.source2.string_tables.dumps cimport DumpedTable


cdef bytes as_text(bytes name)


cdef class EntryList:
    cdef object _item
    cdef list _names
    cdef list _values
    cdef list _numbers
    cdef dict _places
    cdef dict _items
    cdef Py_ssize_t _made
    cdef list _stale
    cdef DumpedTable _agreed

    cdef object _clear(self)
    cpdef Py_ssize_t place_of(self, long long number) except -2
    cpdef bytes name_at(self, Py_ssize_t place)
    cpdef int add(self, long long number, bytes name, object value) except -1
    cpdef int put(self, Py_ssize_t place, object value) except -1
    cdef int _make(self, Py_ssize_t place) except -1
