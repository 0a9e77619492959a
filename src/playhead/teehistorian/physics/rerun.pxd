from playhead.tables.int32_columns cimport Int32Columns, add_row
from playhead.teehistorian.physics.body cimport Body
from playhead.teehistorian.physics.tiles cimport Tiles
from playhead.teehistorian.physics.world cimport SLOTS, GameWorld
from playhead.teehistorian.stream.inputs cimport InputTracker
from playhead.teehistorian.stream.positions cimport PositionTracker
from playhead.teehistorian.stream.reader cimport (
    INPUT_DIFF,
    INPUT_NEW,
    NET_MESSAGE,
    PLAYER_DIFF,
    PLAYER_NEW,
    PLAYER_OLD,
    MessageReader,
)
from playhead.teehistorian.stream.tick_messages cimport INPUT_LENGTH

cdef enum:
    KEPT = 8  # inputs of a client in one section; further ones of a damaged file replace the last
    BASE = 128  # as SLOTS
    BANK = 20480  # of both sections: 2 * SLOTS * KEPT * INPUT_LENGTH


cdef class Rerun:
    cdef MessageReader _reader
    cdef readonly GameWorld world
    cdef readonly PositionTracker positions
    cdef readonly InputTracker inputs
    cdef object _listener
    cdef object _foresee
    cdef bint _repeats
    cdef bint _one_input
    cdef bint _pause_resets
    cdef bint _camera_cuts
    cdef bint _at_end
    cdef bint _for_tick
    cdef readonly int tick
    cdef readonly long long rows
    cdef readonly long long compared
    cdef readonly long long exact
    cdef readonly long long guessed
    cdef readonly long long breaks
    cdef readonly long long respawns
    cdef readonly long long idle_left
    cdef readonly Int32Columns bodies, hooks, states
    cdef public bint emits
    cdef readonly list causes
    cdef public list moments
    cdef public object race
    cdef public object watcher
    cdef int[128] _hook_start
    cdef int[128] _grab_tick
    cdef int[128] _grabbed
    cdef int[128] _freeze_start
    cdef int[128] _freeze_left
    cdef int[128] _miss
    cdef int[128] _former_miss
    cdef bint[128] _was_deep
    cdef readonly bint finished
    cdef list _rare
    cdef object _spawns
    cdef int[BANK] _given
    cdef int[256] _given_count
    cdef int _bank
    cdef int _slots  # above the highest client id so far
    cdef int[1280] _last
    cdef bint[128] _has_input
    cdef bint[128] _appeared
    cdef bint[128] _gone
    cdef bint[128] _there
    cdef bint[128] _checked
    cdef bint[128] _wrong
    cdef bint[128] _other
    cdef bint[128] killing
    cdef bint[128] _loading
    cdef int[128] _former_x
    cdef int[128] _former_y
    cdef int[128] _holder
    cdef int[128] _tee_holder

    cpdef bint run(self, long long count) except -1
    cdef bint _run(self, long long count) except -1
    cdef int _take(self, int kind) except -1
    cdef int _end_section(self, int next_tick) except -1
    cdef int _simulate(self, bint with_section) except -1
    cdef int _attempt(self) except -1
    cdef int _give_inputs(self) except -1
    cdef int _early(self, int cid, int place, bint former) except -1
    cdef int _moves(self, Body tee, int place, bint former, int flags) except -1
    cdef int _place(self, int cid, int number) noexcept
    cdef int _value(self, int place, bint former, int field) noexcept
    cdef int _flags_now(self, int cid) noexcept
    cdef int _appear(self, int cid) except -1
    cdef int _spawn_late(self, int cid) except -1
    cdef int _respawn(self, int cid) except -1
    cdef bint _is_spawn(self, int cid) except -1
    cdef float _likely(self, float predicted, int moved, float ramp) noexcept
    cdef int _guess(self) except -1
    cdef int _cause(self, int cid) except -1
    cdef int _note(self) except -1
    cdef int _touch(self, Body tee) except -1
    cdef int _end_moments(self, int cid, bint alive) except -1
    cdef int _end_hook(self, int cid) except -1
    cdef int _end_freeze(self, int cid, bint alive) except -1
    cdef int _commit(self) except -1
    cdef int _compare(self) except -1
    cdef int _correct(self) except -1
    cdef int _add_rows(self) except -1
