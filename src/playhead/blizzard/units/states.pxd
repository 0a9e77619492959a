from cpython.array cimport array

from playhead.blizzard.units.history cimport UnitHistory


cdef class Spans:
    cdef readonly dict columns
    cdef long long[::1] unit
    cdef long long[::1] row
    cdef long long[::1] unit_type
    cdef long long[::1] player
    cdef long long[::1] start
    cdef long long[::1] end
    cdef long long[::1] x
    cdef long long[::1] y
    cdef long long[::1] finished
    cdef long long[::1] hallucinated
    cdef long long[::1] cause
    cdef long long[::1] killer
    cdef long long[::1] end_x
    cdef long long[::1] end_y


cdef class UnitStates:
    cdef UnitHistory _history
    cdef array _sample_orders
    cdef array _firsts
    cdef array _ends
    cdef array _items
    cdef array _when
    cdef array _slot_of
    cdef list _tags
    cdef Py_ssize_t _row
    cdef Py_ssize_t _sample
    cdef long long _born
    cdef dict _by_index
    cdef array _sequence
    cdef array _unit_type
    cdef array _first_type
    cdef array _player
    cdef array _first_player
    cdef array _finished
    cdef array _x
    cdef array _y
    cdef array _moved
    cdef array _appeared

    cdef object _restart(self)
    cdef int _apply(self, Py_ssize_t row, long long slot, long long change) except -1
    cdef int _appear(self, Py_ssize_t row, long long slot, long long loop) except -1
    cdef int _apply_sample(self, Py_ssize_t sample, long long loop) except -1
