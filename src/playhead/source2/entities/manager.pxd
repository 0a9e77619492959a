from cpython.array cimport array

from playhead.bits.bit_reader cimport BitReader, next_bits, next_ubit_var, pass_bits, peek_word
from playhead.source2.entities.baselines cimport Baselines, PastStates
from playhead.source2.entities.classes cimport ClassInfo, EntityPool
from playhead.source2.entities.entity cimport Entity
from playhead.source2.entities.field_path cimport FIN_BITS, FIN_CODE, FieldPathReader
from playhead.source2.entities.watching cimport WatchGroup
from playhead.source2.messages.packet cimport MessageHead

# Operation of an entry.
cdef enum:
    UPDATE = 0
    LEAVE = 1
    CREATE = 2
    DELETE = 3


# Bits of an update with explicit visibility.
cdef enum:
    NO_FIELDS = 1
    IN_SIGHT = 2


# Values of `playhead.source2.entities.handlers.EntityOp`.
cdef enum:
    OP_UPDATED = 2
    OP_CREATED_ENTERED = 9
    OP_UPDATED_ENTERED = 10
    OP_LEFT = 16
    OP_DELETED_LEFT = 20


# Bound on the simultaneous entities of a recording.
cdef enum:
    ENTITIES = 16384


# Lead of one kind of messages over the other that decides whether a recording has lists of deletions.
cdef enum:
    SETTLED = 8


cdef class DeletionLists:
    cdef int evidence

    cdef list read(self, BitReader reader)


cdef class EntityManager:
    cdef readonly list entities
    cdef array _taken_array
    cdef unsigned long long* _taken
    cdef readonly object tracker
    cdef dict _wanted
    cdef list _watching
    cdef readonly bint valid
    cdef readonly long long messages
    cdef readonly long long creates
    cdef readonly long long updates
    cdef readonly long long skipped
    cdef readonly long long unknown_deletes
    cdef readonly long long missing_baselines
    cdef object _declared
    cdef object _layouts
    cdef readonly EntityPool pool
    cdef public object string_tables
    cdef dict _names
    cdef dict _classes
    cdef readonly object classes_by_id
    cdef readonly object classes_by_name
    cdef readonly unsigned int class_id_size
    cdef readonly object game_build
    cdef Baselines _baselines
    cdef PastStates _past
    cdef MessageHead _head
    cdef readonly long long unknown_bases
    cdef list _changed
    cdef dict _fitting
    cdef DeletionLists _deletion_lists
    cdef int _at

    cpdef list apply(self, bytes payload)
    cdef list apply_window(self, BitReader reader)
    cdef int _apply(self, BitReader reader) except -1
    cdef int _apply_data(self, BitReader reader, MessageHead head) except -1
    cdef int _keep_state(self, MessageHead head) except -1
    cdef int _take_place(self, int index) except -1
    cdef list _living(self)
    cdef int _note(self, Entity entity, int op) except -1
    cdef bint _is_ignored(self, Entity entity) except -1
    cdef inline bint _pass_nothing(self, BitReader reader) noexcept
    cdef bint _update(self, Entity entity, BitReader reader) except -1
    cdef bint _update_in_sight(self, Entity entity, BitReader reader, unsigned long long bits) except -1
    cdef int _create(self, int index, BitReader reader, MessageHead head) except -1
    cdef int _leave(self, int index, bint delete) except -1
