from playhead.tables.column_buffers cimport Int32Buffer, Int64Buffer


cdef class FieldColumn:
    cdef bint _is_list
    cdef bint _present
    cdef long long _pending
    cdef long long _nothing
    cdef int _length
    cdef bint _missing
    cdef Int64Buffer _values
    cdef Int32Buffer _marks
    cdef tuple _done

    cdef int put(self, long long value) except -1
    cdef int finish(self) except -1
    cdef tuple _end(self)
