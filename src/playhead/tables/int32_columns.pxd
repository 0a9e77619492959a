from libc.string cimport memcmp


cdef class PackedColumn:
    cdef list _chunks
    cdef Py_ssize_t _rows

    cdef int _add(self, int* numbers, Py_ssize_t rows) except -1


cdef class Int32Columns:
    cdef list _packed
    cdef list _blocks
    cdef set _left_out
    cdef (int*)[16] _data
    cdef int _width
    cdef Py_ssize_t _done
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity

    cdef int _grow(self) except -1
    cdef int _end_chunk(self) except -1
    cdef int append(self, int* row) except -1


cdef inline Py_ssize_t add_row(Int32Columns columns) except -1:
    # Room for one more row: its index in every `_data[i]`, where compiled callers put its values.
    if columns._size == columns._capacity:
        columns._grow()
    columns._size += 1
    return columns._size - 1
