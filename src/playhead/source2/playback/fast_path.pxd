from cpython.array cimport array

from playhead.bits.bit_reader cimport BitReader, bits_left, next_ubit_var, next_varuint32, pass_bits, peek_word
from playhead.bits.byte_reader cimport ByteReader, take_varuint32
from playhead.source2.container.snappy cimport SnappyBlock
from playhead.source2.entities.manager cimport EntityManager

cdef class MessageSink:
    cpdef int accept(self, int tick, long long number, bytes payload) except -1


cdef class PacketSink:
    cdef int take_packet(
        self, int frame, int tick, long long offset, int size, int* ids, int* sizes, Py_ssize_t count
    ) except -1


cdef enum:
    PACKET = 7
    MOST_COMMANDS = 32
    COMPRESSED = 64
    NET_TICK = 4
    UPDATE_STRING_TABLE = 45
    PACKET_ENTITIES = 55
    MOST_NUMBERS = 2048
    FIRST_VARINT = 8
    WIRE_BYTES = 2
    PACKET_DATA = 3

# Result of a search in a packet.
cdef enum:
    WITHOUT_ENTITIES = 1
    WITH_ENTITIES = 2

# Kinds of messages.
cdef enum:
    SPECIAL = 1
    WANTED = 2


cdef class RepeatedSamples:
    cdef public long long due
    cdef readonly long long every
    cdef readonly long long longest
    cdef public long long until
    cdef public object again
    cdef public object failed

    cdef long long take(self, long long tick) except? -2


cdef class FastPath:
    cdef ByteReader _frames
    cdef BitReader _file
    cdef SnappyBlock _block
    cdef long long _most
    cdef Py_ssize_t _most_messages
    cdef EntityManager _manager
    cdef object _special
    cdef object _wanted
    cdef bytes _marked
    cdef bytes _marks
    cdef readonly list found
    cdef public bint stop
    cdef RepeatedSamples _samples
    cdef readonly long long count
    cdef readonly long long packets
    cdef readonly long long tick
    cdef readonly bint has_server_tick
    cdef readonly long long server_tick_offset
    cdef long long _server_tick
    cdef unsigned int _passed
    cdef list _contents
    cdef bint _notes_messages
    cdef array _ids
    cdef array _sizes
    cdef Py_ssize_t _noted
    cdef Py_ssize_t _room

    cdef object _set_marks(self, frozenset special, frozenset wanted, bytes marked)
    cdef bint _is_too_much(self) except -1
    cdef int _keep_message(self, BitReader reader, unsigned long long number, unsigned long long size) except -1
    cdef bint _note_message(self, unsigned long long number, unsigned long long size) except -1
    cdef int _pass_on(
        self, PacketSink sink, long long number, long long tick, long long offset, unsigned long long size
    ) except -1
    cdef int _find_entities(self, BitReader reader, frozenset followed, bint tables) except -1
