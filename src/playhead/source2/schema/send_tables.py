"""Send tables: which classes there are, which fields they have, and how each is encoded.

CDemoSendTables carries a length and a CSVCMsg_FlattenedSerializer: a pool of symbols, fields that refer to it, and
serializers that list fields. Several versions of one serializer may stand side by side; the root of a class is
version 0 of the serializer with the class's network name. Checked on Dota 2, CS2 and Deadlock.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from playhead.bits.byte_reader import ByteReader
from playhead.collector import COLLECTOR_PAUSED
from playhead.errors import CorruptReplay, UnsupportedVersion
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import gathering_decoder
from playhead.source2.schema.types import FieldType, parse_field_type

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

# Types whose fields are tables behind a pointer, whether or not they are declared with `*`.
_POINTERS = frozenset(
    "CBodyComponent CLightComponent CPhysicsComponent CRenderComponent CPlayerLocalData PhysicsRagdollPose_t "
    "CEntityIdentity CDOTAGamerules CDOTAGameRules CDOTAGameManager CDOTASpectatorGraphManager "
    "CPlayer_CameraServices CEntityComponent CEntityInstance CScriptComponent".split()
)
# Fields that an error about many names.
_NAMED = 3
_VECTORS = frozenset(("CUtlVector", "CNetworkUtlVectorBase", "CUtlVectorEmbeddedNetworkVar"))

_NO_NUMBERS = array("i")

# The sizes that the coordinate decoders are made for; a file that declares others cannot be decoded.
_COORD_SIZES = {
    "coord_integer_bits": 14,
    "coord_fractional_bits": 5,
    "coord_integer_bits_mp": 14,
    "coord_fractional_bits_mp": 5,
    "normal_fractional_bits": 11,
    "angle_bits": 20,
}


class Model(StrEnum):
    """How a path of field numbers goes down through a field."""

    SCALAR = "scalar"
    ARRAY = "array"
    VECTOR = "vector"
    TABLE = "table"
    TABLES = "tables"
    FLAG = "flag"


class SerializerField(NamedTuple):
    """One declared field; what a file does not say is None.

    Attributes:
        name: as declared (``m_iHealth``).
        type: declared type.
        model: how a path goes down through it: one value, an array of fixed or a vector of variable length of
            values, one table behind a pointer, a vector of tables, or a pointer of which only presence is sent.
        encoder: name of the special encoding, if any (``coord``, ``fixed8``, ``qangle_precise`` …).
        bit_count, low, high, flags: parameters of quantisation.
        send_node: dotted path of the node it is sent under.
        serializer: (name, version) of the table it holds.
        polymorphic: (name, version) of the tables it may hold instead.
        signed_enum: an enumeration that is sent with a sign.
    """

    name: str
    type: FieldType
    model: Model
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
        name, version: which it is.
        fields: its fields, in their order.
    """

    # stub: name: str
    # stub: version: int
    # stub: fields: tuple[SerializerField, ...]
    # stub: def __init__(self, name: str, version: int, fields: tuple[SerializerField, ...]) -> None: ...

    def __init__(self, name: str, version: Any, fields: Any) -> None:
        self.name = name
        self.version = version
        self._fields = fields
        self._numbers = None

    @property
    def fields(self) -> Any:
        if self._numbers is not None:
            self._fields = _chosen(self._numbers, self._fields)
            self._numbers = None
        return self._fields

    # stub: def replace(self, *, name: str | None = None, fields: tuple[SerializerField, ...] | None = None) ->
    #     Serializer: ...

    def replace(self, *, name: Any = None, fields: Any = None) -> Any:
        """Return the same with another name or other fields."""
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


@cython.cfunc
def _serializer(name: str, version: object, numbers: array, fields: list) -> Serializer:
    """A serializer with those of `fields` that have these numbers; few serializers are ever asked for theirs."""
    made: Serializer = Serializer(name, version, fields)
    made._numbers = numbers
    return made


class UndeclaredSerializer(CorruptReplay):
    """A field refers to a serializer that the send tables do not declare."""


class OddReference(NamedTuple):
    """A serializer that fields refer to before it is declared.

    Attributes:
        key: its name and version.
        fields: the fields that do, with the names of their serializers (``CUnit.m_vecRows``).
        declared: it is declared behind them; otherwise nowhere.
    """

    key: tuple[str, int]
    fields: tuple[str, ...]
    declared: bool

    @property
    def error(self) -> CorruptReplay:
        """What is wrong, as an error to raise or note."""
        more = f" and {len(self.fields) - _NAMED} more" if len(self.fields) > _NAMED else ""
        name, version = self.key
        return CorruptReplay(
            f"expected serializer {name} version {version} to be declared before {', '.join(self.fields[:_NAMED])}"
            f"{more}, found it {'behind them' if self.declared else 'nowhere'}"
        )

    @property
    def cost(self) -> str:
        """What is lost by it."""
        if self.declared:
            return "nothing, if it is the serializer that is meant"
        return "what entities have in these fields, and the entity messages that bring them"


class SendTables:
    """All serializers of a recording, by (name, version), in file order.

    Attributes:
        serializers: as declared.
        odd: references that lead to none, or to one behind them.
    """

    __slots__ = ("odd", "serializers")

    serializers: Mapping[tuple[str, int], Serializer]
    odd: tuple[OddReference, ...]

    def __init__(
        self, serializers: Mapping[tuple[str, int], Serializer], odd: tuple[OddReference, ...] = ()
    ) -> None:
        self.serializers = serializers
        self.odd = odd

    def __iter__(self) -> Iterator[Serializer]:
        return iter(self.serializers.values())

    def __len__(self) -> int:
        return len(self.serializers)

    def root(self, network_name: str) -> Serializer:
        """The serializer of a class.

        Raises:
            CorruptReplay: the class has none.
        """
        try:
            return self.serializers[network_name, 0]
        except KeyError:
            raise CorruptReplay(f"expected a serializer for class {network_name}") from None


def read_send_tables(payload: bytes | memoryview) -> SendTables:
    """The content of a SendTables frame. The last few are remembered: files of one build have the same.

    A serializer that is not declared where a field refers to it is looked for when an entity needs it;
    `SendTables.odd` lists such references.

    Raises:
        TruncatedReplay, CorruptReplay: it contradicts the format.
        UnsupportedVersion: it declares coordinates of other sizes than any known game has.
    """
    with COLLECTOR_PAUSED:
        return _read_send_tables(bytes(payload))


@lru_cache(maxsize=4)
def _read_send_tables(payload: bytes) -> SendTables:
    packed = wire.field_bytes(payload, 1) or b""
    reader = ByteReader(packed)
    flattened = gathering_decoder("CSVCMsg_FlattenedSerializer", "fields_index")
    size = reader.read_varuint32()
    start = reader.tell()
    reader.skip(size)
    content = flattened.decode(memoryview(packed)[start : start + size])
    if reader.remaining():
        raise CorruptReplay(f"expected the end behind the serializers, found {reader.remaining()} more bytes")
    for key, value in content.get("coord_size_params", {}).items():
        if value != _COORD_SIZES.get(key):
            raise UnsupportedVersion(f"expected {key} to be {_COORD_SIZES.get(key)}, found {value}")
    symbols: list[str] = content.get("symbols", [])
    fields = _read_fields(content.get("fields", []), symbols)
    # Fields that refer to serializers, as long as not all of these are declared.
    referring = bytearray([field.serializer is not None or bool(field.polymorphic) for field in fields])
    serializers: dict[tuple[str, int], Serializer] = {}
    early: dict[tuple[str, int], list[str]] = {}
    declared: dict
    for declared in content.get("serializers", ()):
        name: str = _symbol(symbols, declared.get("serializer_name_sym", 0))
        version = declared.get("serializer_version", 0)
        references: list[int] = []
        listed: array = declared.get("fields_index", _NO_NUMBERS)
        _check(listed, len(fields), referring, references)
        if references:
            for number in sorted(set(references)):
                field = fields[number]
                missing = [
                    key
                    for key in (*filter(None, (field.serializer,)), *field.polymorphic)
                    if key not in serializers
                ]
                for key in missing:
                    early.setdefault(key, []).append(f"{name}.{field.name}")
                referring[number] = bool(missing)
        serializers[name, version] = _serializer(name, version, listed, fields)
    odd = [OddReference(key, tuple(sorted(names)), key in serializers) for key, names in early.items()]
    return SendTables(serializers, tuple(odd))


@cython.cfunc
@cython.exceptval(-1, check=False)
def _check(numbers: array, known: cython.Py_ssize_t, referring: bytearray, references: list) -> cython.int:
    """Check numbers of fields, of which there are so many `known`; add those that are `referring` to `references`.

    Dota 2 lists 100,000 fields.
    """
    number: cython.Py_ssize_t
    i: cython.Py_ssize_t
    number_of: cython.p_int
    refers: cython.p_uchar
    if cython.compiled:
        number_of = numbers.data.as_ints
        refers = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(referring))
    else:
        number_of, refers = numbers, referring
    for i in range(len(numbers)):
        number = number_of[i]
        if number < 0 or number >= known:
            raise _no_such(known, number, "fields")
        if refers[number]:
            references.append(number)
    return 0


@cython.cfunc
def _chosen(numbers: array, fields: list) -> tuple:
    """The fields of these numbers, which were checked."""
    count: cython.Py_ssize_t = len(numbers)
    i: cython.Py_ssize_t
    if not cython.compiled:
        return tuple([fields[number] for number in numbers])
    listed: tuple = PyTuple_New(count)
    for i in range(count):
        field: object = fields[numbers.data.as_ints[i]]
        Py_INCREF(field)  # the tuple takes it
        PyTuple_SET_ITEM(listed, i, field)
    # Declarations hold text and numbers alone: nothing for the garbage collector to look through.
    PyObject_GC_UnTrack(listed)
    return listed


def _no_such(known: int, number: int, what: str) -> CorruptReplay:
    return CorruptReplay(f"expected the number of one of {known} {what}, found {number}")


@cython.cfunc
def _symbol(symbols: list, number: cython.Py_ssize_t) -> str:
    if number < 0 or number >= len(symbols):
        raise _no_such(len(symbols), number, "symbols")
    return symbols[number]


@cython.cfunc
def _read_fields(declarations: list, symbols: list) -> list:
    fields: list = []
    declared: dict
    for declared in declarations:
        kind = parse_field_type(_named(declared, "var_type_sym", symbols) or "")
        table = _named(declared, "field_serializer_name_sym", symbols)
        fields.append(
            # Made as tuples are: a schema has thousands.
            tuple.__new__(
                SerializerField,
                (
                    _named(declared, "var_name_sym", symbols) or "",
                    kind,
                    field_model(kind, table is not None),
                    _named(declared, "var_encoder_sym", symbols),
                    declared.get("bit_count"),
                    declared.get("low_value"),
                    declared.get("high_value"),
                    declared.get("encode_flags"),
                    _named(declared, "send_node_sym", symbols),
                    None if table is None else (table, declared.get("field_serializer_version", 0)),
                    _polymorphic(declared["polymorphic_types"], symbols)
                    if "polymorphic_types" in declared
                    else (),
                    "var_enum_info" in declared and declared["var_enum_info"].get("is_signed_enum", False),
                ),
            )
        )
    return fields


@cython.cfunc
def _named(declared: dict, key: str, symbols: list) -> object:
    """The symbol whose number a declaration has under `key`; None if it has none."""
    number: object = declared.get(key)
    return None if number is None else _symbol(symbols, number)


@cython.cfunc
def _polymorphic(types: list, symbols: list) -> tuple:
    listed: list = []
    entry: dict
    for entry in types:
        name: str = _symbol(symbols, entry.get("polymorphic_field_serializer_name_sym", 0))
        listed.append((name, entry.get("polymorphic_field_serializer_version", 0)))
    return tuple(listed)


# Attributes of an enumeration are looked up by a function.
_SCALAR, _ARRAY, _VECTOR, _TABLE, _TABLES, _FLAG = Model


def field_model(kind: FieldType, has_serializer: bool) -> Model:
    """The model of a field of that type, which has a serializer or has not; the first condition that holds."""
    pointer = kind.pointer or kind.base in _POINTERS
    if has_serializer:
        return _TABLE if pointer else _TABLES
    if kind.count is not None and kind.base != "char":
        return _ARRAY
    if kind.base in _VECTORS:
        return _VECTOR
    return _FLAG if pointer else _SCALAR


def read_class_names(payload: bytes | memoryview) -> Mapping[int, str]:
    """Network name by class id, from a ClassInfo frame. The last few are remembered.

    Raises:
        TruncatedReplay, CorruptReplay: it contradicts the format.
    """
    with COLLECTOR_PAUSED:
        return _read_class_names(bytes(payload))


@lru_cache(maxsize=4)
def _read_class_names(payload: bytes) -> Mapping[int, str]:
    content = wire.decode("CDemoClassInfo", payload)
    return {entry.get("class_id", 0): entry.get("network_name", "") for entry in content.get("classes", ())}
