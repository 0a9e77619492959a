from cpython.array cimport array, clone
from libc.string cimport memcpy, memset

from playhead.bits.bit_reader cimport PEEK_BITS, BitReader, pass_bits, peek_word
from playhead.source2.entities.classes cimport (
    FORM_BITS_AT,
    FORM_FLAGS_AT,
    KIND_MASK,
    ClassInfo,
    EntityPool,
    FieldHistory,
    cell_of,
    form_of,
)
from playhead.source2.entities.field_path cimport MOST_PATHS, FieldPathReader
from playhead.source2.entities.path_rows cimport PathRows
from playhead.source2.schema.decoder cimport (
    BOOL,
    FLOAT,
    LENGTH,
    POINTER,
    QUANTIZED,
    SEQUENCE,
    SIGNED,
    SIGNED64,
    STRING,
    TICKS,
    UNSIGNED,
    FieldDecoder,
)

cdef array _NO_CELLS


cdef class Entity:
    cdef readonly int index
    cdef readonly int serial
    cdef readonly ClassInfo class_info
    cdef public bint active
    cdef public int op
    cdef public int watched
    cdef EntityPool _pool
    cdef array _state
    cdef long long* _cells
    cdef signed char* _present
    cdef Py_ssize_t _capacity
    cdef int _failing
    cdef FieldHistory _history

    cdef int begin(self, int index, int serial, ClassInfo class_info, EntityPool pool) except -1
    cdef int _grow(self, Py_ssize_t wanted) except -1
    cdef int _resize(self, Py_ssize_t capacity) except -1
    cdef int fit(self) except -1
    cdef int copy_state(self, Entity other) except -1
    cdef int note(self, int op, list changed) except -1
    cdef array new_state(self)
    cdef int save_state(self, array saved) except -1
    cdef int load_state(self, array saved, Py_ssize_t size) except -1
    cdef int copy_saved_state(self, array saved, Py_ssize_t size) except -1
    cdef int clear_state(self) except -1
    cdef int begin_history(self) except -1
    cdef int _end_history(self) except -1
    cdef int restore(self, FieldHistory history, array saved, Py_ssize_t count) except -1
    cdef int _keep_cells(self, ClassInfo info, int* numbers, Py_ssize_t first, Py_ssize_t count) except -1
    cdef bint same_state(self, Entity other) noexcept
    cdef int read_fields(self, BitReader reader) except -1
    cdef Py_ssize_t _read_unknown(self, BitReader reader, ClassInfo info) except -1
    cdef int _read_values(
        self,
        BitReader reader,
        ClassInfo info,
        int* numbers,
        Py_ssize_t first,
        Py_ssize_t count,
        unsigned long long word,
        int before,
    ) except -1
    cdef inline int _advance(
        self,
        BitReader reader,
        ClassInfo info,
        int* numbers,
        Py_ssize_t since,
        Py_ssize_t end,
        int taken,
        int before,
    ) except -1
    cdef int _read_value(self, BitReader reader, ClassInfo info, int number, int cell) except -1
    cdef int _read_parent(self, BitReader reader, FieldDecoder decoder, int number, int cell) except -1
    cdef int _forget(self, int number, long long first) except -1
    cpdef object slot_value(self, int number)
    cdef long long whole_value(self, int number) noexcept
    cdef int _number_of(self, str name) except -3
