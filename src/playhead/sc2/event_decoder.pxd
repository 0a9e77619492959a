from cpython.array cimport array, resize
from libc.string cimport memcpy

from playhead.bits.byte_reader cimport ByteReader
from playhead.sc2.bit_packed cimport BitPackedReader
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


cdef class EventDecoder:
    cdef bint _tagged
    cdef unsigned int _id_bits
    cdef bint _text
    cdef bint _capturing
    cdef BitPackedReader _bits
    cdef ByteReader _bytes
    cdef object _kinds_held
    cdef tuple _arrays
    cdef long long* _kinds
    cdef long long* _lows
    cdef long long* _widths
    cdef long long* _firsts
    cdef long long* _counts
    cdef long long* _tags
    cdef long long* _slots
    cdef list _keys
    cdef list _quoted
    cdef dict _roots
    cdef dict _names
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
    cdef long long _loop
    cdef long long _number
    cdef long long _user
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
    cdef int _corrupt(self, str what, long long found) except -1
    cdef long long _case(self, long long node, long long tag) except -1
    cdef int _walk_packed(self, long long node) except -1
    cdef int _walk_bits(self, long long node, long long count) except -1
    cdef object _bit_array(self, long long count)
    cdef bytes _packed_bytes(self, long long node)
    cdef object _packed_object(self, long long node)
    cdef int _tag(self, int wanted, str what) except -1
    cdef long long _count_of(self, long long least) except -1
    cdef long long _int_of_32_bits(self) except? -0x7EADBEEF01
    cdef bytes _tagged_bytes(self)
    cdef int _walk_tagged(self, long long node) except -1
    cdef int _walk_raw(self, int depth) except -1
    cdef object _tagged_object(self, long long node)
    cdef object _raw_object(self, int depth)
    cpdef unsigned long long tell(self) noexcept
    cpdef unsigned long long remaining(self) noexcept
    cdef long long _head(self) except -2
    cdef int _read_row(self) except -1
