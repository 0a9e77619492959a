"""Write entity messages: the inverse of `source2.entities.manager`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from playhead.bits import BitWriter
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.manager import MOST_ENTITIES, EntityManager
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.schema.encoding import Kind
from playhead.source2.schema.send_tables import SendTables
from playhead.source2.schema.tree import FieldCursor, FieldTree, Slot
from playhead.source2.writing.field_lists import FieldList

_SPAWN_GROUP = 1
#: Bound on cached field lists of a class.
_MOST_LISTS = 1 << 12


class ClassWriter:
    """Writes the fields of entities of one class, by dotted name."""

    def __init__(self, class_id: int, name: str, send_tables: SendTables) -> None:
        self.class_id = class_id
        self.name = name
        tree = FieldTree(send_tables)
        self._cursor = FieldCursor(tree, tree.root(name), name)
        self._slots: dict[str, Slot] = {}
        self._lists: dict[tuple[str, ...], FieldList] = {}

    def slot(self, name: str) -> Slot:
        """Return the slot of the field of that name.

        Raises:
            KeyError: the class has no such field.
        """
        slot = self._slots.get(name)
        if slot is None:
            path = self._cursor.path_of(name)
            if path is None:
                raise KeyError(f"class {self.name} has no field {name!r}")
            slot = self._slots[name] = self._cursor.describe(path, (0,) * len(path))
        return slot

    def write_fields(self, writer: BitWriter, values: Mapping[str, Any]) -> None:
        """Write a delta: the paths of the fields in rising order, then their values."""
        names = tuple(values)
        fields = self._lists.get(names)
        if fields is None:
            if len(self._lists) == _MOST_LISTS:
                self._lists.clear()
            fields = self._lists[names] = FieldList([self.slot(name) for name in names])
        fields.write(writer, list(values.values()))

    def encode_baseline(self, values: Mapping[str, Any]) -> bytes:
        """Return an entry of the string table ``instancebaseline``."""
        writer = BitWriter()
        self.write_fields(writer, values)
        return writer.to_bytes()


def write_slots(writer: BitWriter, values: Iterable[tuple[Slot, Any]]) -> None:
    """Write a delta of those slots."""
    given = list(values)
    FieldList([slot for slot, _ in given]).write(writer, [value for _, value in given])


class EntityMessage:
    """One CSVCMsg_PacketEntities; append entities in rising order of index.

    Args:
        class_bits: bits of a class number.
        delta: whether the message changes the previous state; otherwise it is a complete state.
        deletion_list: whether to end it with an empty deletion list, as builds up to April 2024 do.
    """

    def __init__(self, class_bits: int, *, delta: bool = True, deletion_list: bool = False) -> None:
        self._class_bits = class_bits
        self._delta = delta
        self._deletion_list = deletion_list
        self._writer = BitWriter()
        self._last = -1
        self.entries = 0

    def _head(self, index: int, operation: int) -> BitWriter:
        if not self._last < index < MOST_ENTITIES:
            raise ValueError(f"expected an entity above {self._last}, got {index}")
        self._writer.write_ubit_var(index - self._last - 1)
        self._writer.write_bits(operation, 2)
        self._last = index
        self.entries += 1
        return self._writer

    def create(self, index: int, serial: int, class_writer: ClassWriter, values: Mapping[str, Any]) -> None:
        """Create an entity; `values` override its class's baseline."""
        class_writer.write_fields(self._create_head(index, serial, class_writer.class_id), values)

    def create_slots(self, index: int, serial: int, class_id: int, values: Iterable[tuple[Slot, Any]]) -> None:
        """As `create`, by slots."""
        write_slots(self._create_head(index, serial, class_id), values)

    def _create_head(self, index: int, serial: int, class_id: int) -> BitWriter:
        writer = self._head(index, 2)
        writer.write_bits(class_id, self._class_bits)
        writer.write_bits(serial, 17)
        writer.write_varuint32(_SPAWN_GROUP)
        return writer

    def update(self, index: int, class_writer: ClassWriter, values: Mapping[str, Any]) -> None:
        """Update fields of an entity."""
        class_writer.write_fields(self._head(index, 0), values)

    def update_slots(self, index: int, values: Iterable[tuple[Slot, Any]]) -> None:
        """As `update`, by slots."""
        write_slots(self._head(index, 0), values)

    def leave(self, index: int) -> None:
        """Make an entity invisible."""
        self._head(index, 1)

    def delete(self, index: int) -> None:
        """Delete an entity."""
        self._head(index, 3)

    def encode(
        self,
        *,
        max_entries: int = MOST_ENTITIES,
        server_tick: int = 0,
        delta_from: int | None = None,
        update_baseline: bool = False,
        baseline: int = 0,
    ) -> tuple[int, bytes]:
        """Return number and payload of the message.

        Args:
            max_entries: bound on entities, as declared in the message.
            server_tick: server tick of this state.
            delta_from: server tick of the state that a delta changes.
            update_baseline: for clients' recordings: store the fields of created entities in the other one of
                two sets, for later creations.
            baseline: for clients' recordings: the set, 0 or 1, with the initial fields of created entities.
        """
        if self._deletion_list and self._delta:
            self._writer.write_ubit_var(0)
        content = {
            "max_entries": max_entries,
            "updated_entries": self.entries,
            "legacy_is_delta": self._delta,
            "update_baseline": update_baseline,
            "baseline": baseline,
            **({"delta_from": delta_from} if self._delta and delta_from is not None else {}),
            "entity_data": self._writer.to_bytes(),
            "server_tick": server_tick,
        }
        return Engine.PACKET_ENTITIES, wire.encode("CSVCMsg_PacketEntities", content)


def encode_state(
    manager: EntityManager, class_bits: int, *, server_tick: int = 0, update_baseline: bool = False
) -> tuple[int, bytes]:
    """Return the complete state of a manager as one message, with every field that has a value.

    `update_baseline` is as in `EntityMessage.encode`.
    """
    message = EntityMessage(class_bits, delta=False)
    for entity in manager:
        message.create_slots(entity.index, entity.serial, entity.class_info.class_id, values_of(entity))
    return message.encode(server_tick=server_tick, update_baseline=update_baseline)


def values_of(entity: Entity) -> list[tuple[Slot, Any]]:
    """Return every field of an entity that has a value."""
    values = [(slot, entity.raw_value(number)) for number, slot in enumerate(entity.class_info.slots())]
    return [(slot, value) for slot, value in values if value is not None]


def changed_values(before: Entity, after: Entity) -> list[tuple[Slot, Any]] | None:
    """Return the fields to send to turn an entity into another of its class; None if fields would have to be
    removed.
    """
    old = {slot.path: value for slot, value in values_of(before)}
    new = values_of(after)
    parents: dict[tuple[int, ...], int] = {}  # first removed element, by vector or pointer
    changed: list[tuple[Slot, Any]] = []
    for slot, value in sorted(new, key=lambda entry: entry[0].path):
        # Compare floats by representation: 0.0 differs from -0.0.
        if repr(old.get(slot.path)) == repr(value) and not _forgotten(slot.path, parents):
            continue
        changed.append((slot, value))
        if slot.encoding.kind == Kind.POINTER:
            parents[slot.path] = 0
        elif slot.encoding.kind == Kind.LENGTH:
            parents[slot.path] = value
    kept = {slot.path for slot, _ in new}
    if any(path not in kept and not _forgotten(path, parents) for path in old):
        return None
    return changed


def _forgotten(path: tuple[int, ...], parents: Mapping[tuple[int, ...], int]) -> bool:
    """Return whether sending the vectors and pointers above a field removes it."""
    above = (parents.get(path[:level], path[level] + 1) for level in range(1, len(path)))
    return any(path[level] >= first for level, first in enumerate(above, 1))
