# What a field of an event is; `text_kinds.py` has the same names for Python.
cdef enum:
    FLAG = 0
    WHOLE = 1
    DIVIDED = 2
    TIMES = 3
    CODE = 4
    TAG = 5
    LIST = 6
    PARTS = 7
    SPOTS = 8
