from playhead.bits.bit_reader cimport (
    BitReader,
    bits_left,
    next_varuint32,
    next_varuint64,
    pass_bits,
    peek_word,
    varint_of,
    varint_size,
)
from playhead.source2.messages.wire_decoder cimport WIRE_BYTES, WIRE_FIXED32, WIRE_FIXED64, WIRE_VARINT

# Fields of CSVCMsg_PacketEntities.
cdef enum:
    UPDATED_ENTRIES = 2
    LEGACY_IS_DELTA = 3
    UPDATE_BASELINE = 4
    BASELINE = 5
    DELTA_FROM = 6
    ENTITY_DATA = 7
    SERVER_TICK = 12
    ALTERNATE_BASELINES = 15
    HAS_PVS_VIS_BITS_DEPRECATED = 16


cdef class MessageHead:
    cdef long long updated
    cdef bint delta
    cdef bint update_baseline
    cdef int baseline
    cdef long long base
    cdef long long server_tick
    cdef bint has_pvs
    cdef dict alternates

    cdef inline void _set(self, long long number, unsigned long long value) noexcept
    cdef int read(self, BitReader reader) except -1
