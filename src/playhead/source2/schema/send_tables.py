"""Send tables: which classes there are, which fields they have, and how each is encoded.

CDemoSendTables carries a length and a CSVCMsg_FlattenedSerializer: a pool of symbols, fields that refer to it, and
serializers that list fields. Several versions of one serializer may stand side by side; the root of a class is
version 0 of the serializer with the class's network name. Checked on Dota 2, CS2 and Deadlock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay, UnsupportedVersion
from playhead.source2.messages import wire
from playhead.source2.schema.types import FieldType, parse_field_type

# Types whose fields are tables behind a pointer, whether or not they are declared with `*`.
_POINTERS = frozenset(
    "CBodyComponent CLightComponent CPhysicsComponent CRenderComponent CPlayerLocalData PhysicsRagdollPose_t "
    "CEntityIdentity CDOTAGamerules CDOTAGameRules CDOTAGameManager CDOTASpectatorGraphManager "
    "CPlayer_CameraServices CEntityComponent CEntityInstance CScriptComponent".split()
)
# Fields that an error about many names.
_NAMED = 3
_VECTORS = frozenset(("CUtlVector", "CNetworkUtlVectorBase", "CUtlVectorEmbeddedNetworkVar"))

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


@dataclass(frozen=True, slots=True)
class SerializerField:
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


@dataclass(frozen=True, slots=True)
class Serializer:
    """A named, versioned list of fields."""

    name: str
    version: int
    fields: tuple[SerializerField, ...]


class UndeclaredSerializer(CorruptReplay):
    """A field refers to a serializer that the send tables do not declare."""


@dataclass(frozen=True, slots=True)
class OddReference:
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


@dataclass(frozen=True, slots=True, eq=False)
class SendTables:
    """All serializers of a recording, by (name, version), in file order.

    Attributes:
        serializers: as declared.
        odd: references that lead to none, or to one behind them.
    """

    serializers: Mapping[tuple[str, int], Serializer]
    odd: tuple[OddReference, ...] = ()

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
    return _read_send_tables(bytes(payload))


@lru_cache(maxsize=4)
def _read_send_tables(payload: bytes) -> SendTables:
    packed = wire.field_bytes(payload, 1) or b""
    reader = ByteReader(packed)
    content = wire.decode("CSVCMsg_FlattenedSerializer", reader.read_bytes(reader.read_varuint32()))
    if reader.remaining():
        raise CorruptReplay(f"expected the end behind the serializers, found {reader.remaining()} more bytes")
    for key, value in content.get("coord_size_params", {}).items():
        if value != _COORD_SIZES.get(key):
            raise UnsupportedVersion(f"expected {key} to be {_COORD_SIZES.get(key)}, found {value}")
    symbols: list[str] = content.get("symbols", [])
    fields = [_field(declared, symbols) for declared in content.get("fields", ())]
    # Dota 2 lists 100,000 fields; few of them refer to a serializer.
    referring = {n: (*filter(None, (f.serializer,)), *f.polymorphic) for n, f in enumerate(fields)}
    referring = {number: keys for number, keys in referring.items() if keys}
    serializers: dict[tuple[str, int], Serializer] = {}
    early: dict[tuple[str, int], list[str]] = {}
    for declared in content.get("serializers", ()):
        name = _symbol(symbols, declared.get("serializer_name_sym", 0))
        version = declared.get("serializer_version", 0)
        numbers = declared.get("fields_index", ())
        for number in (min(numbers), max(numbers)) if numbers else ():
            _entry(fields, number, "fields")
        for number in sorted(referring.keys() & set(numbers)):
            for key in referring[number]:
                if key not in serializers:
                    early.setdefault(key, []).append(f"{name}.{fields[number].name}")
        serializers[name, version] = Serializer(name, version, tuple([fields[number] for number in numbers]))
    odd = [OddReference(key, tuple(sorted(names)), key in serializers) for key, names in early.items()]
    return SendTables(serializers, tuple(odd))


def _entry(listed: Sequence[Any], number: int, what: str) -> Any:
    if not 0 <= number < len(listed):
        raise CorruptReplay(f"expected the number of one of {len(listed)} {what}, found {number}")
    return listed[number]


def _symbol(symbols: Sequence[str], number: int) -> str:
    name: str = _entry(symbols, number, "symbols")
    return name


def _field(declared: Mapping[str | int, Any], symbols: Sequence[str]) -> SerializerField:
    def symbol(key: str) -> str | None:
        return _symbol(symbols, declared[key]) if key in declared else None

    table = symbol("field_serializer_name_sym")
    kind = parse_field_type(symbol("var_type_sym") or "")
    return SerializerField(
        name=symbol("var_name_sym") or "",
        type=kind,
        model=field_model(kind, table is not None),
        encoder=symbol("var_encoder_sym"),
        bit_count=declared.get("bit_count"),
        low=declared.get("low_value"),
        high=declared.get("high_value"),
        flags=declared.get("encode_flags"),
        send_node=symbol("send_node_sym"),
        serializer=None if table is None else (table, declared.get("field_serializer_version", 0)),
        polymorphic=tuple(
            (
                _symbol(symbols, entry.get("polymorphic_field_serializer_name_sym", 0)),
                entry.get("polymorphic_field_serializer_version", 0),
            )
            for entry in declared.get("polymorphic_types", ())
        ),
        signed_enum=declared.get("var_enum_info", {}).get("is_signed_enum", False),
    )


def field_model(kind: FieldType, has_serializer: bool) -> Model:
    """The model of a field of that type, which has a serializer or has not; the first condition that holds."""
    pointer = kind.pointer or kind.base in _POINTERS
    if has_serializer:
        return Model.TABLE if pointer else Model.TABLES
    if kind.count is not None and kind.base != "char":
        return Model.ARRAY
    if kind.base in _VECTORS:
        return Model.VECTOR
    return Model.FLAG if pointer else Model.SCALAR


def read_class_names(payload: bytes | memoryview) -> Mapping[int, str]:
    """Network name by class id, from a ClassInfo frame. The last few are remembered.

    Raises:
        TruncatedReplay, CorruptReplay: it contradicts the format.
    """
    return _read_class_names(bytes(payload))


@lru_cache(maxsize=4)
def _read_class_names(payload: bytes) -> Mapping[int, str]:
    content = wire.decode("CDemoClassInfo", payload)
    return {entry.get("class_id", 0): entry.get("network_name", "") for entry in content.get("classes", ())}
