"""Send tables: the classes of a recording, their fields, and the encoding of each field.

CDemoSendTables has a length and a CSVCMsg_FlattenedSerializer: a pool of symbols, fields that refer to it, and
serializers that list fields. A serializer may have several versions; the root of a class is version 0 of the
serializer with the class's network name. Verified on Dota 2, CS2 and Deadlock.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator, Mapping
from functools import lru_cache

from playhead.bits.byte_reader import ByteReader
from playhead.errors import CorruptReplay, UnsupportedVersion
from playhead.runtime import cython
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.games import GAMES
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import decoder
from playhead.source2.messages.wire_decoder import MAX_FIELDS, field_view
from playhead.source2.schema.flattened import FlattenedReader, FlattenedSchema
from playhead.source2.schema.types import FieldType, parse_field_type

if not cython.compiled:
    from playhead.source2.schema.flattened import (
        BIT_COUNT,
        CELLS,
        ENCODER,
        ENUMERATION,
        FIRST_TYPE,
        FLAGS,
        HIGH,
        LOW,
        NAME,
        POLYMORPHIC,
        PRESENT,
        SEND_NODE,
        TABLE_CELLS,
        TABLE_COUNT,
        TABLE_NAME,
        TABLE_NUMBERS,
        TABLE_VERSION,
        TYPE,
        TYPE_CELLS,
    )

# Types whose fields are tables of a pointer, with or without a declared `*`.
_POINTERS = frozenset(
    "CBodyComponent CLightComponent CPhysicsComponent CRenderComponent CPlayerLocalData PhysicsRagdollPose_t "
    "CEntityIdentity CPlayer_CameraServices CEntityComponent CEntityInstance CScriptComponent".split()
).union(*(game.pointers for game in GAMES.values()))
# Bound on the fields named in an error.
_NAMED = 3
_VECTORS = frozenset(("CUtlVector", "CNetworkUtlVectorBase", "CUtlVectorEmbeddedNetworkVar"))

# The sizes that the coordinate decoders support.
_COORD_SIZES = {
    "coord_integer_bits": 14,
    "coord_fractional_bits": 5,
    "coord_integer_bits_mp": 14,
    "coord_fractional_bits_mp": 5,
    "normal_fractional_bits": 11,
    "angle_bits": 20,
}


class Model:
    """How a path continues below a field. Members of an enumeration would cost each start the module `enum`."""

    SCALAR = "scalar"
    ARRAY = "array"
    VECTOR = "vector"
    TABLE = "table"
    TABLES = "tables"
    FLAG = "flag"


class SerializerField(NamedTuple):
    """One declared field; None for undeclared values.

    Attributes:
        name: as declared (``m_iHealth``).
        type: declared type.
        model: a `Model`, how a path continues: one value, an array of fixed length, a vector of values, one table
            of a pointer, a vector of tables, or a pointer that sends its presence alone.
        encoder: name of the special encoding, if any (``coord``, ``fixed8``, ``qangle_precise`` …).
        bit_count, low, high, flags: parameters of quantization.
        send_node: dotted path of its node in the send tables.
        serializer: (name, version) of its table.
        polymorphic: (name, version) of the alternative tables.
        signed_enum: whether it is an enumeration sent with a sign.
    """

    name: str
    type: FieldType
    model: str
    encoder: str | None = None
    bit_count: int | None = None
    low: float | None = None
    high: float | None = None
    flags: int | None = None
    send_node: str | None = None
    serializer: tuple[str, int] | None = None
    polymorphic: tuple[tuple[str, int], ...] = ()
    signed_enum: bool = False


@cython.final
@cython.cclass
class Serializer:
    """A named, versioned list of fields.

    Attributes:
        name, version: its key.
        fields: its fields, in order.
    """

    name: str
    version: int

    def __init__(self, name: str, version: int, fields: tuple[SerializerField, ...]) -> None:
        self.name = name
        self.version = version
        self._fields = fields
        self._pool = None

    @property
    def fields(self) -> tuple[SerializerField, ...]:
        pool: FieldPool = self._pool
        if pool is not None:
            self._fields = pool.chosen(self._first, self._count)
            self._pool = None
        return self._fields

    def replace(self, *, name: str | None = None, fields: tuple[SerializerField, ...] | None = None) -> Serializer:
        """Return a copy with another name or other fields."""
        return Serializer(name or self.name, self.version, self.fields if fields is None else fields)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Serializer):
            return NotImplemented
        same = self.name == other.name and self.version == other.version
        return same and self.fields == other.fields

    def __hash__(self) -> int:
        return hash((self.name, self.version))

    def __repr__(self) -> str:
        return f"Serializer(name={self.name!r}, version={self.version!r}, fields={self.fields!r})"

    def __reduce__(self) -> Any:
        return Serializer, (self.name, self.version, self.fields)


class UndeclaredSerializer(CorruptReplay):
    """A field refers to a serializer that the send tables do not declare."""


class EarlyReference(NamedTuple):
    """A serializer that fields refer to before its declaration.

    Attributes:
        key: its name and version.
        fields: the referring fields, with the names of their serializers (``CUnit.m_vecRows``).
        declared: whether it is declared later; otherwise it is not declared at all.
    """

    key: tuple[str, int]
    fields: tuple[str, ...]
    declared: bool

    @property
    def error(self) -> CorruptReplay:
        """The error to raise or note."""
        more = f" and {len(self.fields) - _NAMED} more" if len(self.fields) > _NAMED else ""
        name, version = self.key
        return CorruptReplay(
            f"expected serializer {name} version {version} to be declared before {', '.join(self.fields[:_NAMED])}"
            f"{more}, found {'it after them' if self.declared else 'no such serializer'}"
        )

    @property
    def cost(self) -> str:
        """Description of the lost data."""
        if self.declared:
            return "nothing, if the later serializer is the right one"
        return "the values of these fields, and the entity messages that contain them"


class SendTables:
    """All serializers of a recording, by (name, version), in file order.

    Attributes:
        serializers: as declared.
        early_references: references to serializers that are declared later or not at all.
        unknown: numbers of fields that a definition lacks or has as another kind, by its name.
    """

    __slots__ = ("early_references", "serializers", "unknown")

    serializers: Mapping[tuple[str, int], Serializer]
    early_references: tuple[EarlyReference, ...]
    unknown: Mapping[str, frozenset[str]]

    def __init__(
        self, serializers: Mapping[tuple[str, int], Serializer], early_references: tuple[EarlyReference, ...] = ()
    ) -> None:
        self.serializers = serializers
        self.early_references = early_references
        self.unknown = {}

    def __iter__(self) -> Iterator[Serializer]:
        return iter(self.serializers.values())

    def __len__(self) -> int:
        return len(self.serializers)

    def root(self, network_name: str) -> Serializer:
        """Return the serializer of a class."""
        try:
            return self.serializers[network_name, 0]
        except KeyError:
            raise CorruptReplay(f"expected a serializer for class {network_name}") from None


def read_send_tables(payload: bytes | memoryview) -> SendTables:
    """Return the content of a SendTables frame. The latest few are cached: files of one build have the same.

    A missing serializer is an error only once an entity needs it; `SendTables.early_references` lists such
    references.
    """
    with GC_PAUSED:
        return _read_send_tables(bytes(payload))


@lru_cache(maxsize=4)
def _read_send_tables(payload: bytes) -> SendTables:
    packed = field_view(payload, 1) or memoryview(b"")
    reader = ByteReader(packed)
    size = reader.read_varuint32()
    start = reader.tell()
    reader.skip(size)
    messages: FlattenedReader = FlattenedReader(packed[start : start + size], MAX_FIELDS)
    flat: FlattenedSchema = messages.schema()
    if reader.remaining():
        raise CorruptReplay(f"expected the end after the serializers, found {reader.remaining()} more bytes")
    for key, value in wire.decode("ProtoCoordSizeParams_t", flat.coord_sizes).items():
        if value != _COORD_SIZES.get(key):
            raise UnsupportedVersion(f"expected {key} to be {_COORD_SIZES.get(key)}, found {value}")
    pool: FieldPool = FieldPool(flat)
    found: Any = pool.send_tables()
    found.unknown = _unknown(messages.skipped)
    return found


def _unknown(skipped: set[tuple[str, int]]) -> dict[str, frozenset[str]]:
    """Return the numbers of skipped fields that are in no definition, by its name."""
    found: dict[str, set[str]] = {}
    for definition, key in skipped:
        if key not in wire.keys_of(definition):
            found.setdefault(definition, set()).add(str(key >> 3))
    return {definition: frozenset(numbers) for definition, numbers in found.items()}


@cython.final
@cython.cclass
class FieldPool:
    """The fields shared by serializers, each created for the first serializer that needs it."""

    def __init__(self, flat: FlattenedSchema) -> None:
        number: cython.Py_ssize_t
        self._flat = flat
        self._count = len(flat._fields) // CELLS
        self._made = [None] * self._count
        self._kinds = [None] * len(flat.symbols)
        # Marks fields that refer to serializers, until all of these are declared.
        self._referring = bytearray(self._count)
        for number in range(self._count):
            self._check_field(number)
            self._referring[number] = self._has(number, TABLE_NAME) or self._has(number, POLYMORPHIC)

    def _cell(self, number: cython.Py_ssize_t, cell: cython.int) -> cython.int:
        if cython.compiled:
            return self._flat._fields.data.as_ints[number * CELLS + cell]
        return self._flat._fields[number * CELLS + cell]

    def _has(self, number: cython.Py_ssize_t, cell: cython.int) -> cython.bint:
        """Return whether a field declares that value."""
        return (self._cell(number, PRESENT) >> cell & 1) != 0

    def _check_field(self, number: cython.Py_ssize_t) -> cython.int:
        """Check a field's symbols and parse its type."""
        symbol: str = self._symbol(number, TYPE) or ""
        place: cython.Py_ssize_t = self._cell(number, TYPE)
        if not symbol or self._kinds[place] is None:
            kind: object = parse_field_type(symbol)
            self._kinds[place] = kind
        self._symbol(number, TABLE_NAME)
        self._symbol(number, NAME)
        self._symbol(number, ENCODER)
        self._symbol(number, SEND_NODE)
        if self._has(number, POLYMORPHIC):
            self._polymorphic(number)
        return 0

    def _symbol(self, number: cython.Py_ssize_t, cell: cython.int) -> str:
        """Return the symbol in a cell of a field; None if undeclared."""
        return _symbol(self._flat.symbols, self._cell(number, cell)) if self._has(number, cell) else None

    def _polymorphic(self, number: cython.Py_ssize_t) -> tuple:
        listed: list = []
        types: array = self._flat._types
        first: cython.Py_ssize_t = self._cell(number, FIRST_TYPE)
        at: cython.Py_ssize_t
        for at in range(first, first + self._cell(number, POLYMORPHIC)):
            listed.append((_symbol(self._flat.symbols, types[at * TYPE_CELLS]), types[at * TYPE_CELLS + 1]))
        return tuple(listed)

    def _number(self, number: cython.Py_ssize_t, cell: cython.int) -> object:
        return self._cell(number, cell) if self._has(number, cell) else None

    def _float(self, number: cython.Py_ssize_t, cell: cython.int) -> object:
        if not self._has(number, cell):
            return None
        return struct.unpack("<f", struct.pack("<i", self._cell(number, cell)))[0]

    def _field(self, number: cython.Py_ssize_t) -> object:
        """Return a valid field by its number."""
        field: object = self._made[number]
        if field is None:
            kind: object = self._kinds[self._cell(number, TYPE)]
            table: object = self._symbol(number, TABLE_NAME)
            # Bypass __new__, which is slow: a schema has thousands of fields.
            field = tuple.__new__(
                SerializerField,
                (
                    self._symbol(number, NAME) or "",
                    kind,
                    field_model(kind, table is not None),
                    self._symbol(number, ENCODER),
                    self._number(number, BIT_COUNT),
                    self._float(number, LOW),
                    self._float(number, HIGH),
                    self._number(number, FLAGS),
                    self._symbol(number, SEND_NODE),
                    None if table is None else (table, self._cell(number, TABLE_VERSION)),
                    self._polymorphic(number) if self._has(number, POLYMORPHIC) else (),
                    self._cell(number, ENUMERATION) != 0,
                ),
            )
            self._made[number] = field
        return field

    def chosen(self, first: cython.Py_ssize_t, count: cython.Py_ssize_t) -> tuple:
        """Return the fields that ``numbers[first : first + count]`` of the schema refer to, which were checked."""
        numbers: array = self._flat._numbers
        i: cython.Py_ssize_t
        if not cython.compiled:
            return tuple([self._field(number) for number in numbers[first : first + count]])
        listed: tuple = PyTuple_New(count)
        for i in range(count):
            field: object = self._field(numbers.data.as_ints[first + i])
            Py_INCREF(field)  # the tuple steals this reference
            PyTuple_SET_ITEM(listed, i, field)
        # Declarations hold only text and numbers, so the garbage collector need not traverse them.
        PyObject_GC_UnTrack(listed)
        return listed

    def send_tables(self) -> object:
        """Return all serializers of the schema."""
        serializers: dict = {}
        early: dict[tuple[str, int], list[str]] = {}
        rows: cython.p_int = self._flat._tables.data.as_ints if cython.compiled else self._flat._tables
        row: cython.Py_ssize_t
        for row in range(0, len(self._flat._tables), TABLE_CELLS):
            made: Serializer = Serializer.__new__(Serializer)
            made.name = _symbol(self._flat.symbols, rows[row])
            made.version = rows[row + 1]
            made._pool = self
            made._first, made._count = rows[row + TABLE_NUMBERS], rows[row + TABLE_COUNT]
            referring: list = self._referring_of(made)
            if referring:
                for number in sorted(set(referring)):
                    field: SerializerField = self._field(number)
                    missing = [
                        key
                        for key in (*filter(None, (field.serializer,)), *field.polymorphic)
                        if key not in serializers
                    ]
                    for key in missing:
                        early.setdefault(key, []).append(f"{made.name}.{field.name}")
                    self._referring[number] = bool(missing)
            serializers[made.name, made.version] = made
        references = [
            EarlyReference(key, tuple(sorted(names)), key in serializers) for key, names in early.items()
        ]
        return SendTables(serializers, tuple(references))

    def _referring_of(self, table: Serializer) -> list:
        """Check the field numbers of a serializer; return those of referring fields. Dota 2 lists 100,000."""
        found: list = []
        i: cython.Py_ssize_t
        numbers: cython.p_int
        refers: cython.p_uchar
        if cython.compiled:
            numbers = self._flat._numbers.data.as_ints
            refers = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(self._referring))
        else:
            numbers, refers = self._flat._numbers, self._referring
        for i in range(table._first, table._first + table._count):
            number: cython.Py_ssize_t = numbers[i]
            if number < 0 or number >= self._count:
                raise _no_such(self._count, number, "fields")
            if refers[number]:
                found.append(number)
        return found


def _no_such(known: int, number: int, what: str) -> CorruptReplay:
    return CorruptReplay(f"expected the number of one of {known} {what}, found {number}")


@cython.cfunc
def _symbol(symbols: list, number: cython.Py_ssize_t) -> str:
    if number < 0 or number >= len(symbols):
        raise _no_such(len(symbols), number, "symbols")
    return symbols[number]


def field_model(kind: FieldType, has_serializer: bool) -> str:
    """Return the `Model` of a field of that type, with or without a serializer; the first condition that holds
    decides.
    """
    pointer = kind.pointer or kind.base in _POINTERS
    if has_serializer:
        return Model.TABLE if pointer else Model.TABLES
    if kind.count is not None and kind.base != "char":
        return Model.ARRAY
    if kind.base in _VECTORS:
        return Model.VECTOR
    return Model.FLAG if pointer else Model.SCALAR


def read_class_names(payload: bytes | memoryview) -> Mapping[int, str]:
    """Return network names by class id, from a ClassInfo frame. The latest few are cached."""
    with GC_PAUSED:
        return _read_class_names(bytes(payload))


@lru_cache(maxsize=4)
def _read_class_names(payload: bytes) -> Mapping[int, str]:
    classes = decoder("CDemoClassInfo").decode(payload).get("classes", ())
    return {each.get("class_id", 0): each.get("network_name", "") for each in classes}
