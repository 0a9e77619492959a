from cpython.array cimport array, resize
from libc.string cimport memcpy

from playhead.sc2.encoding.program_reader cimport ProgramReader
from playhead.tables.column_buffers cimport Int32Buffer, Int64Buffer


cdef class FieldColumn:
    cdef bint _is_list
    cdef bint _present
    cdef long long _pending
    cdef int _length
    cdef Int64Buffer _values
    cdef Int32Buffer _marks

    cdef int _put(self, long long value) except -1
    cdef int _finish(self) except -1


cdef class EventColumns(ProgramReader):
    cdef bint _text
    cdef bint _capturing
    cdef list _quoted
    cdef readonly dict columns
    cdef readonly dict orders
    cdef readonly list texts
    cdef list _by_slot
    cdef dict _captured
    cdef dict _text_numbers
    cdef dict _json_cache
    cdef readonly Int32Buffer ticks
    cdef readonly Int32Buffer users
    cdef readonly Int32Buffer numbers
    cdef readonly Int32Buffer text_ends
    cdef int _rows
    cdef Py_ssize_t _max_text
    cdef array _out
    cdef char* _chars
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef int _room(self, Py_ssize_t wanted) except -1
    cdef int _put(self, bytes piece) except -1
    cdef int _put_char(self, int char) except -1
    cdef int _put_int(self, long long value) except -1
    cdef int _put_blob(self, bytes raw) except -1
    cdef int _capture(self, long long node, long long value) except -1
    cdef int _capture_blob(self, long long node, bytes raw) except -1
    cdef int _walk_packed(self, long long node) except -1
    cdef int _walk_bits(self, long long node, long long count) except -1
    cdef int _walk_tagged(self, long long node) except -1
    cdef int _walk_raw(self, int depth) except -1
    cdef int _read_row(self) except -1
