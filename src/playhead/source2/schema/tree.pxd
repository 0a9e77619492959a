from cpython.array cimport array, clone
from cpython.list cimport PyList_GET_ITEM

cdef class NumberMap:
    cdef array _places
    cdef dict _map
    cdef Py_ssize_t _size
    cdef unsigned long long _mask

    cdef long long get(self, unsigned long long key) noexcept
    cdef long long put(self, unsigned long long key, long long number) except? -1
    cdef int make_room(self, Py_ssize_t keys) except -1


# Levels of a path: `playhead.source2.schema.path_codes.LEVELS`.
cdef enum:
    LEVELS = 7


# Place and mask of each level in a packed path.
cdef int[LEVELS] LEVEL_SHIFTS
cdef unsigned long long[LEVELS] LEVEL_MASKS


cdef class SerializerNode


cdef class FieldNode:
    cdef readonly object field
    cdef frozenset _unsigned
    cdef dict _decoders
    cdef readonly tuple keys
    cdef bint _sent_under
    cdef bint _several
    cdef bint _elements
    cdef bint _table
    cdef bint _parent
    cdef long long _count
    cdef object _own
    cdef object _element
    cdef SerializerNode _leads
    cdef str _begin
    cdef str _full_begin
    cdef str _end

    cdef object decoder(self, bint of_element)
    cdef int split_names(self) except -1


cdef class SerializerNode:
    cdef readonly str name
    cdef tuple _declared
    cdef Py_ssize_t _count
    cdef list _nodes
    cdef tuple _names
    cdef tuple _full_names
    cdef dict _places
    cdef dict _full_places

    cdef int place_of(self, str name, bint full) except -2


cdef class FieldTree:
    cdef readonly object send_tables
    cdef frozenset _unsigned
    cdef dict _decoders
    cdef dict _serializers
    cdef list _fields
    cdef NumberMap _places

    cdef SerializerNode serializer(self, tuple key)
    cdef FieldNode field(self, SerializerNode serializer, Py_ssize_t number)


cdef class FieldCursor:
    cdef FieldTree _tree
    cdef SerializerNode _root
    cdef str _class_name
    cdef (void*)[LEVELS] _nodes
    cdef (void*)[LEVELS] _owners
    cdef readonly int depth
    cdef (long long)[LEVELS] _levels
    cdef (unsigned long long)[LEVELS] _prefixes
    cdef (long long)[LEVELS] _elements

    cdef object walk(self, unsigned long long path, tuple types)
    cdef str name_at(self, int step, bint full)
    cdef bint is_under_node(self) except -1
    cdef str _joined(self, bint full)
    cdef int _lost(self, unsigned long long path, str expected) except -1


cdef inline FieldNode node_at(FieldCursor cursor, int step):
    # The field of a step of the walk.
    return <FieldNode>cursor._nodes[step]
