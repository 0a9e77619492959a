"""`EntityNames`: names of entities at the current tick of a playback, for rows of messages."""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.source2.entities.entity import INDEX_MASK, Entity
from playhead.source2.entities.manager import ENTITY_NAMES, EntityManager
from playhead.source2.entities.slots import FieldSlots

if not cython.compiled:
    INDEX_BITS_SET = INDEX_MASK

_NAME_FIELD = "m_pEntity.m_nameStringTableIndex"


@cython.final
@cython.cclass
class EntityNames:
    """Names and fields of the entities of a playback at its current tick.

    Args:
        manager: the entities; it has to keep `m_pEntity.m_nameStringTableIndex` and the string table of names.
    """

    def __init__(self, manager: EntityManager) -> None:
        self._manager = manager
        self._slots = FieldSlots((_NAME_FIELD,))
        # Slots of other fields, by name.
        self._fields = {}
        self._tables = None
        # The string tables by name, empty if that of names is not followed, and by number; how many there were and
        # the number of that of names, when it was looked up.
        self._by_name = {}
        self._by_id = []
        self._count = self._number = 0
        self._table = None
        self._entries = None
        # The names so far by place in the table, as bytes and as text.
        self._given = []
        self._texts = []

    @cython.nonecheck(True)
    def name(self, index: object) -> str | None:
        """Return the own name of the entity at an index, otherwise its class; None without an entity."""
        return None if index is None or not 0 <= index <= INDEX_MASK else self.name_at(index)

    @cython.nonecheck(True)
    def name_at(self, index: cython.longlong) -> object:
        """Return the same as `name`."""
        if not 0 <= index <= INDEX_BITS_SET:
            return None
        found: object = self._manager.entities[index]
        if found is None:
            return None
        entity: Entity = found
        if self._manager.string_tables is not self._tables:
            self._tables = self._manager.string_tables
            self._by_name, self._by_id = {}, []
            if self._tables is not None and self._tables.follows(ENTITY_NAMES):
                self._by_name, self._by_id = self._tables.by_name, self._tables.by_id
            self._table = None
        if self._table is None or len(self._by_id) != self._count or self._by_id[self._number] is not self._table:
            self._find_table()
        if self._table is not None:
            name: object = self._called(self._number_in(entity, self._slots))
            if name is not None:
                return name
        return entity.class_info.name

    @cython.nonecheck(True)
    def number(self, index: int | None, field: str) -> int | None:
        """Return a field of the entity at an index; None unless it is a number of 0 or more."""
        if index is None or not 0 <= index <= INDEX_MASK:
            return None
        value: cython.longlong = self.number_at(index, field)
        return None if value < 0 else value

    @cython.nonecheck(True)
    def number_at(self, index: cython.longlong, field: str) -> cython.longlong:
        """Return the same as `number`, but -1 for None."""
        if not 0 <= index <= INDEX_BITS_SET:
            return -1
        found: object = self._manager.entities[index]
        if found is None:
            return -1
        entity: Entity = found
        slots: FieldSlots = self._fields.get(field)
        if slots is None:
            slots = self._fields[field] = FieldSlots((field,))
        return self._number_in(entity, slots)

    def _find_table(self) -> object:
        """Look up the string table of names."""
        self._table = self._by_name.get(ENTITY_NAMES)
        if self._table is not None:
            self._entries, self._number, self._count = self._table.entry_list, self._table.id, len(self._by_id)
        return None

    def _number_in(self, entity: Entity, slots: FieldSlots) -> cython.longlong:
        """Return the first of these fields of an entity; -1 unless it is a number of 0 or more."""
        numbers: array = slots.numbers(entity.class_info, "")
        slot: cython.int = numbers.data.as_ints[0] if cython.compiled else numbers[0]
        return -1 if slot < 0 else entity.whole_value(slot)

    def _called(self, number: cython.longlong) -> object:
        """Return the name of a number in the string table; None if it is unknown or empty."""
        place: cython.Py_ssize_t = self._entries.place_of(number)
        if place < 0:
            return None
        given: bytes = self._entries.name_at(place)
        while place >= len(self._given):
            self._given.append(None)
            self._texts.append(None)
        if self._given[place] is not given:
            self._given[place], self._texts[place] = given, given.decode("utf-8") or None
        return self._texts[place]
