cdef class JsonWriter:
    cdef dict _keys
    cdef object _quote

    cpdef str write(self, dict fields)
    cdef object _key(self, object key)
    cdef object _value(self, object value)
    cdef object _number(self, double value)
