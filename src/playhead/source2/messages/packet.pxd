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

cdef class PacketReader:
    cdef BitReader _reader
    cdef unsigned long long _payload_bits
    cdef readonly int id
    cdef readonly int size

    cpdef int advance(self) except -1
    cpdef int advance_to(self, frozenset wanted) except -1
    cpdef int collect(self, list found, frozenset wanted, long long lowest) except -1
    cpdef int meets(self, bytes marks, bytearray present) except -1
    cdef int _too_large(self, unsigned long long size) except -1
    cdef int _bad_number(self, unsigned long long number) except -1
    cpdef bytes payload(self)


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
