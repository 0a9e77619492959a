cdef inline int add_int32(int a, int b) noexcept nogil:
    # Through unsigned, where C defines overflow.
    return <int>(<unsigned int>a + <unsigned int>b)
