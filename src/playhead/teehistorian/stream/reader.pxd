from playhead.bits.byte_reader cimport ByteReader
from playhead.teehistorian.stream.ticks cimport INPUT_LENGTH, MAX_CLIENTS, InputDiff, InputNew, PlayerDiff

cdef extern from *:
    """
    /* Put a tick and a message into `pair`, a tuple of two, if nobody else holds it, as enumerate() and zip() do; 0 if
       somebody does. What is put in must not refer to anything: the collector may have stopped watching the tuple. */
    static int refill_pair(void *pair, PyObject *tick, PyObject *message) {
        PyObject *kept = (PyObject *)pair;
        if (!PyTuple_CheckExact(kept) || Py_REFCNT(kept) != 1) return 0;
        PyObject *old_tick = PyTuple_GET_ITEM(kept, 0);
        PyObject *old_message = PyTuple_GET_ITEM(kept, 1);
        Py_INCREF(tick);
        Py_INCREF(message);
        PyTuple_SET_ITEM(kept, 0, tick);
        PyTuple_SET_ITEM(kept, 1, message);
        Py_DECREF(old_tick);
        Py_DECREF(old_message);
        return 1;
    }
    """
    bint refill_pair(void* pair, object tick, object message) noexcept


# The message ids; `playhead.teehistorian.stream.messages.MessageKind` is their Python face.
cdef enum:
    PLAYER_DIFF = 0
    FINISH = -1
    TICK_SKIP = -2
    PLAYER_NEW = -3
    PLAYER_OLD = -4
    INPUT_DIFF = -5
    INPUT_NEW = -6
    NET_MESSAGE = -7
    JOIN = -8
    DROP = -9
    CONSOLE_COMMAND = -10
    EXTRA = -11
    KINDS = 12

cdef enum:
    LAST_TICK = 0x7FFFFFFE  # MAX_TICK
    BEFORE_FIRST_TICK = 0x7FFFFFFF  # above every client id
    FIRST_ISSUER = -3
    WIDTH = 16  # of `values`: the longest message, and some
    FIRST_NEGATIVE = 0x40  # of the first bytes of message ids: a lower byte is a client id
    INPUT_DIFF_BYTE = 0x44
    TICK_SKIP_BYTE = 0x41
    LONGEST_FREQUENT = 61  # bytes of an INPUT_DIFF at most: 12 packed ints, an id of one byte


cdef inline int packed_int(const unsigned char* data, unsigned long long* place) noexcept nogil:
    # As `ByteReader.read_packed_int`, with five bytes left at least.
    cdef const unsigned char* at = data + place[0]
    cdef unsigned int value = at[0] & 0x3F
    cdef int count = 1
    if at[0] >= 0x80:
        value |= (at[1] & 0x7F) << 6
        count = 2
        if at[1] >= 0x80:
            value |= (at[2] & 0x7F) << 13
            count = 3
            if at[2] >= 0x80:
                value |= (at[3] & 0x7F) << 20
                count = 4
                if at[3] >= 0x80:
                    value |= <unsigned int>(at[4] & 0x0F) << 27
                    count = 5
    place[0] += count
    return <int>(~value if at[0] & 0x40 else value)


cdef class MessageReader:
    cdef ByteReader _reader
    cdef unsigned long long _base
    cdef unsigned long long _max_payload
    cdef long long _max_string
    cdef long long _max_arguments
    cdef long long _max_messages
    cdef long long _messages_left
    cdef int _version
    cdef int _last
    cdef readonly bint finished
    cdef readonly int kind
    cdef readonly int cid
    cdef readonly int tick
    cdef int[WIDTH] values
    cdef object _tick_object
    cdef int _tick_in_object
    cdef object _pair
    cdef object _former_pair
    cdef int[WIDTH] _lengths
    cdef unsigned long long _size
    cdef unsigned long long _start
    cdef unsigned long long _next
    cdef readonly unsigned long long payload_size
    cdef unsigned long long _payload

    cpdef bint advance(self) except -1
    cdef bint step(self) except -1
    cpdef object locate(self, object error)
    cdef int _decode(self) except -1
    cdef int _checked_cid(self, int cid) except -1
    cdef int _skip_payload(self, long long size) except -1
    cdef int _skip_strings(self, long long count) except -1
    cdef int _skip_command(self) except -1
    cdef int _step_player(self, int cid) except -1
    cdef int _step_skip(self, int dt) except -1
    cpdef object message(self)
    cpdef unsigned long long start_offset(self) noexcept
    cpdef unsigned long long end_offset(self) noexcept
