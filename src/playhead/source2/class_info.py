"""`ClassInfo`: a networked class, and where each of its fields stands in an entity's state.

A field is addressed by its path in the serializers. Each path that occurs gets a slot: how its value is read,
under which name it is known, and from which cell of an entity's state on it is kept. What the slots are is learnt
as paths occur; a Dota 2 match uses some thousands of them, where its serializers allow millions.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from playhead.errors import LimitExceeded
from playhead.source2.class_fields import ClassFields, Slot
from playhead.source2.field_decoder import FieldDecoder
from playhead.source2.field_encoding import Encoding
from playhead.source2.field_path_codes import pack, unpack
from playhead.source2.send_table import SendTables

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

# Slots of one class: real ones have up to about 2,000. Each costs memory in the class and in every entity.
_MOST_SLOTS = 1 << 16

# Decoders are shared by all slots of one form.
_DECODERS: dict[Encoding, FieldDecoder] = {}


@cython.final
@cython.cclass
class ClassInfo:
    """A networked class.

    Args:
        class_id: its number in this recording.
        name: network name (``CDOTA_Unit_Hero_Axe``).
        send_tables: all serializers.
        wanted: told a field's name, whether its values shall be kept; None keeps all.

    Attributes:
        class_id, name: as given.
        fields: its fields by path.
        cells: cells that the state of an entity takes, as far as is known yet.

    Raises:
        CorruptReplay: there is no serializer for it.
    """

    def __init__(
        self, class_id: int, name: str, send_tables: SendTables, wanted: Callable[[str], bool] | None = None
    ) -> None:
        self.class_id = class_id
        self.name = name
        self.fields = ClassFields(name, send_tables)
        self._wanted = wanted
        self._slots = []
        self._decoders = []
        self._names = {}
        self._children = {}
        self._polymorphic = {}
        self._cell_array = array("i")
        self.cells = 0
        self._map = {}
        self._map_size = 0
        self._mask = 0
        self._keys_array = array("Q")
        self._numbers_array = array("i")
        self._refresh()

    @cython.cfunc
    def _refresh(self) -> object:
        """Renew the pointers into the arrays."""
        if cython.compiled:
            self._cell = self._cell_array.data.as_ints
            self._keys = self._keys_array.data.as_ulonglongs
            self._numbers = self._numbers_array.data.as_ints
        else:
            self._cell = self._cell_array
        return None

    # -- from path to slot ------------------------------------------------------------------------------

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _start(self, path: cython.ulonglong) -> cython.ulonglong:
        return (((path ^ (path >> 29)) * 0x5BD1E995) >> 12) & self._mask

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def slot(self, path: cython.ulonglong, entity: object) -> cython.int:
        """Number of the slot of a packed path, which is added if it is new.

        `entity` is asked for the types of its pointers where they decide.

        Raises:
            CorruptReplay: no field stands there.
        """
        if cython.compiled:
            if self._mask:
                at: cython.ulonglong = self._start(path)
                while self._keys[at]:
                    if self._keys[at] == path:
                        if self._numbers[at] >= 0:
                            return self._numbers[at]
                        return self._slot_by_types(path, entity)
                    at = (at + 1) & self._mask
        else:
            found = self._map.get(path)
            if found is not None:
                return found if found >= 0 else self._slot_by_types(path, entity)
        return self._add_path(path, entity)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _remember(self, path: cython.ulonglong, number: cython.int) -> cython.int:
        if not cython.compiled:
            self._map[path] = number
            return 0
        if 2 * (self._map_size + 1) > cython.cast(cython.longlong, self._mask):
            self._rehash()
        at: cython.ulonglong = self._start(path)
        while self._keys[at]:
            at = (at + 1) & self._mask
        self._keys[at] = path
        self._numbers[at] = number
        self._map_size += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _rehash(self) -> cython.int:
        old = [(key, number) for key, number in zip(self._keys_array, self._numbers_array, strict=True) if key]
        capacity = max(64, 2 * len(self._keys_array))
        self._keys_array = array("Q", bytes(8 * capacity))
        self._numbers_array = array("i", bytes(4 * capacity))
        self._mask = capacity - 1
        self._map_size = 0
        self._refresh()
        for key, number in old:
            self._remember(key, number)
        return 0

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def _slot_by_types(self, path: cython.ulonglong, entity: object) -> cython.int:
        """The slot of a path below a pointer of several types: which, depends on the entity."""
        steps = unpack(path)
        types = self._types_above(steps, entity)
        number = self._polymorphic.get((steps, types))
        return self._add(steps, types) if number is None else number

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def _add_path(self, path: cython.ulonglong, entity: object) -> cython.int:
        steps = unpack(path)
        types = self._types_above(steps, entity)
        if types:
            self._remember(path, -1)
            return self._add(steps, types)
        number = self._add(steps, ())
        self._remember(path, number)
        return number

    def _types_above(self, path: tuple[int, ...], entity: Any) -> tuple[int, ...]:
        """The chosen type of every pointer of several types above the last level of `path`."""
        types: list[int] = []
        for level, field, _ in self.fields.walk(path, types):
            if field.polymorphic and level + 1 < len(path):
                number = self._find(path[: level + 1], tuple(types))
                chosen = 0 if number is None or entity is None else entity.cell_value(number)
                types.append(max(0, chosen - 1))
        return tuple(types)

    def _find(self, path: tuple[int, ...], types: tuple[int, ...]) -> int | None:
        for number, slot in enumerate(self._slots):
            if slot.path == path and slot.types == types:
                return number
        return None

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def _add(self, path: tuple, types: tuple) -> cython.int:
        slot = self.fields.describe(path, types)
        number = len(self._slots)
        if number >= _MOST_SLOTS:
            raise LimitExceeded(f"class {self.name} has more than {_MOST_SLOTS} fields in use")
        keep = self._wanted is None or bool(self._wanted(slot.name)) or bool(slot.field.polymorphic)
        decoder = _DECODERS.get(slot.encoding)
        if decoder is None:
            decoder = _DECODERS[slot.encoding] = FieldDecoder(slot.encoding)
        self._slots.append(slot)
        self._decoders.append(decoder)
        self._cell_array.append(self.cells if keep else -1)
        if types:
            self._polymorphic[path, types] = number
        if keep:
            self.cells += slot.encoding.cells
            self._names[slot.name] = number
            for parent, parent_types, element in self.fields.parents(slot):
                self._children.setdefault((parent, parent_types), []).append((element, number))
        self._refresh()
        return number

    @cython.ccall
    def children(self, number: cython.int) -> object:
        """(element, slot) of every kept value below a vector or pointer; the element is -1 below a pointer."""
        slot = self._slots[number]
        return self._children.get((slot.path, slot.types), ())

    # -- names ------------------------------------------------------------------------------------------

    def slots(self) -> tuple[Slot, ...]:
        """Every slot so far, in the order of first occurrence."""
        return tuple(self._slots)

    def slot_number(self, name: str) -> int | None:
        """Number of the kept slot of that name; None if no entity of the class has had a value of it yet."""
        number: int | None = self._names.get(name)
        return number

    def ensure_slot(self, name: str) -> int | None:
        """As `slot_number`, for a field that need not have occurred yet; None if the class has none of that
        name.
        """
        number = self.slot_number(name)
        if number is not None:
            return number
        path = self.fields.path_of(name)
        if path is None:
            return None
        try:
            packed = pack(path)
        except ValueError:
            return None
        self.slot(packed, None)
        return self.slot_number(name)

    def __repr__(self) -> str:
        return f"<ClassInfo {self.class_id} {self.name}>"
