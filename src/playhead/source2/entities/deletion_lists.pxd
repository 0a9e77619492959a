from playhead.bits.bit_reader cimport BitReader

# Messages that have to say so, more than say the opposite, until it is sure whether a recording has such lists.
cdef enum:
    SETTLED = 8


# Entities that a recording can have at a time.
cdef enum:
    ENTITIES = 16384


cdef class DeletionLists:
    cdef int evidence

    cdef list read(self, BitReader reader)
