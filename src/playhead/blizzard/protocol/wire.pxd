# Numbers that programs and heads of events are made of; `wire.py` has the same names for Python.
cdef enum:
    KIND_INT = 0
    KIND_BOOL = 1
    KIND_BLOB = 2
    KIND_BIT_ARRAY = 3
    KIND_ARRAY = 4
    KIND_OPTIONAL = 5
    KIND_CHOICE = 6
    KIND_STRUCT = 7
    KIND_FOURCC = 8
    KIND_NULL = 9

cdef enum:
    NO_ROOT = -2

cdef enum:
    KEY_ROOM = 32

cdef enum:
    USER_BITS = 5
