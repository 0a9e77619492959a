from playhead.blizzard.units.history cimport UnitHistory
from playhead.sc2.state.production.records cimport Starts, Step, TrackedUnit, UnitType

# Of one loop: what a game begins with, steps that begin, and then what ends.
cdef enum:
    FIRST = 0
    BEGINS = 1
    ENDS = 2
    RANKS = 4


cdef class SupplyChanges:
    cdef list _rows

    cdef int add(self, long long order, long long loop, int rank, long long player, double used, double made) except -1
    cdef list of(self, long long player)
    cdef int count(self, list steps) except -1


cdef class Production:
    cdef readonly list steps
    cdef object _calldowns
    cdef object _conjured
    cdef object _facts
    cdef dict _build_loops
    cdef long long _start
    cdef double _drone
    cdef UnitHistory _history
    cdef long long[::1] _order
    cdef long long[::1] _index
    cdef long long[::1] _recycle
    cdef long long[::1] _unit_type
    cdef long long[::1] _player
    cdef long long[::1] _other_index
    cdef long long[::1] _other_recycle
    cdef Starts _starts
    cdef list _lives
    cdef list _kinds
    cdef list _births
    cdef list _begun
    cdef list _left
    cdef list _dead_drones
    cdef list _opened
    cdef object _built
    cdef long long _now
    cdef SupplyChanges _supply

    cdef UnitType _kind(self, long long place)
    cdef int _read(self, Py_ssize_t row, long long loop, long long change, long long unit) except -1
    cdef int _call_down(self) except -1
    cdef double _provided(self, TrackedUnit life)
    cdef int _appear(self, Py_ssize_t row, long long loop, bint complete, long long unit) except -1
    cdef int _be_born(self, long long order, long long loop, long long player, UnitType kind, object tag, object creator) except -1
    cdef TrackedUnit _egg(self, long long loop, long long player, str name, object creator)
    cdef int _hatch(self, long long order, long long loop, long long player, UnitType kind, object tag, TrackedUnit egg) except -1
    cdef int _done(self, long long order, long long loop, TrackedUnit life) except -1
    cdef int _turn(self, long long order, long long loop, TrackedUnit life, UnitType now) except -1
    cdef int _leave_cocoon(self, long long order, long long loop, TrackedUnit life, UnitType now, str target) except -1
    cdef int _settle(self) except -1
    cdef int _settle_drones(self) except -1
    cdef int _fail_egg(self, long long order, TrackedUnit life, str outcome) except -1
    cdef int _hand_over(self, long long order, long long loop, TrackedUnit life, long long player) except -1
    cdef int _die(self, long long order, long long loop, TrackedUnit life, bint killed) except -1
    cdef int _leave_drone(self, long long order, long long loop, TrackedUnit life) except -1
