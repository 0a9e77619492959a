# What a field of an event is; `text_kinds.py` has the same names for Python.
cdef enum:
    FLAG = 0
    WHOLE = 1
    SCALED = 2
    CODE = 3
    TAG = 4
    LIST = 5
    PARTS = 6
    SPOTS = 7
