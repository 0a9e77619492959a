"""Fields of a class by path: a sequence of numbers that leads through the serializers to one value.

The name of a value joins the names of all levels by dots; elements of arrays and vectors are four digits
(``m_vecItems.0003``). If a serializer declares a name twice (as Dota's DataTeamPlayer_t does), the second is
``m_nPlayerID~2``. A field under a node of the send tables also answers to its full name, with the node's path
before its own at that level (``m_vecVelocity.m_vecX``, whose name may be ``m_vecX~2``).

The module is long because a walk along a path goes through all its classes in C.
"""

from __future__ import annotations

from array import array
from collections import Counter

from playhead.errors import CorruptReplay
from playhead.runtime import cython
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.schema.decoder import FieldDecoder
from playhead.source2.schema.encoding import (
    DECIDING_NAMES,
    Encoding,
    Kind,
    element_encoding_of,
    encoding_of,
    unsigned_types,
)
from playhead.source2.schema.path_codes import SHIFTS, WIDTHS, pack, unpack
from playhead.source2.schema.send_tables import Model, SendTables, SerializerField, UndeclaredSerializer

if TYPE_CHECKING:
    from playhead.source2.schema.send_tables import Serializer

if not cython.compiled:
    from operator import getitem as PyList_GET_ITEM

    from playhead.source2.schema.path_codes import LEVELS

    LEVEL_SHIFTS, LEVEL_MASKS = [0] * LEVELS, [0] * LEVELS

    def node_at(cursor: FieldCursor, step: int) -> FieldNode:
        """Return the field of a step of the walk."""
        node: FieldNode = cursor._nodes[step]
        return node


@cython.final
@cython.cclass
class NumberMap:
    """Numbers by other numbers, which are not 0: a hash table without an object a number."""

    def __init__(self) -> None:
        self._size = 0
        self._mask = 0
        # Compiled, two words a place: the key, or 0, and its number.
        self._places = array("q")
        if not cython.compiled:
            self._map = {}

    def get(self, key: cython.ulonglong) -> cython.longlong:
        """Return the number of a key; -2 if it has none."""
        if not cython.compiled:
            return self._map.get(key, -2)
        if self._size:
            places: cython.p_longlong = self._places.data.as_longlongs
            at: cython.ulonglong = _place_of(places, self._mask, key)
            if places[2 * at]:
                return places[2 * at + 1]
        return -2

    def put(self, key: cython.ulonglong, number: cython.longlong) -> cython.longlong:
        """Set the number of a key; return the one before, -2 if it had none."""
        if not cython.compiled:
            before: int = self._map.get(key, -2)
            self._map[key] = number
            return before
        if 4 * (self._size + 1) > len(self._places):
            self.make_room(2 * (self._size + 1))
        places: cython.p_longlong = self._places.data.as_longlongs
        at: cython.ulonglong = _place_of(places, self._mask, key)
        known: cython.longlong = places[2 * at + 1] if places[2 * at] else -2
        self._size += places[2 * at] == 0
        places[2 * at] = cython.cast(cython.longlong, key)
        places[2 * at + 1] = number
        return known

    def make_room(self, keys: cython.Py_ssize_t) -> cython.int:
        """Reserve memory for so many keys at once."""
        if cython.compiled:
            capacity: cython.Py_ssize_t = 32
            while capacity < 2 * keys:
                capacity *= 2
            if 2 * capacity > len(self._places):
                old: array = self._places
                i: cython.Py_ssize_t
                self._places = clone(old, 2 * capacity, True)
                self._mask = capacity - 1
                places: cython.p_longlong = self._places.data.as_longlongs
                for i in range(0, len(old), 2):
                    if old.data.as_longlongs[i]:
                        key: cython.ulonglong = cython.cast(cython.ulonglong, old.data.as_longlongs[i])
                        at: cython.ulonglong = _place_of(places, self._mask, key)
                        places[2 * at] = old.data.as_longlongs[i]
                        places[2 * at + 1] = old.data.as_longlongs[i + 1]
        return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place_of(places: cython.p_longlong, mask: cython.ulonglong, key: cython.ulonglong) -> cython.ulonglong:
    """Return the place of a key, or the free one where it belongs."""
    at: cython.ulonglong = (((key ^ (key >> 29)) * 0x5BD1E995) >> 12) & mask
    while places[2 * at] and cython.cast(cython.ulonglong, places[2 * at]) != key:
        at = (at + 1) & mask
    return at


for _level in range(LEVELS):
    LEVEL_SHIFTS[_level] = SHIFTS[_level]
    LEVEL_MASKS[_level] = (1 << WIDTHS[_level]) - 1

_HANDLES = frozenset(("CHandle", "CEntityHandle", "CGameSceneNodeHandle"))

_OF_ELEMENTS = frozenset((Model.TABLES, Model.ARRAY, Model.VECTOR))
_OF_TABLES = frozenset((Model.TABLE, Model.TABLES))

# All fields of one encoding share a decoder.
_DECODERS: dict[Encoding, FieldDecoder] = {}


class Slot(NamedTuple):
    """One value of a class, by path.

    Attributes:
        name: dotted name.
        path: number of every level.
        field: the declaration.
        encoding: encoding of the value.
        types: for each pointer of several types above it, the chosen type; 0 is the pointer's own.
        full_name: dotted name with the nodes of the send tables; equal to `name` if it is under none.
    """

    name: str
    path: tuple[int, ...]
    field: SerializerField
    encoding: Encoding
    types: tuple[int, ...] = ()
    full_name: str = ""

    @property
    def is_handle(self) -> bool:
        """Whether the value is declared as the handle of an entity."""
        declared = self.field.type.generic if self.field.model == Model.VECTOR else self.field.type
        return self.encoding.kind != Kind.LENGTH and declared is not None and declared.base in _HANDLES


@cython.final
@cython.cclass
class FieldNode:
    """A declared field in a form that paths are resolved with.

    Attributes:
        field: the declaration.
        keys: serializers below the field: its own, then the alternatives.
    """

    field: SerializerField
    keys: tuple[tuple[str, int], ...]

    def __init__(
        self, field: SerializerField, unsigned: frozenset[str], decoders: dict[tuple[Any, ...], FieldDecoder]
    ) -> None:
        _, kind, model, _, _, _, _, _, send_node, serializer, alternatives, _ = cython.cast(tuple, field)
        self.field = field
        self._unsigned = unsigned
        self._decoders = decoders
        self._sent_under = bool(send_node)
        self.keys = () if serializer is None else (serializer, *alternatives)
        self._several = bool(alternatives)
        self._elements = model in _OF_ELEMENTS
        self._table = model in _OF_TABLES
        self._parent = self._table or model == Model.VECTOR
        self._count = (kind.count or 0) if model == Model.ARRAY else -1
        self._own = None
        self._element = None
        self._leads = None
        self._begin = self._full_begin = self._end = None

    def split_names(self) -> cython.int:
        """Set what filters of fields compare: the first level of the field's name and of its full name, and the
        last level, empty for an element. The ``~2`` of a name that is declared twice is not the field's own.
        """
        name: str = self.field.name
        end: str = name.rpartition(".")[2]
        self._end = "" if end.isdecimal() else end
        self._begin = name.partition(".")[0]
        self._full_begin = self.field.send_node.partition(".")[0] if self._sent_under else self._begin
        return 0

    def encoding(self, of_element: bool) -> Encoding | None:
        """Return the encoding of the field's own value, or of an element; None if it has none."""
        if of_element:
            return None if self._table or not self._elements else element_encoding_of(self.field, self._unsigned)
        return None if self._count >= 0 else encoding_of(self.field, self._unsigned)

    def decoder(self, of_element: cython.bint) -> object:
        """Return the decoder of that value; None if it has none."""
        known: object = self._element if of_element else self._own
        if known is None:
            # All that decides the encoding. A schema has five times as many used fields as such forms.
            name, kind, model, encoder, bits, low, high, flags, _, _, others, signed = cython.cast(
                tuple, self.field
            )
            decides = name if name in DECIDING_NAMES else None
            form = (of_element, decides, kind, model, encoder, bits, low, high, flags, len(others), signed)
            known = self._decoders.get(form)
            if known is None:
                encoding = self.encoding(of_element)
                if encoding is None:
                    return None
                known = _DECODERS.get(encoding)
                if known is None:
                    known = _DECODERS[encoding] = FieldDecoder(encoding)
                self._decoders[form] = known
            if of_element:
                self._element = known
            else:
                self._own = known
        return known


def _unique(names: list[str]) -> tuple[str, ...]:
    """Return the names with ``~2``, ``~3`` … after those that came before."""
    if len(set(names)) < len(names):  # true for few serializers
        seen: Counter[str] = Counter()
        for number, name in enumerate(names):
            seen[name] += 1
            if seen[name] > 1:
                names[number] = f"{name}~{seen[name]}"
    return tuple(names)


@cython.final
@cython.cclass
class SerializerNode:
    """A serializer in a form that paths are resolved with.

    Attributes:
        name: its name.
        names: the names of its fields, made unique.
        full_names: the same, each after the path of its node in the send tables, if it is under one.
    """

    def __init__(self, serializer: Serializer) -> None:
        self.name = serializer.name
        self._declared = serializer.fields
        self._count = len(serializer.fields)
        self._nodes = [None] * self._count
        self._names = None
        self._full_names = None
        self._places = None
        self._full_places = None

    @property
    def names(self) -> tuple[str, ...]:
        if self._names is None:
            self._names = _unique([field.name for field in self._declared])
        names: tuple[str, ...] = self._names
        return names

    @property
    def full_names(self) -> tuple[str, ...]:
        if self._full_names is None:
            full: Any = self.names
            if any(field.send_node for field in self._declared):
                nodes = [f"{field.send_node}." if field.send_node else "" for field in self._declared]
                full = _unique([node + field.name for node, field in zip(nodes, self._declared, strict=True)])
            self._full_names = full
        names: tuple[str, ...] = self._full_names
        return names

    def place_of(self, name: str, full: cython.bint) -> cython.int:
        """Return the number of the field of that name, or full name; -1 without one."""
        places: dict | None = self._full_places if full else self._places
        if places is None:
            places = {each: number for number, each in enumerate(self.full_names if full else self.names)}
            if full:
                self._full_places = places
            else:
                self._places = places
        return places.get(name, -1)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _identity(declared: object) -> cython.ulonglong:
    """As `id`, without a call of Python."""
    if cython.compiled:
        return cython.cast(cython.ulonglong, cython.cast(cython.size_t, cython.cast(cython.p_void, declared)))
    return id(declared)


@cython.final
@cython.cclass
class FieldTree:
    """All serializers of a recording. Resolved fields are shared by all classes."""

    send_tables: SendTables

    def __init__(self, send_tables: SendTables) -> None:
        self.send_tables = send_tables
        self._unsigned = unsigned_types(send_tables)
        self._decoders = {}
        self._serializers = {}
        self._fields = []
        self._places = NumberMap()

    def serializer(self, key: tuple) -> SerializerNode:
        """Return the serializer of that name and version."""
        node = self._serializers.get(key)
        if node is None:
            declared = self.send_tables.serializers.get(key)
            if declared is None:
                raise UndeclaredSerializer(f"expected serializer {key[0]} version {key[1]}, which is not declared")
            node = self._serializers[key] = SerializerNode(declared)
        return node

    def root(self, class_name: str) -> SerializerNode:
        """Return the serializer of a class."""
        self.send_tables.root(class_name)
        return self.serializer((class_name, 0))

    def field(self, serializer: SerializerNode, number: cython.Py_ssize_t) -> FieldNode:
        """Return a field of a serializer by its number."""
        node: FieldNode = serializer._nodes[number]
        if node is None:
            declared: object = serializer._declared[number]
            # Serializers share their declarations, which are far fewer. Those of the tree live as long as it does.
            key: cython.ulonglong = _identity(declared)
            place: cython.longlong = self._places.get(key)
            if place >= 0:
                node = self._fields[place]
            else:
                node = FieldNode(declared, self._unsigned, self._decoders)
                self._places.put(key, len(self._fields))
                self._fields.append(node)
            serializer._nodes[number] = node
        return node


@cython.cfunc
def _field_number(serializer: SerializerNode, parts: list) -> cython.int:
    """Return the field of a serializer that the first parts of a name or full name say, and remove them; -1 if it
    has none.
    """
    number: cython.int = serializer.place_of(parts[0], False)
    count: cython.int
    if number >= 0:
        del parts[0]
        return number
    for count in range(2, len(parts) + 1):
        number = serializer.place_of(".".join(parts[:count]), True)
        if number >= 0:
            del parts[:count]
            return number
    return -1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _digit(path: cython.ulonglong, level: cython.int) -> cython.ulonglong:
    """Return a level of a packed path; 0 after its last one."""
    return (path >> LEVEL_SHIFTS[level]) & LEVEL_MASKS[level] if level < LEVELS else 0


@cython.final
@cython.cclass
class FieldCursor:
    """Resolve one path after another, keeping the fields along the latest path."""

    def __init__(self, tree: FieldTree, root: SerializerNode, class_name: str) -> None:
        self._tree = tree
        self._root = root
        self._class_name = class_name
        self.depth = 0
        if not cython.compiled:
            self._levels = [0] * LEVELS
            self._prefixes = [0] * LEVELS
            self._elements = [0] * LEVELS
            self._nodes = [None] * LEVELS
            self._owners = [None] * LEVELS

    def walk(self, path: cython.ulonglong, types: tuple) -> object:
        """Return the decoder of the value at a packed path.

        Returns None if `types` lacks the type of a pointer above the value; `prefix` is then the path of that
        pointer.
        """
        serializer: SerializerNode = self._root
        level: cython.int = 0
        step: cython.int = 0
        pointers: cython.int = 0
        prefix: cython.ulonglong = 0
        self.depth = 0
        while True:
            number: cython.longlong = cython.cast(cython.longlong, _digit(path, level)) - 1
            if number < 0 or number >= serializer._count:
                self._lost(path, f"one of {serializer._count} fields of {serializer.name}, found number {number}")
            node: FieldNode = cython.cast(FieldNode, PyList_GET_ITEM(serializer._nodes, number))
            if node is None:
                node = self._tree.field(serializer, number)
            prefix |= cython.cast(cython.ulonglong, number + 1) << LEVEL_SHIFTS[level]
            if cython.compiled:
                # The tree keeps both alive.
                self._nodes[step] = cython.cast(cython.p_void, node)
                self._owners[step] = cython.cast(cython.p_void, serializer)
            else:
                self._nodes[step], self._owners[step] = node, serializer
            self._levels[step] = number
            self._prefixes[step] = prefix
            self._elements[step] = -1
            step += 1
            self.depth = step
            level += 1
            if _digit(path, level) == 0:
                decoder = node._own
                if decoder is None:
                    decoder = node.decoder(False)
                    if decoder is None:
                        self._lost(path, "an element of an array")
                return decoder
            if node._elements:
                number = cython.cast(cython.longlong, _digit(path, level)) - 1
                self._elements[step - 1] = number
                if node._count >= 0 and number >= node._count:
                    self._lost(path, f"an element below {node._count}")
                prefix |= cython.cast(cython.ulonglong, number + 1) << LEVEL_SHIFTS[level]
                level += 1
                if _digit(path, level) == 0:
                    decoder = node._element
                    if decoder is None:
                        decoder = node.decoder(True)
                        if decoder is None:
                            self._lost(path, "a field of an element")
                    return decoder
            if not node._table:
                self._lost(path, "no more levels")
            if node._several:
                if pointers >= len(types):
                    return None
                serializer = self._tree.serializer(node.keys[types[pointers]])
                pointers += 1
            else:
                if node._leads is None:
                    node._leads = self._tree.serializer(node.keys[0])
                serializer = node._leads

    @property
    def prefix(self) -> int:
        """The packed path of the last field of the walk."""
        return self._prefixes[self.depth - 1]

    def _lost(self, path: cython.ulonglong, expected: str) -> cython.int:
        raise CorruptReplay(f"expected {expected} in field path {unpack(path)} of class {self._class_name}")

    def describe(self, path: tuple[int, ...], types: tuple[int, ...] = ()) -> Slot:
        """Return the value at `path`."""
        if self.walk(pack(path), types) is None:
            raise ValueError(f"expected a type for every pointer of several above field path {path}")
        node: FieldNode = node_at(self, self.depth - 1)
        encoding = node.encoding(self._elements[self.depth - 1] >= 0)
        name = self.name
        full_name = self.full_name if self.is_under_node() else name
        return Slot(name, path, node.field, encoding, types, full_name)

    @property
    def name(self) -> str:
        """The dotted name of the last value of the walk."""
        return self._joined(False)

    @property
    def full_name(self) -> str:
        """The dotted name of the last value of the walk with the nodes of the send tables (see `Slot`)."""
        return self._joined(True)

    def name_at(self, step: cython.int, full: cython.bint) -> str:
        """Return the part of the last value's name, or of its full name, for a field of the walk."""
        owner: SerializerNode = cython.cast(SerializerNode, self._owners[step])
        names: tuple = owner._full_names if full else owner._names
        if names is None:
            names = owner.full_names if full else owner.names
        name: str = names[self._levels[step]]
        return name

    def is_under_node(self) -> cython.bint:
        """Return whether the full name of the last value differs from its name."""
        step: cython.int
        for step in range(self.depth):
            node: FieldNode = node_at(self, step)
            if node._sent_under:
                return True
        return False

    def _joined(self, full: cython.bint) -> str:
        step: cython.int
        parts = []
        for step in range(self.depth):
            parts.append(self.name_at(step, full))
            if self._elements[step] >= 0:
                parts.append(f"{self._elements[step]:04}")
        return ".".join(parts)

    def path_of(self, name: str) -> tuple[int, ...] | None:
        """Return the path of a dotted name or full name; None if the class has no such value.

        Below a pointer of several types, only the fields of its own type are found.
        """
        serializer: SerializerNode = self._root
        path: list[int] = []
        parts = name.split(".")
        while parts:
            if serializer is None:
                return None
            number = _field_number(serializer, parts)
            if number < 0:
                return None
            path.append(number)
            node: FieldNode = self._tree.field(serializer, number)
            if parts and node._elements:
                element = parts.pop(0)
                if not element.isdecimal() or (node._count >= 0 and int(element) >= node._count):
                    return None
                path.append(int(element))
            elif not parts and node._count >= 0:
                return None  # an array of fixed length has no value of its own
            known = node._table and node.keys[0] in self._tree.send_tables.serializers
            serializer = self._tree.serializer(node.keys[0]) if known else None
        return tuple(path)
