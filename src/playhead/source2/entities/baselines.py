"""States that messages build on: the initial fields of created entities, earlier states in a client's recording.

The string table ``instancebaseline`` has a baseline for each class, and alternates for some. In a client's
recording, a message may also store the state of its entities as baselines for later creations at the same
indices (`update_baseline`). There are two such sets; each message names the set that it uses.

A message of a player's recording builds on the last state that the client had acknowledged to the server. The
message names it by its server tick (`delta_from`); mostly it is a few packets old. A server's own recording
always builds on the latest state.

The module is long because its classes share saved states, whose memory only C code reaches.
"""

from __future__ import annotations

from array import array

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, ReplayError
from playhead.runtime import cython
from playhead.source2.entities.classes import ClassInfo, EntityPool, FieldHistory
from playhead.source2.entities.entity import Entity
from playhead.source2.schema.send_tables import UndeclaredSerializer

if not cython.compiled:
    OP_UPDATED, OP_CREATED_ENTERED, OP_DELETED_LEFT = 2, 9, 20
    MOST_STATES, BLOCK = 128, 64


# Bound on cached baselines of a class; a class has one, and few classes have alternates.
_MOST_KNOWN = 16


@cython.final
@cython.cclass
class Baselines:
    """The baselines of one recording.

    Attributes:
        decoded: number of decoded class baselines; each is decoded for the first entity that needs it.
    """

    def __init__(self, pool: EntityPool) -> None:
        self.decoded = 0
        self._pool = pool
        self._sent = {}
        self._of_classes = {}
        self._own = [{}, {}]

    def share(self, other: Baselines) -> None:
        """Copy the class baselines of another state of the recording, decoded ones too, and share its pool."""
        self._sent.update(other._sent)
        self._of_classes.update(other._of_classes)
        self.decoded += len(other._of_classes)
        self._pool = other._pool

    def clear(self) -> None:
        """Forget all baselines."""
        self._sent.clear()
        self._of_classes.clear()
        self._own = [{}, {}]

    def forget_decoded(self) -> None:
        """Discard decoded class baselines after a change of the classes; they are decoded again on demand."""
        self._of_classes.clear()

    def of_classes(self) -> list[str]:
        """Return the keys of the class baselines."""
        return list(self._sent)

    def update(self, key: str, value: bytes) -> object:
        """Store an entry of the string table."""
        if self._sent.get(key) != value:
            self._sent[key] = value
            self._of_classes.pop(key, None)
        return None

    def decode(self, info: ClassInfo, key: str) -> object:
        """Return an entity with the fields of a class baseline; None if the recording has no such baseline."""
        found = self._of_classes.get(key)
        if found is None:
            sent = self._sent.get(key)
            if sent is None:
                return None
            found = Entity(-1, 0, info, self._pool)
            entity: Entity = found
            if self._recall(info, entity, key, sent):
                self._of_classes[key] = found
                self.decoded += 1
                return found
            reader = BitReader(sent)
            before: cython.longlong = self._pool.values
            texts: cython.longlong = self._pool.strings.lookups
            try:
                if sent:
                    entity.read_fields(reader)
                if reader.rem_bits() > 7:
                    raise CorruptReplay(f"expected the end of the baseline, found {reader.rem_bits()} more bits")
            except ReplayError as error:
                kind = UndeclaredSerializer if isinstance(error, UndeclaredSerializer) else CorruptReplay
                raise kind(
                    f"baseline {key} of class {info.name}, field {entity.failing_field}: {error.message}"
                ) from None
            entity.fit()  # the entities of the class begin with a copy
            self._of_classes[key] = found
            self.decoded += 1
            # Cells of text hold numbers that are valid in one recording only.
            if self._pool.strings.lookups == texts and len(info.baselines) < _MOST_KNOWN:
                state: array = entity.new_state()
                entity.save_state(state)
                info.baselines[key] = (sent, state, entity._capacity, self._pool.values - before)
        return found

    def _recall(self, info: ClassInfo, entity: Entity, key: str, sent: bytes) -> cython.bint:
        """Reuse a baseline that another recording of the same schema decoded. Return whether there is one."""
        known: tuple = info.baselines.get(key)
        if known is None or known[0] != sent:
            return False
        entity.copy_saved_state(known[1], known[2])
        self._pool.values += known[3]
        return True

    def of_class(self, info: ClassInfo, alternate: object) -> object:
        """Return the baseline of a class, or its alternate; None if it has none."""
        found: object = None
        try:
            if alternate is not None:
                found = self.decode(info, f"{info.class_id}:{alternate}")
            return self.decode(info, str(info.class_id)) if found is None else found
        except UndeclaredSerializer:  # reported with the send tables; other classes are unaffected
            return None

    # -- of clients' recordings -----------------------------------------------------------------------------

    def own(self, baseline: cython.int, index: cython.longlong, info: ClassInfo) -> object:
        """Return the baseline that an earlier message stored for an entity; None without one of this
        class.
        """
        found = cython.cast(dict, self._own[baseline]).get(index)
        if found is not None and cython.cast(Entity, found).class_info is not info:
            return None
        return found

    def copy_own(self, baseline: cython.int) -> cython.int:
        """Overwrite the other set with this one."""
        self._own[1 - baseline] = dict(self._own[baseline])
        return 0

    def keep_own(self, baseline: cython.int, entity: Entity) -> cython.int:
        """Store the state of an entity in the other set."""
        kept = Entity(entity.index, 0, entity.class_info, self._pool)
        cython.cast(Entity, kept).copy_state(entity)
        self._own[1 - baseline][entity.index] = kept
        return 0

    def forget_own(self, index: cython.longlong) -> cython.int:
        """Forget the stored baselines of a deleted entity; replacing an entity keeps them."""
        for kept in self._own:
            kept.pop(index, None)
        return 0

    def begins_as(self, other: Baselines, index: int, baseline: int) -> bool:
        """Return whether an entity has equal stored baselines in two managers of the same recording."""
        mine, theirs = self._own[baseline].get(index), other._own[baseline].get(index)
        if mine is None or theirs is None:
            return mine is theirs
        one: Entity = mine
        return one.class_info is theirs.class_info and one.same_state(theirs)


# Below and above any server tick, which has 32 bits.
_FIRST_TICK = cython.declare(cython.longlong, -1)
_END_OF_TICKS = cython.declare(cython.longlong, 1 << 40)

_SAVED: array = array("q")

# Number of saved entities before the first search for unused ones.
_FEW_VERSIONS = 64

# A new history begins once this many cells, plus an eighth of the entity's cells, have changed.
_FEW_CELLS = 16


@cython.final
@cython.no_gc  # no reference cycle contains a state
@cython.cclass
class PastState:
    """A saved entity: its fields and its visibility. The object is reused."""

    def __init__(self, pool: EntityPool) -> None:
        self._pool = pool
        self._room = 0
        self._count = 0
        self.entity = None
        self.active = False
        self._history = None
        self._saved = None

    if cython.compiled:

        def __dealloc__(self) -> None:
            if self._pool is not None:
                self._pool._left += self._room

    else:

        def __del__(self) -> None:
            self._pool._left += self._room

    def save(self, entity: Entity) -> cython.int:
        """Save the state of an entity."""
        history: FieldHistory = entity._history
        # After many changes, a complete copy is no larger than the changes, and makes later ones small.
        if history is None or history.count > _FEW_CELLS + entity._capacity // 8:
            entity.begin_history()
            history = entity._history
        if 2 * history.count > self._room:
            room: cython.Py_ssize_t = 2 * (history.count + _FEW_CELLS)
            self._pool.reserve(room - self._room)
            self._room = room
            self._saved = clone(_SAVED, room, False) if cython.compiled else array("q", bytes(8 * room))
        if history.count:
            history.save(self._saved, entity._cells, entity._present, entity._capacity)
        self._count = history.count
        self._history = history
        self.entity = entity
        self.active = entity.active
        return 0

    def restore(self) -> cython.int:
        """Restore the saved state of the entity."""
        self.entity.restore(self._history, self._saved, self._count)
        self.entity.active = self.active
        return 0

    def forget(self) -> cython.int:
        """Release the saved state."""
        self.entity = None
        self._history = None
        return 0


@cython.final
@cython.cclass
class PastStates:
    """States by server tick, and the state that the entities are in.

    Each state is a table: for each entity index, the number of a `PastState`, 0 for none. States share equal
    entries, so switching between two states restores only the differences.

    Args:
        pool: memory shared by the entities.
        entities: the entities before the first of these states.
    """

    def __init__(self, pool: EntityPool, entities: list[Entity]) -> None:
        self._pool = pool
        self._versions = [None]
        self._free = []
        self._most_versions = _FEW_VERSIONS
        self._latest_tick = -1
        self._base_tick = -1
        self._revived = {}
        self._undeleted = set()
        self._message = 0
        self._places = 0
        self._now_array = array("i")
        self._mentioned_array = array("i")
        self._touched_at_array = array("i")
        self._touched_array = array("i")
        self._restored_array = array("i")
        self._touched_count = 0
        self._restored_count = 0
        self._count = 0
        self._tables = []
        if not cython.compiled:
            self._ticks = [0] * MOST_STATES
        self._grow(BLOCK - 1)
        for found in entities:
            entity: Entity = found
            if entity.index >= self._places:
                self._grow(entity.index)
            self._now[entity.index] = self._save(entity)

    def _grow(self, index: cython.longlong) -> cython.int:
        """Extend the tables to an entity index."""
        places: cython.Py_ssize_t = self._places
        while places <= index:
            places += max(BLOCK, places)
        more = array("i", bytes(4 * (places - self._places)))
        for numbers in (
            self._now_array,
            self._mentioned_array,
            self._touched_at_array,
            self._touched_array,
            self._restored_array,
        ):
            numbers.extend(more)
        self._now = self._now_array.data.as_ints if cython.compiled else self._now_array
        self._mentioned = self._mentioned_array.data.as_ints if cython.compiled else self._mentioned_array
        self._touched_at = self._touched_at_array.data.as_ints if cython.compiled else self._touched_at_array
        self._touched = self._touched_array.data.as_ints if cython.compiled else self._touched_array
        self._restored = self._restored_array.data.as_ints if cython.compiled else self._restored_array
        self._places = places
        for table in self._tables:
            table.extend(array("i", bytes(4 * (places - len(table)))))
        return 0

    def _save(self, entity: Entity) -> cython.int:
        """Save an entity; return the number of its `PastState`."""
        if not self._free and len(self._versions) > self._most_versions:
            self._collect()
        if not self._free:
            self._free.append(len(self._versions))
            self._versions.append(PastState(self._pool))
        number: cython.int = self._free[-1]
        past: PastState = self._versions[number]
        past.save(entity)
        self._free.pop()
        return number

    def _collect(self) -> cython.int:
        """Find saved entities that no state uses; called when none is free."""
        used: bytearray = bytearray(len(self._versions))
        live: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        place: cython.Py_ssize_t
        used[0] = 1
        for place in range(self._places):
            used[self._now[place]] = 1
        for i in range(self._count):
            table: array = self._tables[i]
            numbers: cython.p_int = table.data.as_ints if cython.compiled else table
            for place in range(self._places):
                used[numbers[place]] = 1
        for i in range(1, len(self._versions)):
            if used[i]:
                live += 1
            else:
                past: PastState = self._versions[i]
                past.forget()
                self._free.append(i)
        self._most_versions = _FEW_VERSIONS + 2 * live
        return 0

    def has(self, server_tick: int) -> bool:
        """Return whether the state of that tick is known."""
        return self._find(server_tick) >= 0

    def entities(self) -> list[Entity]:
        """Return every entity of any kept state."""
        pasts = self._versions[1:]
        return [past.entity for past in pasts if past.entity is not None]

    def mention(self, index: cython.int) -> cython.int:
        """Mark an entity as mentioned by the current message."""
        if index >= self._places:
            self._grow(index)
        self._mentioned[index] = self._message
        return 0

    def touch(self, index: cython.int) -> cython.int:
        """Mark an entity as changed or deleted by the current message."""
        if index >= self._places:
            self._grow(index)
        if self._touched_at[index] != self._message:
            self._touched_at[index] = self._message
            self._touched[self._touched_count] = index
            self._touched_count += 1
        return 0

    # -- states -----------------------------------------------------------------------------------------

    def _find(self, server_tick: cython.longlong) -> cython.int:
        """Return the position of a tick's state; -1 if it is unknown."""
        i: cython.int
        for i in range(self._count):
            if self._ticks[i] == server_tick:
                return i
        return -1

    def _keep_states(self, first: cython.longlong, end: cython.longlong) -> cython.int:
        """Drop all states except those of ticks from `first` to before `end`. Their memory is reused."""
        kept: cython.int = 0
        i: cython.int
        for i in range(self._count):
            if first <= self._ticks[i] < end:
                if kept != i:
                    self._ticks[kept] = self._ticks[i]
                    self._tables[kept], self._tables[i] = self._tables[i], self._tables[kept]
                kept += 1
        self._count = kept
        return 0

    def _keep_state(self, server_tick: cython.longlong) -> cython.int:
        """Keep the current state; drop the oldest one if there are too many."""
        i: cython.int
        if self._count == MOST_STATES:
            self._tables.append(self._tables.pop(0))
            for i in range(MOST_STATES - 1):
                self._ticks[i] = self._ticks[i + 1]
            self._count -= 1
        if self._count == len(self._tables):
            self._tables.append(array("i", self._now_array))
        elif cython.compiled:
            memcpy(cython.cast(array, self._tables[self._count]).data.as_ints, self._now, 4 * self._places)
        else:
            self._tables[self._count][:] = self._now_array
        self._ticks[self._count] = server_tick
        self._count += 1
        return 0

    @cython.nonecheck(True)
    def restore_base(self, entities: list, delta: cython.bint, base: cython.longlong) -> cython.bint:
        """Restore the state that a message builds on, and drop earlier ones, which no later message names.

        Return False without any change if the state is unknown.
        """
        if self._revived:
            self._revived.clear()
        if self._undeleted:
            self._undeleted.clear()
        self._restored_count = 0
        self._touched_count = 0
        self._message += 1
        self._base_tick = self._latest_tick
        if not delta:
            return True
        if self._find(base) < 0:
            return False
        self._keep_states(base, _END_OF_TICKS)
        if base == self._latest_tick:
            return True
        place: cython.int = self._find(base)
        self._base_tick = base
        self._latest_tick = base
        self._restore(entities, self._tables[place])
        return True

    def _restore(self, entities: list, table: array) -> cython.int:
        """Switch the entities to a state."""
        index: cython.Py_ssize_t = 0
        wanted: cython.p_int = table.data.as_ints if cython.compiled else table
        while index < self._places:
            end: cython.Py_ssize_t = index + BLOCK
            if cython.compiled and memcmp(self._now + index, wanted + index, 4 * BLOCK) == 0:
                index = end
                continue
            while index < end:
                now: cython.int = self._now[index]
                kept: cython.int = wanted[index]
                if now == kept:
                    index += 1
                    continue
                self._now[index] = kept
                if kept == 0:
                    self._revived[index] = entities[index]
                    entities[index] = None
                    index += 1
                    continue
                past: PastState = self._versions[kept]
                if now == 0:
                    self._undeleted.add(index)
                elif cython.cast(PastState, self._versions[now]).entity is not past.entity:
                    self._revived[index] = entities[index]
                    self._undeleted.add(index)
                else:
                    self._restored[self._restored_count] = cython.cast(cython.int, index)
                    self._restored_count += 1
                past.restore()
                entities[index] = past.entity
                index += 1
        return 0

    def revive(self, index: cython.int, info: ClassInfo, serial: cython.int) -> object:
        """Return the entity removed by `restore_base` if the created one is the same; None otherwise."""
        found = self._revived.get(index)
        if found is None or found.class_info is not info or found.serial != serial:
            return None
        return self._revived.pop(index)

    def was_reported_deleted(self, index: cython.int) -> cython.bint:
        """Return whether handlers already saw the deletion, in a message on which this one does not build."""
        if index not in self._undeleted:
            return False
        self._undeleted.discard(index)
        return True

    def touch_mentioned(self) -> cython.int:
        """Mark all entities mentioned by a message as changed, because it failed at one of them."""
        place: cython.int
        for place in range(self._places):
            if self._mentioned[place] == self._message:
                self.touch(place)
        return 0

    @cython.nonecheck(True)
    def keep_current(self, entities: list, server_tick: cython.longlong, changed: list) -> cython.int:
        """Keep the state after a message; append effects of `restore_base` on other entities to `changed`."""
        i: cython.Py_ssize_t
        if self._revived:
            for found in self._revived.values():
                entity: Entity = found
                entity.active = False
                entity.note(OP_DELETED_LEFT, changed)
        if self._undeleted:
            for number in self._undeleted:
                if entities[number] is not None:
                    entity = entities[number]
                    entity.note(OP_CREATED_ENTERED, changed)
            self._undeleted.clear()
        for i in range(self._restored_count):
            index: cython.int = self._restored[i]
            if self._mentioned[index] != self._message and entities[index] is not None:
                entity = entities[index]
                entity.note(OP_UPDATED, changed)
        for i in range(self._touched_count):
            index = self._touched[i]
            if entities[index] is None:
                self._now[index] = 0
            else:
                self._now[index] = self._save(entities[index])
        if server_tick <= self._base_tick:  # ticks restarted: known ticks now mean other states
            self._count = 0
        elif self._find(server_tick) >= 0:  # repeated tick: states based on its first occurrence are unknown
            self._keep_states(_FIRST_TICK, server_tick)
        self._keep_state(server_tick)
        self._latest_tick = server_tick
        return 0
