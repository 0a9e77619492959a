from cpython.array cimport array

from playhead.bits.bit_reader cimport PEEK_BITS, BitReader
from playhead.source2.entities.field_path cimport FieldPathReader

# In place of the slot before the first step. A step has the bits of its operation, MOST_BITS at most, above them the
# slot before, from 2, and from SLOT_AT on the slot that it leads to.
cdef enum:
    AT_START = -1
    MOST_BITS = 31
    SLOT_AT = 48
    MOST_SLOTS = 65536


# In place of how many bits stand behind the code of an operation.
cdef enum:
    ONE_NUMBER = 64
    OTHER = 65
    END = 66


cdef class PathSteps:
    cdef long long _count
    cdef array _array
    cdef unsigned long long* _table
    cdef unsigned long long _mask
    cdef int _shift
    cdef unsigned long long _unknown
    cdef unsigned long long word
    cdef int before
    cdef object _sizes_held
    cdef object _number_sizes_held
    cdef int* _sizes
    cdef int* _number_sizes

    cdef int _make_room(self, Py_ssize_t places) except -1
    cdef inline unsigned long long _place(self, unsigned long long key) noexcept
    cdef void _put(self, unsigned long long step) noexcept
    cdef int remember(self, int slot) except -1
    cdef int read(self, BitReader reader, FieldPathReader paths, int behind) except -1
