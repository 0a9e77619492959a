from cpython.array cimport array
from playhead.bits.checked_arrays cimport resize

from playhead.bits.bit_reader cimport PEEK_BITS, BitReader
from playhead.source2.schema.tree cimport LEVELS

# Operations on a path: `playhead.source2.schema.path_codes.OPERATIONS`, in their order.
cdef enum:
    PLUS_ONE = 0
    PLUS_TWO = 1
    PLUS_THREE = 2
    PLUS_FOUR = 3
    PLUS_N = 4
    PUSH1_L0_R0 = 5
    PUSH1_L0_RN = 6
    PUSH1_L1_R0 = 7
    PUSH1_L1_RN = 8
    PUSH1_LN_R0 = 9
    PUSH1_LN_RN = 10
    PUSH1_LN_RN6 = 11
    PUSH1_LN_RN8 = 12
    PUSH2_L0 = 13
    PUSH2_P5_L0 = 14
    PUSH3_L0 = 15
    PUSH3_P5_L0 = 16
    PUSH2_L1 = 17
    PUSH2_P5_L1 = 18
    PUSH3_L1 = 19
    PUSH3_P5_L1 = 20
    PUSH2_LN = 21
    PUSH2_P5_LN = 22
    PUSH3_LN = 23
    PUSH3_P5_LN = 24
    PUSH_N = 25
    PUSH_N_NON_TOPO = 26
    POP1_P1 = 27
    POP1_PN = 28
    POP_ALL_P1 = 29
    POP_ALL_PN = 30
    POP_ALL_P3 = 31
    POP_ALL_P6 = 32
    POP_N_P1 = 33
    POP_N_PN = 34
    POP_N_NON_TOPO = 35
    NON_TOPO = 36
    NON_TOPO_PEN = 37
    NON_TOPO4 = 38
    FIN = 39


# The code of Fin and its number of bits, which are all of an update without fields.
cdef enum:
    FIN_CODE = 1
    FIN_BITS = 2


# Bound on the paths of one delta; real ones have a few thousand at most.
cdef enum:
    MOST_PATHS = 262144


cdef class FieldPathReader:
    cdef array _array
    cdef object _short_held
    cdef object _long_held
    cdef unsigned long long* _paths
    cdef array _numbers_array
    cdef int* _numbers
    cdef Py_ssize_t _capacity
    cdef Py_ssize_t count
    cdef int _last
    cdef unsigned short* _short
    cdef unsigned short* _long
    cdef (long long)[LEVELS] _path
    cdef (unsigned long long)[LEVELS] _prefix
    cdef (int)[LEVELS] _shift
    cdef (long long)[LEVELS] _most

    cdef int grow(self) except -1
    cdef int _bad(self, int op, int level) except -1
    cdef int _push(self, int op, int last, long long value) except -1
    cdef int _repack(self, int op, int last) except -1
    cdef int _apply_with_numbers(self, BitReader reader, int op, int last) except -1
    cdef int _apply_rare(self, BitReader reader, int op, int last) except -1
    cdef void begin(self) noexcept
    cdef void continue_from(self, unsigned long long packed) noexcept
    cdef int read(self, BitReader reader, Py_ssize_t most) except -1
