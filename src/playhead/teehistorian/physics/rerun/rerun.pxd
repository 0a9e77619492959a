from playhead.teehistorian.physics.arena.body cimport Body
from playhead.teehistorian.physics.arena.tiles cimport Tiles
from playhead.teehistorian.physics.rerun.prediction cimport HOOK_LAUNCH, Doubts
from playhead.teehistorian.physics.rerun.given cimport GivenInputs
from playhead.teehistorian.physics.rerun.prediction cimport Prediction, Recovery
from playhead.teehistorian.physics.tables.notes cimport EventNotes, StateRows
from playhead.teehistorian.physics.world.world cimport SLOTS, GameWorld
from playhead.teehistorian.stream.reader cimport (
    INPUT_DIFF,
    INPUT_NEW,
    NET_MESSAGE,
    PLAYER_DIFF,
    PLAYER_NEW,
    PLAYER_OLD,
    MessageReader,
)
from playhead.teehistorian.stream.ticks cimport InputTracker, PositionTracker


cdef class Rerun:
    cdef MessageReader _reader
    cdef readonly GameWorld world
    cdef readonly GivenInputs given
    cdef readonly Prediction prediction
    cdef readonly Doubts doubts
    cdef readonly PositionTracker positions
    cdef readonly InputTracker inputs
    cdef object _listener
    cdef object _foresee
    cdef bint _at_end
    cdef bint _for_tick
    cdef bint _one_input
    cdef readonly int tick
    cdef readonly long long compared
    cdef readonly long long exact
    cdef readonly long long breaks
    cdef readonly long long respawns
    cdef readonly long long idle_left
    cdef public long long rows_left
    cdef readonly list causes
    cdef public StateRows rows
    cdef public EventNotes notes
    cdef public object watcher
    cdef readonly bint finished
    cdef list _rare
    cdef object _spawns
    cdef bint[128] _appeared
    cdef bint[128] _there
    cdef bint[128] _killing
    cdef bint[128] _silent
    cdef Recovery _recovery
    cdef dict _loads
    cdef int[128] _former_x
    cdef int[128] _former_y
    cdef int[128] _holder

    cpdef bint run(self, long long count) except -1
    cdef bint _run(self, long long count) except -1
    cdef int _on_message(self, int kind) except -1
    cdef int _end_section(self, int next_tick) except -1
    cdef int _settle(self) except -1
    cdef int _simulate(self, bint with_section) except -1
    cdef bint _begin(self, bint with_section) except -1
    cdef bint _respawn(self) except -1
    cdef bint _end(self) except -1
    cdef int _appear(self, int cid) except -1
    cdef int _spawn_late(self, int cid) except -1
    cdef bint _is_spawn(self, int cid) except -1
    cdef int _moved_x(self, int cid) noexcept
    cdef int _moved_y(self, int cid) noexcept
    cdef bint _leaves_unsaid(self, Body tee) except -1
    cdef int _cause(self, int cid) except -1
    cdef int _correct(self) except -1
    cdef int _count(self) except -1
