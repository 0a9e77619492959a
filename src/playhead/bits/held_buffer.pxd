from cpython.buffer cimport PyBUF_FULL_RO, PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.memoryview cimport PyMemoryView_Check


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
