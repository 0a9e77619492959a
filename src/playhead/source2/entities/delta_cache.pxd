from cpython.array cimport array

# What an entry has: its size, then the places of its four numbers.
cdef enum:
    ENTRY = 4
    BITS = 0
    MASK = 1
    NEXT = 2
    SIZES = 3


# Buckets of lists of up to SHORT_BITS bits, and of longer ones.
cdef enum:
    SHORT_BUCKETS = 256
    LONG_BUCKETS = 1024
    SHORT_BITS = 16


cdef class DeltaCache:
    cdef int _lists
    cdef int _taken
    cdef array _heads_array
    cdef array _entries_array
    cdef array _numbers_array
    cdef int* _heads
    cdef unsigned long long* _entries
    cdef int* _numbers

    cdef object _refresh(self)
    cdef inline int _bucket(self, unsigned long long word) noexcept
    cdef inline bint _begins(self, unsigned long long word, int number) noexcept
    cdef bint is_at(self, int number, unsigned long long word) noexcept
    cdef int find(self, unsigned long long word) noexcept
    cdef inline int _find_in(self, int bucket, unsigned long long word) noexcept
    cdef inline int size_of(self, int known) noexcept
    cdef inline int first_of(self, int known) noexcept
    cdef inline int count_of(self, int known) noexcept
    cdef int remember(self, unsigned long long word, int size, int* numbers, Py_ssize_t count) except -1
