from playhead.sc2.state.production.records cimport Birth, TrackedUnit, Step, UnitType
from playhead.sc2.state.production.starts cimport Starts
from playhead.sc2.state.production.supply cimport SupplyChanges
from playhead.blizzard.units.history cimport UnitHistory


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
    cdef int _be_born(self, Birth birth) except -1
    cdef TrackedUnit _egg(self, Birth birth)
    cdef int _hatch(self, Birth birth, TrackedUnit egg) except -1
    cdef int _done(self, long long order, long long loop, TrackedUnit life) except -1
    cdef int _turn(self, long long order, long long loop, TrackedUnit life, UnitType now) except -1
    cdef int _leave_cocoon(self, long long order, long long loop, TrackedUnit life, UnitType now, str target) except -1
    cdef int _settle(self) except -1
    cdef int _settle_drones(self) except -1
    cdef int _fail_egg(self, long long order, TrackedUnit life, str outcome) except -1
    cdef int _hand_over(self, long long order, long long loop, TrackedUnit life, long long player) except -1
    cdef int _die(self, long long order, long long loop, TrackedUnit life, bint killed) except -1
    cdef int _leave_drone(self, long long order, long long loop, TrackedUnit life) except -1
