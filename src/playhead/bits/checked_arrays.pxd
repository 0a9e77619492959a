from cpython.array cimport array, clone, extend_buffer as extend_unchecked, resize as resize_unchecked


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
