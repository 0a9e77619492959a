"""Choose the encoding of a declared field from its encoder, name and type.

The encoder ``fixed8`` takes precedence, then the field's name, then its type with encoder and bit count. An
unknown type is a varuint, as enumerations and handles are. Verified on Dota 2, CS2 and Deadlock: every entity
message ends with less than a byte left.
"""

from __future__ import annotations

from playhead.errors import UnsupportedVersion
from playhead.runtime.records import NamedTuple
from playhead.source2.games import GAMES
from playhead.source2.schema.quantized_float import QuantizedFloat, quantized_float
from playhead.source2.schema.send_tables import Model, SendTables, SerializerField
from playhead.source2.schema.types import FieldType


class Kind:
    """Encodings of a value. The compiled decoder uses the same numbers. Members of an enumeration would cost each
    start half a millisecond.
    """

    BOOL = 0  # 1 bit
    SIGNED = 1  # zigzag varint, 32 bits
    SIGNED64 = 2  # zigzag varint, 64 bits
    UNSIGNED = 3  # varuint
    FIXED64 = 4  # 64 bits
    BYTE = 5  # 8 bits
    SIGNED_BYTE = 6  # 8 bits, two's complement
    SEQUENCE = 7  # varuint, less 1
    TICKS = 8  # varuint: a time in ticks
    FLOAT = 9  # 32 bits
    COORD = 10
    NORMAL = 11
    QUANTIZED = 12
    STRING = 13  # bytes up to a zero
    BYTES = 14  # varuint length, bytes
    UNIT_VECTOR = 15
    ANGLES_FLOAT = 16  # three of 32 bits
    ANGLES = 17  # three of `bits` bits
    PITCH_YAW = 18  # two of `bits` bits (or 32: floats), roll is 0
    ANGLES_PRECISE = 19  # a flag for each, 20 bits less 180 degrees for each flagged
    ANGLES_COORD = 20  # a flag for each, a coordinate for each flagged
    POINTER = 21  # 1 bit; if set and of several types, also a ubitvar
    LENGTH = 22  # varuint: elements of a vector


#: The encodings by name, in the order of their numbers.
ENCODINGS = {name: number for name, number in vars(Kind).items() if name.isupper()}


class Encoding(NamedTuple):
    """The encoding of one field.

    Attributes:
        kind: one of `Kind`.
        cells: numbers of a value.
        bits: width, if the kind has one.
        types: possible types of a pointer.
        quantized: parameters of `Kind.QUANTIZED`.
    """

    kind: int
    cells: int = 1
    bits: int = 0
    types: int = 1
    quantized: QuantizedFloat | None = None


_SIGNED = "int8 int16 int32 HeroID_t AbilityID_t PlayerID_t EAbilitySlots_t CEntityIndex".split()
_UNSIGNED64 = frozenset("uint64 CStrongHandle ResourceId_t HeroFacetKey_t".split())
_STRINGS = "char CUtlString CUtlSymbolLarge CGlobalSymbol".split()
_VECTORS = {"Vector": 3, "VectorWS": 3, "Vector2D": 2, "Vector4D": 4, "Quaternion": 4}
_FLOATS = frozenset(("float32", "CNetworkedQuantizedFloat"))
_SIMULATION_TIMES = frozenset(("m_flSimulationTime", "m_flAnimTime"))
# Declared int32, sent as the number plus 1: a weapon without a clip has -1. Source: full clips of a recording.
_LESS_ONE = "m_iClip1"
#: Names that decide an encoding; of all other declarations the name does not matter.
DECIDING_NAMES = _SIMULATION_TIMES | {_LESS_ONE}

# Types with a single encoding. A schema needs a thousand encodings; creating a tuple takes longer than the choice.
_ALWAYS = {
    "bool": Encoding(Kind.BOOL),
    **dict.fromkeys(_SIGNED, Encoding(Kind.SIGNED)),
    "int64": Encoding(Kind.SIGNED64),
    **dict.fromkeys(_STRINGS, Encoding(Kind.STRING)),
    "GameTime_t": Encoding(Kind.FLOAT),
    "HSequence": Encoding(Kind.SEQUENCE),
    "BloodType": Encoding(Kind.BYTE),
    "CUtlBinaryBlock": Encoding(Kind.BYTES),
}
_TICKS, _UNSIGNED, _OF_SIGNED_ENUM = Encoding(Kind.TICKS), Encoding(Kind.UNSIGNED), Encoding(Kind.SIGNED)
_LENGTH, _BOOL, _SEQUENCE = Encoding(Kind.LENGTH), Encoding(Kind.BOOL), Encoding(Kind.SEQUENCE)
#: Greatest number of cells of a value.
MOST_CELLS = 4
_PLAIN_FLOATS = [Encoding(Kind.FLOAT, cells) for cells in range(MOST_CELLS + 1)]


def encoding_of(field: SerializerField, unsigned: frozenset[str] = frozenset()) -> Encoding:
    """Return the encoding of a value whose path ends at the field itself."""
    model = field.model
    if model == Model.TABLE:
        return Encoding(Kind.POINTER, types=1 + len(field.polymorphic))
    if model in (Model.TABLES, Model.VECTOR):
        return _LENGTH
    if model == Model.FLAG:
        return _BOOL
    return _value_encoding(field, field.type, unsigned)


def element_encoding_of(field: SerializerField, unsigned: frozenset[str] = frozenset()) -> Encoding:
    """Return the encoding of an element of an array or a vector of values: that of its type, with the field's
    encoder.
    """
    if field.model == Model.VECTOR:
        return _value_encoding(field, field.type.generic or FieldType(""), unsigned)
    return _value_encoding(field, field.type, unsigned)


def unsigned_types(send_tables: SendTables) -> frozenset[str]:
    """Return the types that the game of these send tables sends unsigned and other games as zigzag numbers."""
    for game in GAMES.values():
        if game.unsigned_types and (game.marking_class, 0) in send_tables.serializers:
            return game.unsigned_types
    return frozenset()


def _value_encoding(field: SerializerField, kind: FieldType, unsigned: frozenset[str]) -> Encoding:
    base = kind.base
    if base in unsigned:
        return _UNSIGNED
    if field.encoder == "fixed8":
        return Encoding(Kind.SIGNED_BYTE if base == "int8" else Kind.BYTE)
    if field.name in _SIMULATION_TIMES:
        return _TICKS
    if field.name == _LESS_ONE and base == "int32":
        return _SEQUENCE
    known = _ALWAYS.get(base)
    if known is not None:
        return known
    if base in _UNSIGNED64:
        return Encoding(Kind.FIXED64) if field.encoder == "fixed64" else _UNSIGNED
    if base in _FLOATS:
        return _float(field, 1)
    if base in _VECTORS:
        if base in ("Vector", "VectorWS") and field.encoder == "normal":
            return Encoding(Kind.UNIT_VECTOR, cells=3)
        return _float(field, _VECTORS[base])
    if base == "QAngle":
        return _angles(field)
    if base == "CTransform":
        raise UnsupportedVersion(f"field {field.name} is a CTransform, which has never been seen in a recording")
    return _OF_SIGNED_ENUM if field.signed_enum else _UNSIGNED


def _float(field: SerializerField, cells: int) -> Encoding:
    if field.encoder == "coord":
        return Encoding(Kind.COORD, cells)
    if field.encoder == "normal":
        return Encoding(Kind.NORMAL, cells)
    bits = field.bit_count or 0
    if not 0 < bits < 32:
        return _PLAIN_FLOATS[cells]
    quantized = quantized_float(bits, field.flags or 0, field.low, field.high)
    return Encoding(Kind.QUANTIZED, cells, quantized.bit_count, quantized=quantized)


def _angles(field: SerializerField) -> Encoding:
    bits = field.bit_count or 0
    if field.encoder == "qangle_pitch_yaw":
        return Encoding(Kind.PITCH_YAW, 3, 32 if bits in (0, 32) else _width(field, bits))
    if bits == 32:
        return Encoding(Kind.ANGLES_FLOAT, 3)
    if field.encoder == "qangle_precise":
        return Encoding(Kind.ANGLES_PRECISE, 3, 20)
    if bits == 0:
        return Encoding(Kind.ANGLES_COORD, 3)
    return Encoding(Kind.ANGLES, 3, _width(field, bits))


def _width(field: SerializerField, bits: int) -> int:
    if not 0 < bits < 32:
        raise UnsupportedVersion(f"field {field.name} has angles of {bits} bits; 1 to 32 are supported")
    return bits
