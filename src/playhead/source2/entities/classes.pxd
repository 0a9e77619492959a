from cpython.array cimport array, clone
from libc.string cimport memcpy

from playhead.bits.checked_arrays cimport extend_buffer, resize
from playhead.source2.entities.field_path cimport FieldPathReader
from playhead.source2.entities.path_rows cimport PathRows
from playhead.source2.schema.decoder cimport FieldDecoder, ValuePool
from playhead.source2.schema.tree cimport (
    LEVELS,
    LEVEL_MASKS,
    LEVEL_SHIFTS,
    FieldCursor,
    FieldNode,
    FieldTree,
    NumberMap,
    SerializerNode,
    node_at,
)

# Form of a slot: its kind, then bits and flags of a quantized float.
cdef enum:
    KIND_MASK = 255
    FORM_BITS_AT = 8
    FORM_FLAGS_AT = 16
    # That of a slot with several cells; that of a single cell contains its decoder's kind.
    SEVERAL_CELLS = 127


# Bound on the slots of a class, each of which costs memory in every entity. Real classes have up to about 2,000.
cdef enum:
    MOST_SLOTS = 1 << 16


cdef class ClassInfo:
    cdef readonly PathRows rows
    cdef readonly dict baselines
    cdef int* _layout
    cdef unsigned long long* _decoder
    cdef readonly int class_id
    cdef readonly str name
    cdef readonly int cells
    cdef readonly list several
    cdef FieldCursor _cursor
    cdef bint _keep_all
    cdef bint _keep_none
    cdef object _wanted
    cdef dict _ends
    cdef list _decoders
    cdef dict _types
    cdef NumberMap _chains
    cdef array _links
    cdef (int)[2] _link_row
    cdef Py_ssize_t _linked
    cdef dict _polymorphic
    cdef dict _packed_names
    cdef dict _typed_names
    cdef list _slots
    cdef dict _names
    cdef Py_ssize_t _room
    cdef array _paths
    cdef array _layout_array
    cdef array _decoder_array
    cdef NumberMap _map

    cdef object _refresh(self)
    cdef int _lookup(self, unsigned long long path) noexcept
    cdef unsigned long long path_of(self, int number) noexcept
    cdef int slot(self, unsigned long long path, object entity) except -2
    cdef int _add_path(self, unsigned long long path, object entity) except -2
    cdef int _pointer(self, unsigned long long path, tuple types) except -3
    cdef int _add(self, unsigned long long path, tuple types, FieldDecoder decoder) except -2
    cdef int _make_room(self, Py_ssize_t slots) except -1
    cdef bint _keeps(self) except -1
    cdef bint _may_keep(self, bint full) except -1
    cdef int _link(self, int number) except -1
    cdef list children(self, int number, long long first)
    cpdef int slot_number(self, str name) except -3
    cpdef int ensure_slot(self, str name) except -3


# Of a slot; both are in one place, because reading a value needs both.

cdef inline int cell_of(ClassInfo info, Py_ssize_t number) noexcept:
    # Its first cell; -1 for a field that is not kept.
    return info._layout[2 * number]


cdef inline int form_of(ClassInfo info, Py_ssize_t number) noexcept:
    return info._layout[2 * number + 1]


cdef class EntityPool:
    cdef readonly ValuePool strings
    cdef FieldPathReader paths
    cdef public double seconds_per_tick
    cdef readonly long long values
    cdef long long _left
    cdef long long _most
    cdef array _scratch_array
    cdef long long* _scratch

    cdef int reserve(self, long long cells) except -1


cdef array _NUMBERS
cdef array _VALUES
cdef array _MARKS


cdef class FieldHistory:
    cdef Py_ssize_t count
    cdef array whole
    cdef Py_ssize_t whole_size
    cdef EntityPool _pool
    cdef long long _taken
    cdef Py_ssize_t _listed
    cdef Py_ssize_t _markable
    cdef array _numbers_array
    cdef array _first_array
    cdef array _marks_array
    cdef int* _numbers
    cdef long long* _first
    cdef signed char* _marks

    cdef int _reserve(self, long long cells) except -1
    cdef int _make_room(self, int cell, Py_ssize_t capacity) except -1
    cdef int keep(self, int cell, long long* values, signed char* present, Py_ssize_t capacity) except -1
    cdef int save(self, array saved, long long* values, signed char* present, Py_ssize_t capacity) except -1
    cdef int load(
        self, array saved, Py_ssize_t count, long long* values, signed char* present, Py_ssize_t capacity
    ) except -1
    cdef int keep_whole(self, array saved, Py_ssize_t size) except -1
