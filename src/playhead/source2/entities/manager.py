"""`EntityManager`: the networked objects of a recording, rebuilt message by message.

The module is long because the loop over a message's entries calls its C methods directly.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, ReplayError
from playhead.runtime import cython
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.entities.baselines import Baselines, PastStates
from playhead.source2.entities.classes import ClassInfo, ClassLayouts, EntityPool
from playhead.source2.entities.entity import HANDLE_SERIAL_MASK, INDEX_BITS, INDEX_MASK, Entity
from playhead.source2.entities.handlers import (
    EntityHandler,
    EntityOp,
    EntityTracker,
    KnownClasses,
    by_id,
    by_name,
    class_matches,
)
from playhead.source2.entities.watching import WatchGroup
from playhead.source2.messages.packet import MessageHead
from playhead.source2.schema.patches import build_of, encoder_aliases
from playhead.source2.schema.send_tables import SendTables
from playhead.source2.schema.tree import FieldTree

if TYPE_CHECKING:
    from playhead.source2.entities.handlers import KnownClasses
    from playhead.source2.string_tables.tables import StringTables

if not cython.compiled:
    # Equal to the constants in the .pxd files.
    from playhead.bits.bit_reader import next_bits, next_ubit_var, pass_bits, peek_word
    from playhead.source2.entities.field_path import FIN_BITS, FIN_CODE

    UPDATE, LEAVE, CREATE, DELETE = range(4)
    OP_UPDATED, OP_CREATED_ENTERED, OP_UPDATED_ENTERED, OP_LEFT, OP_DELETED_LEFT = 2, 9, 10, 16, 20
    NO_FIELDS, IN_SIGHT = 1, 2
    ENTITIES = 1 << INDEX_BITS
    SETTLED = 8

#: Bound on the simultaneous entities of a recording.
MOST_ENTITIES = 1 << 14

#: String table with the names of entities.
ENTITY_NAMES = "EntityNames"

#: String table with the initial fields of entities, by class.
INSTANCE_BASELINE = "instancebaseline"


@cython.final
@cython.cclass
class DeletionLists:
    """Read the lists of deleted entities at the end of deltas, in builds up to April 2024, and detect whether a
    recording has them.

    After the entries of a delta, at least six bits remain if there is a list, at most seven without one.
    Six or seven bits can only be an empty list. The majority of messages so far decides, because one may be
    damaged.
    """

    def __init__(self) -> None:
        self.evidence = 0

    def read(self, reader: BitReader) -> list:
        """Return the indices of the deleted entities; None without any."""
        left: cython.ulonglong = reader.rem_bits()
        index: cython.longlong = -1
        deleted: list = None
        if left < 8 and self.evidence < SETTLED:
            if left < 6:
                self.evidence -= self.evidence > -SETTLED
            return None
        if self.evidence <= -SETTLED:
            return None
        count: cython.ulonglong = reader.read_ubit_var()
        while count:
            index += cython.cast(cython.longlong, reader.read_ubit_var())
            if index < 0 or index >= ENTITIES:
                raise CorruptReplay(f"expected an entity below {ENTITIES} to delete, found {index}")
            if deleted is None:
                deleted = []
            deleted.append(index)
            count -= 1
        if reader.rem_bits() > 7:
            return None  # these bits were no list
        if left > 7:
            self.evidence += self.evidence < SETTLED
        return deleted


@cython.final
@cython.cclass
class EntityManager:
    """Apply entity messages and look up entities.

    Args:
        layouts: the serializers or the class layouts; layouts that keep fewer fields cost less time.
        most_cells: bound on the fields kept at a time.

    Attributes:
        entities: by index; None without one.
        tracker: handlers of entity operations.
        pool: memory shared by the entities.
        string_tables: source of names and baselines; None without one.
        valid: False before the first complete state, and after a message that could not be decoded.
        classes_by_id, classes_by_name: all classes of the recording; empty before `on_class_info`.
        class_id_size: bits of a class number in entity messages; 0 before `on_server_info`.
        game_build: build in ServerInfo's game folder (``…/dota_v6900/…``); None if unknown.
        messages, creates, updates: counters.
        skipped: messages skipped because the state that they change was unknown.
        unknown_deletes: leaves and deletions of entities that did not exist.
        missing_baselines: creations of entities whose class has no baseline; they began without fields.
        unknown_bases: messages of a client's recording that build on an unknown (maybe forgotten) state; they
            were applied to the latest state.
    """

    entities: list[Entity | None]
    tracker: EntityTracker
    string_tables: StringTables | None
    classes_by_id: KnownClasses[int]
    classes_by_name: KnownClasses[str]
    game_build: int | None

    def __init__(self, layouts: SendTables | ClassLayouts, most_cells: int = 1 << 27) -> None:
        self.entities = [None] * MOST_ENTITIES
        # A set bit for each used index; may also be set for an index that is no longer used.
        self._taken_array = array("Q", bytes(MOST_ENTITIES // 8))
        self._taken = self._taken_array.data.as_ulonglongs if cython.compiled else self._taken_array
        self.tracker = EntityTracker()
        self._wanted = self.tracker.wanted
        self._watching = self.tracker.watching
        self.string_tables = None
        self.valid = False
        self.messages = 0
        self.creates = 0
        self.updates = 0
        self.skipped = 0
        self.unknown_deletes = 0
        self.missing_baselines = 0
        self._declared = layouts if isinstance(layouts, ClassLayouts) else ClassLayouts(FieldTree(layouts))
        self._layouts = self._declared
        self.pool = EntityPool(most_cells)
        self._classes = {}
        self.on_class_info({})
        self.class_id_size = 0
        self.game_build = None
        self._baselines = Baselines(self.pool)
        self._past = None
        self.unknown_bases = 0
        self._changed = []
        self._head = MessageHead()
        self._fitting = {}
        self._deletion_lists = DeletionLists()
        self._at = -1

    # -- setup --------------------------------------------------------------------------------------------

    @property
    def builds_on_past_states(self) -> bool:
        """Whether messages name the earlier states that they build on, as in a client's recording."""
        return self._past is not None

    @property
    def has_deletion_lists(self) -> bool:
        """Whether deltas end with lists of deletions, judging by the majority of messages so far."""
        return self._deletion_lists.evidence > 0

    def knows_state(self, server_tick: int) -> bool:
        """Return whether the state of that server tick is known, so messages may build on it."""
        return self._past is not None and self._past.has(server_tick)

    def begins_as(self, other: EntityManager, index: int, baseline: int) -> bool:
        """Return whether a created entity has the same stored baseline in another manager of the same recording.

        `baseline` is the set that the message names. For clients' recordings.
        """
        return self._baselines.begins_as(other._baselines, index, baseline)

    def on_server_info(self, message: Mapping[str | int, Any]) -> None:
        """Apply CSVCMsg_ServerInfo: bits of a class number, seconds of a tick, build of the game, encoder
        aliases.

        Raises:
            CorruptReplay: the number of classes is invalid.
        """
        most = message.get("max_classes", 0)
        if not 0 < most < 1 << 24:
            raise CorruptReplay(f"expected a number of classes in ServerInfo, found {most}")
        layouts = self._declared.with_aliases(encoder_aliases(message))
        if layouts is not self._layouts:
            self._layouts = layouts
            self._classes.clear()
            self._baselines.forget_decoded()
            self.on_class_info(self._names)
        self.class_id_size = most.bit_length()
        self.game_build = build_of(message.get("game_dir", ""))
        self.pool.seconds_per_tick = message.get("tick_interval", 0.0)

    def share_baselines(self, other: EntityManager) -> None:
        """Copy the class baselines of another manager of the same recording, and share its memory."""
        self._baselines.share(other._baselines)
        self.pool = other.pool

    def reset(self) -> None:
        """Forget all entities and baselines, as before the first message."""
        self.entities[:] = [None] * MOST_ENTITIES
        self._baselines.clear()
        self._past = None
        self.valid = False

    def forget_state(self) -> None:
        """Treat the state as unknown until the next complete state."""
        self.valid = False

    @property
    def tick_interval(self) -> float:
        """Seconds of a tick; 0 before ServerInfo."""
        return self.pool.seconds_per_tick

    def on_class_info(self, names: Mapping[int, str]) -> None:
        """Apply CDemoClassInfo: network names by class number."""
        self._names = dict(names)
        self.classes_by_id = KnownClasses(self._layouts, self._names, by_id)
        self.classes_by_name = KnownClasses(self._layouts, self._names, by_name)

    @cython.nonecheck(True)
    def on_baseline_updated(self, key: str | None = None, value: bytes = b"") -> None:
        """Apply an entry of the string table ``instancebaseline``: the initial fields of a class.

        The key is the class number, for an alternate followed by a colon and the number of the alternate. The
        entry is decoded for the first entity that needs it. Without a key, all entries of the table in
        `string_tables` are applied.

        Raises:
            LookupError: `key` is None, and `string_tables` has no such table.
        """
        if key is None:
            for item in self._table(INSTANCE_BASELINE, "baselines"):
                self.on_baseline_updated(item.key, item.value or b"")
        else:
            self._baselines.update(key, value)

    def _table(self, name: str, what: str) -> Any:
        tables = self.string_tables
        if tables is None or name not in tables or not tables.follows(name):
            why = "not followed" if tables is None or not tables.follows(name) else "missing"
            raise LookupError(f"expected the string table {name} for {what} of entities; it is {why}")
        return tables[name]

    def on_entity(self, handler: EntityHandler, class_name: str = "*", op: EntityOp | int = EntityOp.ANY) -> None:
        """As `EntityTracker.on_entity`."""
        self.tracker.on_entity(handler, class_name, op)
        for entity in self if self.creates else ():  # most handlers come before any entity
            entity.watched = self.tracker.wants(entity.class_name)
        if self._past is not None:  # deleted entities may come back
            for entity in self._past.entities():
                entity.watched = self.tracker.wants(entity.class_name)

    def class_info(self, class_id: int) -> ClassInfo:
        """Return the class of that number.

        Raises:
            CorruptReplay: there is no such class, or it has no serializer.
        """
        info = self._classes.get(class_id)
        if info is None:
            name = self._names.get(class_id)
            if name is None:
                raise CorruptReplay(f"expected one of {len(self._names)} classes, found number {class_id}")
            info = self._classes[class_id] = self._layouts.class_info(class_id, name)
        return info

    @property
    def baselines_decoded(self) -> int:
        """Number of decoded class baselines."""
        return self._baselines.decoded

    def check_baselines(self) -> Iterator[tuple[str, CorruptReplay]]:
        """Decode every baseline; yield key and error of each invalid one."""
        for key in self._baselines.of_classes():
            number = key.split(":")[0]
            try:
                if not number.isdecimal():
                    raise CorruptReplay(f"expected a class number as the key of a baseline, found {key!r}")
                self._baselines.decode(self.class_info(int(number)), key)
            except CorruptReplay as error:
                yield key, error

    # -- entity messages --------------------------------------------------------------------------------

    def on_packet_entities(self, payload: bytes) -> list[tuple[Entity, EntityOp]]:
        """Apply CSVCMsg_PacketEntities, then call the handlers.

        Returns:
            The operations on entities that a handler is registered for.

        Raises:
            CorruptReplay: the message is invalid. Entities keep the changes made so far, and `valid` is False
                until the next complete state.
        """
        changed = self.apply(payload)
        out = []
        for entity, op in changed:
            self.tracker.dispatch(entity, op)
            out.append((entity, EntityOp(op)))
        return out

    # stub: def apply(self, payload: bytes) -> list[tuple[Entity, int]]: ...
    def apply(self, payload: bytes) -> list:
        """As `on_packet_entities`, without calling handlers; operations are plain integers.

        A change of an unknown state is skipped and counted in `skipped`.
        """
        return self.apply_window(BitReader(payload))

    def apply_window(self, reader: BitReader) -> list:
        """As `apply`; the message is the rest of `reader`."""
        if self._changed:
            self._changed = []
        self._at = -1
        try:
            self._apply(reader)
        except ReplayError as error:
            self.valid = False
            raise self._locate(error) from None
        return self._changed

    @cython.nonecheck(True)
    def _apply(self, reader: BitReader) -> cython.int:
        head: MessageHead = self._head
        head.read(reader)
        if head.delta and not self.valid:
            self.skipped += 1
            return 0
        if head.update_baseline:
            # Only a client's recording has this; its messages build on the last state that the client
            # acknowledged.
            if self._past is None:
                self._past = PastStates(self.pool, [found for found in self.entities if found is not None])
            self._baselines.copy_own(head.baseline)
        if self._past is not None and not self._past.restore_base(self.entities, head.delta, head.base):
            self.unknown_bases += 1
        if self._past is not None and self._past._undeleted:
            for index in self._past._undeleted:
                self._take_place(index)
        try:
            self._apply_data(reader, head)
        except ReplayError:
            if self._past is not None:
                self._past.touch_mentioned()
                self._keep_state(head)
            raise
        if self._past is not None:
            self._keep_state(head)
        self.valid = True
        self.messages += 1
        return 0

    def _keep_state(self, head: MessageHead) -> cython.int:
        """Keep the state after a message (or up to its damage), which `entities` now holds."""
        past: PastStates = self._past
        self._past = None  # in case of an error, the kept states no longer match `entities`
        past.keep_current(self.entities, head.server_tick, self._changed)
        self._past = past
        return 0

    def _locate(self, error: ReplayError) -> ReplayError:
        """Add the entity, class and field at which decoding failed to an error."""
        entity = self.entities[self._at] if 0 <= self._at < MOST_ENTITIES else None
        place = "entities" if self._at < 0 else f"entity {self._at}"
        if entity is not None:
            place += f" of class {entity.class_name}"
            if entity.failing_field is not None:
                place += f", field {entity.failing_field}"
        error.message = f"{place}: {error.message}"
        error.offset = None
        return error

    def _apply_data(self, reader: BitReader, head: MessageHead) -> cython.int:
        delta: cython.bint = head.delta
        has_pvs: cython.bint = head.has_pvs
        index: cython.longlong = -1
        _entry: cython.longlong
        named: object = None if delta else set()
        past: PastStates = self._past
        for _entry in range(head.updated):
            # Load the index difference, mostly a ubitvar of six bits, together with the operation.
            header: cython.ulonglong = peek_word(reader) & 255
            if header & 48:
                index += cython.cast(cython.longlong, next_ubit_var(reader)) + 1
                header = next_bits(reader, 2)
            else:
                if not pass_bits(reader, 8):
                    reader.skip_bits(8)  # raises
                index += cython.cast(cython.longlong, header & 15) + 1
                header >>= 6
            self._at = cython.cast(cython.int, index & 0x7FFFFFF)
            if index >= ENTITIES:
                raise CorruptReplay(f"expected an entity below {MOST_ENTITIES}, found {index}")
            if past is not None:
                past.mention(cython.cast(cython.int, index))
            if not delta and header != CREATE:
                raise CorruptReplay("expected only creations in a complete state")
            if header == UPDATE:
                found = self.entities[index]
                if found is None:
                    raise CorruptReplay("expected an entity to update, found none")
                entity: Entity = found
                was_active: cython.bint = entity.active
                if past is not None and was_active and not has_pvs and self._pass_nothing(reader):
                    # Most updates of a client's recording are empty and leave the entity unchanged.
                    self.updates += 1
                    entity._failing = -1
                    self._note(entity, OP_UPDATED)
                    continue
                if has_pvs:
                    has_fields: cython.bint = self._update_in_sight(entity, reader, next_bits(reader, 2))
                else:
                    has_fields = self._update(entity, reader)
                if past is not None and (has_fields or entity.active != was_active):
                    past.touch(cython.cast(cython.int, index))
                continue
            if past is not None:
                past.touch(cython.cast(cython.int, index))
            if header == CREATE:
                self._create(cython.cast(cython.int, index), reader, head)
                if not delta:
                    cython.cast(set, named).add(index)
            else:
                self._leave(cython.cast(cython.int, index), header == DELETE)
                if header == DELETE and self._past is not None:
                    self._baselines.forget_own(index)
        self._at = -1
        if delta:
            deleted = self._deletion_lists.read(reader)
            if deleted is not None:
                for found in deleted:
                    self._leave(found, True)
                    if past is not None:
                        past.touch(found)
                        self._baselines.forget_own(found)
        if reader.rem_bits() > 7:
            raise CorruptReplay(f"expected the end of the entity data, found {reader.rem_bits()} more bits")
        if not delta:
            for i in self._living():
                if i not in cython.cast(set, named):
                    self._leave(i, True)
                    self._baselines.forget_own(i)
                    if past is not None:
                        past.touch(i)
        return 0

    def _take_place(self, index: cython.int) -> cython.int:
        self._taken[index >> 6] |= cython.cast(cython.ulonglong, 1) << (index & 63)
        return 0

    def _living(self) -> list:
        """Return the indices of all entities, in order, without visiting every index."""
        found: list = []
        i: cython.int
        for i in range(ENTITIES // 64):
            word: cython.ulonglong = self._taken[i]
            index: cython.int = 64 * i
            while word:
                if word & 1:
                    if self.entities[index] is not None:
                        found.append(index)
                    else:
                        self._taken[i] ^= cython.cast(cython.ulonglong, 1) << (index & 63)
                word >>= 1
                index += 1
        return found

    def _note(self, entity: Entity, op: cython.int) -> cython.int:
        if op == OP_UPDATED and entity.watched & OP_UPDATED and self._is_ignored(entity):
            entity.op = op
            return 0
        entity.note(op, self._changed)
        return 0

    def _is_ignored(self, entity: Entity) -> cython.bint:
        """Return whether every handler of an update watches fields that are unchanged: most packets move units
        without changing any watched field.
        """
        number: cython.Py_ssize_t = entity.class_info.class_id
        group: WatchGroup = self._watching[number] if 0 <= number < len(self._watching) else None
        if group is None or group.info is not entity.class_info:
            group = self.tracker.watches(entity.class_info)
        return group.ignores(entity, self.pool.paths if self._past is None else None)

    def _pass_nothing(self, reader: BitReader) -> cython.bint:
        """Skip an update without fields. Return False, without moving, for any other update."""
        return (peek_word(reader) & ((1 << FIN_BITS) - 1)) == FIN_CODE and pass_bits(reader, FIN_BITS)

    def _update(self, entity: Entity, reader: BitReader) -> cython.bint:
        """Apply an update. Return whether it has fields."""
        op: cython.int = OP_UPDATED
        changed: cython.int = entity.read_fields(reader)
        has_fields: cython.bint = self.pool.paths.count != 0
        self.updates += 1
        if not entity.active:
            entity.active = True
            op = OP_UPDATED_ENTERED
            changed = 1
        if changed:
            self._note(entity, op)
        return has_fields

    def _update_in_sight(self, entity: Entity, reader: BitReader, bits: cython.ulonglong) -> cython.bint:
        """Apply an update with explicit bits for visibility and presence of fields. Return whether it has
        fields.
        """
        has_fields: cython.bint = False
        op: cython.int = 0
        in_sight: cython.bint = (bits & IN_SIGHT) != 0
        if not bits & NO_FIELDS:
            self.updates += 1
            if entity.read_fields(reader):
                op = OP_UPDATED
            has_fields = self.pool.paths.count != 0
        if in_sight != entity.active:
            op |= OP_UPDATED_ENTERED if in_sight else OP_LEFT
            entity.active = in_sight
        if op:
            self._note(entity, op)
        return has_fields

    def _create(self, index: cython.int, reader: BitReader, head: MessageHead) -> cython.int:
        class_id: cython.ulonglong = reader.read_bits(self.class_id_size)
        serial: cython.ulonglong = reader.read_bits(17)
        reader.read_varuint32()  # handle of the spawn group
        info: ClassInfo = self.class_info(class_id)
        old = self.entities[index]
        if self._past is not None:
            revived = self._past.revive(index, info, cython.cast(cython.int, serial))
            if revived is not None:
                self.entities[index] = old = revived
        if old is not None and old.class_info is info and old.serial == serial:
            entity: Entity = old  # a re-created entity keeps its identity
            entity.clear_state()
            entity.active = True
        else:
            if old is not None:
                self._leave(index, True)
            entity = Entity.__new__(Entity)
            entity.begin(index, cython.cast(cython.int, serial), info, self.pool)
            watched = self._wanted.get(info.name)
            entity.watched = self.tracker.wants(info.name) if watched is None else watched
            self.entities[index] = entity
        self._take_place(index)
        start = None
        if head.delta and self._past is not None:
            start = self._baselines.own(head.baseline, index, info)
        if start is None:
            start = self._baselines.of_class(info, head.alternates.get(index) if head.alternates else None)
        if start is None:
            self.missing_baselines += 1
        else:
            entity.copy_state(start)
        entity.read_fields(reader)
        if head.update_baseline:
            self._baselines.keep_own(head.baseline, entity)
        self.creates += 1
        self._note(entity, OP_CREATED_ENTERED)
        return 0

    def _leave(self, index: cython.int, delete: cython.bint) -> cython.int:
        found = self.entities[index]
        if found is None:
            self.unknown_deletes += 1
            return 0
        entity: Entity = found
        entity.active = False
        if delete:
            self.entities[index] = None
            if self._past is not None and self._past.was_reported_deleted(index):
                return 0
        self._note(entity, OP_DELETED_LEFT if delete else OP_LEFT)
        return 0

    # -- look-ups ---------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return sum(entity is not None for entity in self.entities)

    def __repr__(self) -> str:
        return f"<EntityManager of {sum(1 for _ in self)} entities>"

    def __iter__(self) -> Iterator[Entity]:
        return (entity for entity in self.entities if entity is not None)

    def find(self, index: int) -> Entity | None:
        """Return the entity of that index; None if the index is free."""
        found: Entity | None = self.entities[index] if 0 <= index < MOST_ENTITIES else None
        return found

    def find_by_handle(self, handle: int) -> Entity | None:
        """Return the entity of a networked handle; None for a null handle or a deleted entity (other serial)."""
        entity = self.find(handle & INDEX_MASK)
        if entity is None or entity.serial & HANDLE_SERIAL_MASK != handle >> INDEX_BITS & HANDLE_SERIAL_MASK:
            return None
        return entity

    def find_by_class_name(self, name: str) -> Entity | None:
        """Return the first entity (lowest index) whose class has that name or matches that pattern; None if
        there is none.
        """
        return next(iter(self.find_all_by_class_name(name)), None)

    def find_all_by_class_name(self, name: str) -> list[Entity]:
        """Return all entities whose class has that name or matches that pattern, by index."""
        fits: dict = self._fitting.setdefault(name, {})
        out: list = []
        for found in self.entities:
            if found is None:
                continue
            entity: Entity = found
            class_name: str = entity.class_info.name
            known = fits.get(class_name)
            if known is None:
                known = fits[class_name] = class_matches(class_name, name)
            if known:
                out.append(entity)
        return out

    def npc_name(self, entity: Entity) -> str | None:
        """Return the name that the map or the game gave an entity (``npc_dota_hero_axe``); None if it has none.

        Names are in the string table EntityNames.

        Raises:
            LookupError: this table is not followed.
        """
        names = self._table(ENTITY_NAMES, "names")
        number = entity.get("m_pEntity.m_nameStringTableIndex")
        return names.key_of(number) if isinstance(number, int) else None

    def find_by_npc_name(self, name: str) -> Entity | None:
        """Return the first entity (lowest index) of that name, see `npc_name`; None if no entity has it."""
        return next((entity for entity in self if self.npc_name(entity) == name), None)

    def all_active(self) -> list[Entity]:
        """Return all visible entities, by index."""
        return [entity for entity in self if entity.active]

    def filter(self, predicate: Callable[[Entity], bool]) -> list[Entity]:
        """Return all entities for which `predicate` is true, by index."""
        return [entity for entity in self if predicate(entity)]

    def differences(self, other: EntityManager) -> Iterator[tuple[int, str, Any, Any]]:
        """Yield each difference between two managers: index, field (or class or presence), our value, their
        value.
        """
        for index in sorted({*self._living(), *other._living()}):
            mine, theirs = self.entities[index], other.entities[index]
            if mine is None and theirs is None:
                continue
            if mine is None or theirs is None:
                yield index, "entity", mine, theirs
                continue
            if (mine.class_name, mine.serial) != (theirs.class_name, theirs.serial):
                yield index, "class and serial", (mine.class_name, mine.serial), (theirs.class_name, theirs.serial)
                continue
            if self.pool is other.pool and _same_state(mine, theirs):
                continue
            ours, others = mine.to_dict(), theirs.to_dict()
            for name in ours.keys() | others.keys():
                if repr(ours.get(name)) != repr(others.get(name)):
                    yield index, name, ours.get(name), others.get(name)


@cython.cfunc
@cython.exceptval(check=False)
def _same_state(mine: Entity, theirs: Entity) -> cython.bint:
    return mine.class_info is theirs.class_info and mine.same_state(theirs)
