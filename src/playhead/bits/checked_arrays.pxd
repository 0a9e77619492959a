from cpython.array cimport array, clone, extend_buffer as extend_unchecked, resize as resize_unchecked
from cpython.buffer cimport PyBUF_FULL_RO, PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.memoryview cimport PyMemoryView_Check


# Cython's own functions write outside None, the array of an object that `__init__` never filled.

cdef inline int resize(array numbers, Py_ssize_t length) except -1:
    if numbers is None:
        raise TypeError("an object that was never initialized has no array")
    return resize_unchecked(numbers, length)


cdef inline int extend_buffer(array numbers, char* items, Py_ssize_t count) except -1:
    if numbers is None:
        raise TypeError("an object that was never initialized has no array")
    return extend_unchecked(numbers, items, count)


cdef inline array zeros(array like, Py_ssize_t count):
    return clone(like, count, count > 0)  # an empty array has no memory to clear


cdef inline array unset(array like, Py_ssize_t count):
    return clone(like, count, False)


cdef inline array filled(array like, long long value, Py_ssize_t count):
    cdef Py_ssize_t place
    if like.ob_descr.itemsize != sizeof(long long):
        raise TypeError("expected an array of 64-bit numbers")
    cdef array found = clone(like, count, False)
    for place in range(count):
        found.data.as_longlongs[place] = value
    return found


cdef inline int hold_buffer(
    object data, Py_buffer* held, const unsigned char** start, Py_ssize_t* size
) except -1:
    # Takes the buffer of `data` into `held` and tells where its bytes are. Of a memoryview, the buffer of the object
    # under it is held instead: CPython before 3.12.7 crashes when its garbage collector clears a memoryview that still
    # has exported buffers (https://github.com/python/cpython/issues/77894), and a reader in a traceback is enough for that.
    cdef Py_buffer view
    cdef const unsigned char* first
    PyObject_GetBuffer(data, held, PyBUF_SIMPLE)
    start[0] = <const unsigned char*> held.buf
    size[0] = held.len
    if not PyMemoryView_Check(data) or data.obj is None:
        return 0
    view = held[0]
    try:
        PyObject_GetBuffer(data.obj, held, PyBUF_FULL_RO)
    except (BufferError, TypeError, ValueError):
        held[0] = view
        return 0
    first = <const unsigned char*> held.buf
    if first <= start[0] and start[0] + size[0] <= first + held.len:
        PyBuffer_Release(&view)
    else:  # an object that gives other bytes each time
        PyBuffer_Release(held)
        held[0] = view
    return 0
