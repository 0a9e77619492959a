# The tags of values in the tagged encoding; `tags.py` has the same names for Python.
cdef enum:
    ARRAY = 0
    BIT_ARRAY = 1
    BLOB = 2
    CHOICE = 3
    OPTIONAL = 4
    STRUCT = 5
    U8 = 6
    U32 = 7
    U64 = 8
    VINT = 9
