from cpython.array cimport array
from playhead.bits.checked_arrays cimport resize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.conversion cimport Py_DTSF_ADD_DOT_0, PyOS_double_to_string
from cpython.mem cimport PyMem_Free
from libc.string cimport memcpy, memmove, strlen

from playhead.bits.byte_reader cimport ByteReader


cdef class ByteBuffer:
    cdef array _array
    cdef unsigned char* _data
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef int _grow(self, Py_ssize_t more) except -1
    cpdef Py_ssize_t tell(self) noexcept
    cpdef int add(self, int byte) except -1
    cpdef int add_bytes(self, bytes data) except -1
    cpdef int add_read(self, ByteReader reader, unsigned long long count) except -1
    cpdef int add_number(self, long long value) except -1
    cpdef int add_unsigned(self, unsigned long long value) except -1
    cpdef int add_utf8(self, ByteReader reader, unsigned long long count) except -1
    cpdef int add_text(self, str value) except -1
    cpdef int add_hex(self, bytes value) except -1
    cdef bint _add_shortest(self, double value) except -1
    cpdef int add_float(self, double value) except -1
    cpdef int cut(self, Py_ssize_t first, Py_ssize_t end) except -1
    cpdef int put(self, Py_ssize_t at, int byte) except -1


# For inner loops of other modules: as the methods, without a call where there is room.

cdef inline int put_byte(ByteBuffer buffer, int byte) except -1:
    if buffer._size == buffer._capacity:
        buffer._grow(1)
    buffer._data[buffer._size] = <unsigned char> byte
    buffer._size += 1
    return 0


cdef inline int put_bytes(ByteBuffer buffer, bytes data) except -1:
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    if size > buffer._capacity - buffer._size:
        buffer._grow(size)
    if size:
        memcpy(buffer._data + buffer._size, PyBytes_AS_STRING(data), size)
        buffer._size += size
    return 0


cdef inline int put_part(ByteBuffer buffer, bytes data, Py_ssize_t start, Py_ssize_t size) except -1:
    # Some of the bytes; as a slice, no more than there are.
    if start < 0 or size < 0 or start > PyBytes_GET_SIZE(data):
        return 0
    if size > PyBytes_GET_SIZE(data) - start:
        size = PyBytes_GET_SIZE(data) - start
    if size > buffer._capacity - buffer._size:
        buffer._grow(size)
    if size:
        memcpy(buffer._data + buffer._size, PyBytes_AS_STRING(data) + start, size)
        buffer._size += size
    return 0
