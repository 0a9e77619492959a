"""`WrittenWorld`: entities that are changed field by field, and written as entity messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.samples.source2.match_schema import Schema

from playhead.runtime.records import dataclass, field
from playhead.source2.entities.entity import HANDLE_SERIAL_MASK, INDEX_BITS
from playhead.source2.writing.demo import InnerMessage, StringTableEntry
from playhead.source2.writing.entities import ClassWriter, EntityMessage


def handle(index: int, serial: int) -> int:
    """Return a networked handle: 10 bits of serial number above 14 bits of index."""
    return index | (serial & HANDLE_SERIAL_MASK) << INDEX_BITS


@dataclass(slots=True)
class SyntheticEntity:
    """One entity: its values that override the class's baseline, and its unsent values."""

    index: int
    serial: int
    writer: ClassWriter
    values: dict[str, Any]
    news: dict[str, Any] = field(default_factory=dict)
    created: bool = True


class WrittenWorld:
    """The entities of a recording that is being written.

    Args:
        schema: the serializers and the class names by number.

    Attributes:
        send_tables, class_names: the schema.
        objects: entities by index.
        changed, removed, left: indices of entities that changed, were removed, or became invisible since the
            last message.
    """

    def __init__(self, schema: Schema) -> None:
        self.send_tables, self.class_names = schema
        self.class_bits = len(self.class_names).bit_length()
        self._writers = {
            name: ClassWriter(number, name, self.send_tables) for number, name in self.class_names.items()
        }
        self.objects: dict[int, SyntheticEntity] = {}
        self.changed: set[int] = set()
        self.removed: list[int] = []
        self.left: list[int] = []
        self._serial = 0
        self._told_tick: int | None = None

    def baseline(self, name: str) -> Mapping[str, Any]:
        """Return the fields that all entities of a class share."""
        raise NotImplementedError

    def baseline_entries(self) -> list[StringTableEntry]:
        """Return the entries of the string table ``instancebaseline``."""
        return [
            (at, str(number).encode(), self._writers[name].encode_baseline(self.baseline(name)))
            for at, (number, name) in enumerate(self.class_names.items())
        ]

    def create(self, index: int, class_name: str, values: Mapping[str, Any]) -> SyntheticEntity:
        """Create an entity."""
        self._serial = self._serial % HANDLE_SERIAL_MASK + 1  # servers stay below, so that handles hold it whole
        entity = self.objects[index] = SyntheticEntity(index, self._serial, self._writers[class_name], {})
        self.put(index, values)
        return entity

    def handle_of(self, index: int) -> int:
        """Return the handle of an entity."""
        return handle(index, self.objects[index].serial)

    def put(self, index: int, values: Mapping[str, Any]) -> None:
        """Set fields of an entity."""
        entity = self.objects[index]
        entity.values.update(values)
        entity.news.update(values)
        self.changed.add(index)

    def put_vector(self, index: int, name: str, elements: Sequence[Mapping[str, Any]]) -> None:
        """Set a vector: its length, and the fields of each element by their name below it (empty: the element)."""
        entity = self.objects[index]
        for known in (entity.values, entity.news):
            for gone in [key for key in known if key.startswith(f"{name}.")]:
                del known[gone]
        values: dict[str, Any] = {name: len(elements)}
        for number, fields in enumerate(elements):
            for key, value in fields.items():
                values[f"{name}.{number:04}.{key}" if key else f"{name}.{number:04}"] = value
        self.put(index, values)

    def remove(self, index: int) -> None:
        """Remove an entity."""
        if not self.objects.pop(index).created:
            self.removed.append(index)

    def live(self) -> int:
        """Return the number of entities."""
        return len(self.objects)

    def changes(self, server_tick: int) -> InnerMessage:
        """Return the message with the changes since the last one."""
        message = self._news()
        before, self._told_tick = self._told_tick, server_tick
        return message.encode(server_tick=server_tick, delta_from=before)

    def state(self, server_tick: int) -> InnerMessage:
        """Return the message with the complete state, for a full packet; unsent changes stay unsent."""
        message = EntityMessage(self.class_bits, delta=False)
        for index in sorted(self.objects):
            entity = self.objects[index]
            message.create(index, entity.serial, entity.writer, entity.values)
        return message.encode(server_tick=server_tick)

    def first(self, server_tick: int) -> InnerMessage:
        """As `state`, but mark all changes as sent."""
        for entity in self.objects.values():
            entity.created = False
            entity.news = {}
        self.changed.clear()
        self._told_tick = server_tick
        return self.state(server_tick)

    def _news(self) -> EntityMessage:
        message = EntityMessage(self.class_bits)
        gone = set(self.removed)
        left = set(self.left)
        for index in sorted(self.changed | gone | left):
            entity = self.objects.get(index)
            if entity is None:
                if index in gone:
                    message.delete(index)
            elif entity.created:
                message.create(index, entity.serial, entity.writer, entity.values)
                entity.created = False
                entity.news = {}
            elif index in left:
                message.leave(index)
            elif entity.news:
                message.update(index, entity.writer, entity.news)
                entity.news = {}
        self.removed, self.left = [], []
        self.changed.clear()
        return message
