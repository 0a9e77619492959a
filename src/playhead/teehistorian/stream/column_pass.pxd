from playhead.tables.int32_columns cimport Int32Columns
from playhead.teehistorian.stream.inputs cimport InputTracker
from playhead.teehistorian.stream.positions cimport PositionTracker
from playhead.teehistorian.stream.int32 cimport add_int32
from playhead.teehistorian.stream.tick_messages cimport INPUT_LENGTH, MAX_CLIENTS
from playhead.teehistorian.stream.reader cimport (
    EXTRA, INPUT_DIFF, INPUT_NEW, NET_MESSAGE, PLAYER_DIFF, PLAYER_NEW, PLAYER_OLD, MessageReader,
)

cpdef enum:
    APPEARED = 0
    MOVED = 1
    GONE = 2
    NOTHING = -1

cdef enum:
    MESSAGE_COLUMNS = 5
    POSITION_COLUMNS = 5
    INPUT_COLUMNS = 14
    INPUT_VALUE_COLUMN = 3  # the first of ten
    REPLACES_COLUMN = 13
    NO_LIMIT = 0x7FFFFFFF


cdef class ColumnPass:
    cdef MessageReader _reader
    cdef readonly PositionTracker positions
    cdef readonly InputTracker inputs
    cdef readonly Int32Columns message_columns
    cdef readonly Int32Columns position_columns
    cdef readonly Int32Columns input_columns
    cdef readonly dict extension_codes
    cdef object _listener
    cdef int[MESSAGE_COLUMNS] _row
    cdef int[MAX_CLIENTS] _input_ticks
    cdef int _limit
    cdef bint[MAX_CLIENTS] _left_out
    cdef readonly bint at_limit
    cdef readonly long long stray_positions
    cdef readonly long long stray_inputs
    cdef readonly long long first_stray_offset
    cdef readonly long long first_stray_tick

    cpdef bint run(self, long long count) except -1
    cdef bint _run(self, long long count) except -1
    cdef int _add_message(self, int kind, unsigned long long size) except -1
    cdef int _add_position(self, int kind) except -1
    cdef int _add_input(self, int kind) except -1
    cdef int _stray(self) except -1
