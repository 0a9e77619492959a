from cpython.array cimport array

from playhead.bits.bit_reader cimport PEEK_BITS, BitReader, peek_word, ubit_var_of, ubit_var_size
from playhead.source2.entities.field_path cimport (
    FIN,
    NON_TOPO,
    NON_TOPO4,
    NON_TOPO_PEN,
    PLUS_FOUR,
    PLUS_N,
    PLUS_ONE,
    POP1_P1,
    POP1_PN,
    POP_ALL_P1,
    POP_ALL_P3,
    POP_ALL_P6,
    POP_ALL_PN,
    POP_N_NON_TOPO,
    POP_N_P1,
    POP_N_PN,
    PUSH1_L0_R0,
    PUSH1_L0_RN,
    PUSH1_L1_R0,
    PUSH1_L1_RN,
    PUSH1_LN_RN,
    PUSH1_LN_RN6,
    PUSH1_LN_RN8,
    PUSH2_L0,
    PUSH2_L1,
    PUSH2_LN,
    PUSH3_P5_L1,
    PUSH_N,
    PUSH_N_NON_TOPO,
    FieldPathReader,
)
from playhead.source2.schema.tree cimport LEVELS

# Integers of a row: its first place, its number of places, the row above it and its place there, and the number of
# used places.
cdef enum:
    ROW = 5
    FIRST = 0
    PLACES = 1
    ABOVE = 2
    ABOVE_AT = 3
    TAKEN = 4


# Place above the target of an operation that pushes no level. -1 is the place before the first path.
cdef enum:
    NOWHERE = -2


cdef class PathRows:
    cdef array _rows_array
    cdef array _places_array
    cdef int* _rows
    cdef int* _places
    cdef int _row_count
    cdef int _place_count
    cdef int _count
    cdef int _row
    cdef int _number
    cdef unsigned long long word
    cdef int before
    cdef int _to_row
    cdef long long _to
    cdef (long long)[LEVELS] _path
    cdef object _short_held
    cdef object _long_held
    cdef unsigned short* _short
    cdef unsigned short* _long

    cdef object _refresh(self)
    cdef int _new_row(self, int above, int above_at) except -1
    cdef bint _has_room(self, int row, int number) except -1
    cdef int remember(self, FieldPathReader paths, unsigned long long packed, int slot) except -1
    cdef int _walk(self, int op, unsigned long long word, int size, int row, long long to) noexcept
    cdef int read(self, BitReader reader, FieldPathReader paths) except -1
