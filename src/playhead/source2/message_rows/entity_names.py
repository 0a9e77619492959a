"""`EntityNames`: names of entities at the current tick of a playback, for rows of messages."""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.source2.entities.entity import INDEX_MASK, Entity
from playhead.source2.entities.manager import ENTITY_NAMES, EntityManager
from playhead.source2.entities.slots import FieldSlots
from playhead.source2.string_tables.entry_list import EntryList

if not cython.compiled:
    INDEX_BITS_SET = INDEX_MASK

_NAME_FIELD = "m_pEntity.m_nameStringTableIndex"
# Numbers of names are lower; no string table has as many entries. Declared for the compiler.
_MOST_NAMES = cython.declare(cython.longlong, 1 << 31)
# A field's number that does not fit in 62 bits counts as none.
_MOST_NUMBERS = 1 << 62


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
        # The string tables by name; empty if that of names is not followed.
        self._by_name = {}
        self._table = None
        self._entries = None
        # Names as text.
        self._texts = {}

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
        tables: object = self._manager.string_tables
        if tables is not self._tables:
            self._tables = tables
            self._by_name = tables.by_name if tables is not None and tables.follows(ENTITY_NAMES) else {}
        table: object = self._by_name.get(ENTITY_NAMES)
        if table is not None:
            if table is not self._table:
                self._table, self._entries = table, table.entry_list
            numbers: array = self._slots.numbers(entity.class_info, "")
            slot: cython.int = numbers.data.as_ints[0] if cython.compiled else numbers[0]
            name: str = None if slot < 0 else self._called(entity.slot_value(slot))
            if name is not None and len(name):
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
        numbers: array = slots.numbers(entity.class_info, "")
        slot: cython.int = numbers.data.as_ints[0] if cython.compiled else numbers[0]
        value: object = None if slot < 0 else entity.slot_value(slot)
        return value if isinstance(value, int) and 0 <= value < _MOST_NUMBERS else -1

    def _called(self, value: object) -> str | None:
        """Return the name of a number in the string table; None if unknown."""
        entries: EntryList = self._entries
        if not isinstance(value, int):
            return None
        try:
            number: cython.longlong = value
        except OverflowError:
            return None
        if not 0 <= number < _MOST_NAMES:
            return None
        place: cython.Py_ssize_t = entries.place_of(number)
        if place < 0:
            return None
        given: bytes = entries.name_at(place)
        name: object = self._texts.get(given)
        if name is None:
            name = self._texts[given] = given.decode("utf-8")
        return name
