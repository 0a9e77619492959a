from cpython.array cimport array

from playhead.tables.column_buffers cimport Int32Buffer


cdef class FieldColumn:
    cdef bint _is_list
    cdef array _values
    cdef long long* _data
    cdef Py_ssize_t _size
    cdef Py_ssize_t _capacity
    cdef Int32Buffer _list_ends
    cdef Py_ssize_t _rows
    cdef tuple _done

    cdef int _reserve(self, Py_ssize_t size) except -1
    cdef int _append(self, long long value) except -1
    cdef int put(self, Py_ssize_t row, long long value) except -1
    cdef int _pad(self, Py_ssize_t rows) except -1
    cdef int _end_lists(self, Py_ssize_t rows) except -1
    cdef int end(self, Py_ssize_t rows) except -1
    cdef tuple _end(self)


# For inner loops of other modules, without a call where a number goes behind the last.

cdef inline int put_number(FieldColumn column, Py_ssize_t row, long long value) except -1:
    # As `put`.
    if column._size == row and row < column._capacity and not column._is_list:
        column._data[row] = value
        column._size = row + 1
        return 0
    return column.put(row, value)
