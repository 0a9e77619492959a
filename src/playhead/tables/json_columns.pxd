from cpython.array cimport array
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.conversion cimport PyOS_double_to_string, Py_DTSF_ADD_DOT_0
from cpython.mem cimport PyMem_Free
from libc.string cimport memcpy, memmove, memset, strlen
from playhead.bits.byte_reader cimport ByteReader
from playhead.bits.checked_arrays cimport resize

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


cdef class ValueColumn:
    cdef array _cells
    cdef array _valid
    cdef long long* _cell
    cdef unsigned char* _there
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef object _begin(self)
    cdef int _grow(self, Py_ssize_t rows) except -1
    cpdef int append(self, long long value, bint there) except -1
    cpdef int fill(self, Py_ssize_t rows) except -1


cdef class TextColumn:
    cdef readonly ByteBuffer data
    cdef ValueColumn _ends

    cdef object _begin(self)
    cdef object _in_one(self, object form)
    cpdef int end(self, bint there) except -1


# For inner loops of other modules: as the method, without a call where there is room.

cdef inline int append_value(ValueColumn column, long long value, bint there) except -1:
    if column._size == column._capacity:
        column._grow(column._size + 1)
    column._cell[column._size] = value
    column._there[column._size] = there
    column._size += 1
    return 0


# Kinds of the values of a column.
cdef enum:
    WHOLE = 0
    REAL = 1
    CODE = 2
    WHOLES = 3


cdef class JsonColumn:
    cdef bytes _key
    cdef int _kind
    cdef list _texts
    cdef array _there
    cdef array _wholes
    cdef array _reals
    cdef array _ends
    cdef unsigned char* _there_of
    cdef long long* _whole_of
    cdef double* _real_of
    cdef long long* _end_of

    cdef int add(self, ByteBuffer data, Py_ssize_t row) except -1
    cdef int _add_list(self, ByteBuffer data, Py_ssize_t row) except -1


cdef class JsonRows:
    cdef list _columns

    cdef Py_ssize_t _rows(self) except -1
    cdef int _add_row(self, ByteBuffer data, Py_ssize_t row) except -1
