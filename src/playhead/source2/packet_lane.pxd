from playhead.bits.bit_reader cimport BitReader
from playhead.bits.byte_reader cimport ByteReader
from playhead.source2.entities cimport EntityManager


cdef class PacketLane:
    cdef object _data
    cdef object _limits
    cdef long long _most
    cdef EntityManager _manager
    cdef readonly long long count
    cdef readonly long long tick

    cdef object _entities(self, object payload, frozenset special, frozenset followed)
