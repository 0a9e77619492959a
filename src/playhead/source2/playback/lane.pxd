from playhead.bits.bit_reader cimport BitReader
from playhead.bits.byte_reader cimport ByteReader
from playhead.source2.entities.manager cimport EntityManager
from playhead.source2.container.snappy cimport SnappyBlock


cdef class PacketLane:
    cdef ByteReader _frames
    cdef BitReader _file
    cdef SnappyBlock _block
    cdef long long _most
    cdef EntityManager _manager
    cdef object _special
    cdef bytes _is_special
    cdef readonly long long count
    cdef readonly long long tick
    cdef readonly bint tells_ticks
    cdef readonly long long server_tick_offset
    cdef long long _server_tick

    cdef int _find_entities(self, BitReader reader, frozenset followed) except -1
