from playhead.teehistorian.physics.arena.body cimport Body


cdef class Recovery:
    cdef bint[128] open
    cdef float[256] _least
    cdef float[256] _most

    cdef int close(self, int cid) noexcept
    cdef int follow(self, Body tee, int moved_x, int moved_y) except -1
    cdef int correct(self, Body tee, int moved_x, int moved_y) except -1
    cdef int _narrow(self, int place, float predicted, int moved, float ramp) noexcept
    cdef float _along(self, int place, float predicted, int moved, float ramp, bint known) noexcept
