# What can happen to a unit; `changes.py` has the same names for Python.
cdef enum:
    INIT = 0
    BORN = 1
    DONE = 2
    TYPE = 3
    OWNER = 4
    DIED = 5
    SAMPLE = 6
