from cpython.array cimport array

from playhead.tables.column_buffers cimport Int32Buffer, Int64Buffer

# Numbers of `playhead.blizzard.events.commands`.
cdef enum:
    NO_REMOVAL = 0
    ZERO_INDICES = 3
    GROUP_SET = 0
    GROUP_APPEND = 1
    GROUP_RECALL = 2
    GROUP_CLEAR = 3
    GROUP_STEAL = 4
    GROUP_STEAL_APPEND = 5
    ACTIVE = 10


cdef class SelectionSteps:
    cdef readonly array orders
    cdef readonly array loops
    cdef readonly array users
    cdef readonly array groups
    cdef readonly array actions
    cdef readonly array removals
    cdef readonly array place_ends
    cdef readonly array places
    cdef readonly array added_ends
    cdef readonly array added


cdef class SelectionGroups:
    cdef readonly dict misfits
    cdef readonly dict subgroups
    cdef Int64Buffer _units
    cdef dict _users
    cdef Int64Buffer _change_marks
    cdef Int64Buffer _use_marks
    cdef Py_ssize_t _changes_done
    cdef Py_ssize_t _uses_done
    cdef long long _loop
    cdef Py_ssize_t _first
    cdef Py_ssize_t _end

    cdef long long _unit(self, Py_ssize_t place) noexcept
    cdef int _load(self, dict held, object group) except -1
    cdef int _keep(self, object user, long long removal, long long[::1] places, Py_ssize_t first, Py_ssize_t end) except -1
    cdef int _join(self, Py_ssize_t more, Py_ssize_t more_end) except -1
    cdef dict _of_user(self, object user)
    cdef int _change(self, object user, object group, object subgroup, long long removal, long long[::1] places, Py_ssize_t first, Py_ssize_t end, long long[::1] added, Py_ssize_t added_first, Py_ssize_t added_end) except -1
    cdef int _use(self, object user, object group, long long action, long long removal, long long[::1] places, Py_ssize_t first, Py_ssize_t end) except -1
    cdef tuple _at_hand(self)
    cdef tuple _between(self, Py_ssize_t first, Py_ssize_t end)
