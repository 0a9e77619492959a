from playhead.bits.bit_reader cimport BitReader

# Lead of one kind of messages over the other that decides whether a recording has such lists.
cdef enum:
    SETTLED = 8


# Bound on the simultaneous entities of a recording.
cdef enum:
    ENTITIES = 16384


cdef class DeletionLists:
    cdef int evidence

    cdef list read(self, BitReader reader)
