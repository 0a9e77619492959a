"""Field values: the encoding of a declaration, round trips of every encoding, quantized floats in float32."""

from __future__ import annotations

import contextlib
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.bits import BitReader, BitWriter
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnsupportedVersion
from playhead.source2.schema.decoder import FieldDecoder
from playhead.source2.schema.encoding import (
    ENCODINGS,
    Encoding,
    Kind,
    element_encoding_of,
    encoding_of,
)
from playhead.source2.schema.patches import build_of, patched
from playhead.source2.schema.quantized_float import QuantizedFloat, quantized_float, single
from playhead.source2.schema.send_tables import SendTables, Serializer, SerializerField, field_model
from playhead.source2.schema.types import parse_field_type
from playhead.source2.writing.field_lists import write_value


def declare(type_text: str, name: str = "m_field", **declared: Any) -> SerializerField:
    kind = parse_field_type(type_text)
    return SerializerField(name, kind, field_model(kind, "serializer" in declared), **declared)


def round_trip(encoding: Encoding, value: Any) -> Any:
    writer = BitWriter()
    write_value(writer, encoding, value)
    reader = BitReader(writer.to_bytes())
    out = FieldDecoder(encoding).read(reader)
    assert reader.rem_bits() == -writer.tell() % 8
    return out


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        (declare("bool"), Kind.BOOL),
        (declare("int32"), Kind.SIGNED),
        (declare("int8"), Kind.SIGNED),
        (declare("HeroID_t"), Kind.SIGNED),
        (declare("int64"), Kind.SIGNED64),
        (declare("uint16"), Kind.UNSIGNED),
        (declare("uint64"), Kind.UNSIGNED),
        (declare("uint64", encoder="fixed64"), Kind.FIXED64),
        (declare("CStrongHandle< InfoForResourceTypeCModel >"), Kind.UNSIGNED),
        (declare("MoveType_t"), Kind.UNSIGNED),
        (declare("MoveType_t", signed_enum=True), Kind.SIGNED),
        (declare("MoveType_t", encoder="fixed8"), Kind.BYTE),
        (declare("int8", encoder="fixed8"), Kind.SIGNED_BYTE),
        (declare("BloodType"), Kind.BYTE),
        (declare("HSequence"), Kind.SEQUENCE),
        (declare("GameTime_t"), Kind.FLOAT),
        (declare("float32", "m_flSimulationTime"), Kind.TICKS),
        (declare("float32", "m_flAnimTime", bit_count=8), Kind.TICKS),
        (declare("float32"), Kind.FLOAT),
        (declare("float32", bit_count=32), Kind.FLOAT),
        (declare("float32", encoder="coord"), Kind.COORD),
        (declare("float32", bit_count=9), Kind.QUANTIZED),
        (declare("CNetworkedQuantizedFloat", bit_count=9), Kind.QUANTIZED),
        (declare("Vector"), Kind.FLOAT),
        (declare("VectorWS", encoder="coord"), Kind.COORD),
        (declare("Vector", encoder="normal"), Kind.UNIT_VECTOR),
        (declare("Vector2D", encoder="normal"), Kind.NORMAL),
        (declare("QAngle"), Kind.ANGLES_COORD),
        (declare("QAngle", encoder="QAngle", bit_count=12), Kind.ANGLES),
        (declare("QAngle", bit_count=32), Kind.ANGLES_FLOAT),
        (declare("QAngle", encoder="qangle_precise", bit_count=32), Kind.ANGLES_FLOAT),
        (declare("QAngle", encoder="qangle_precise", bit_count=20), Kind.ANGLES_PRECISE),
        (declare("QAngle", encoder="qangle_pitch_yaw", bit_count=8), Kind.PITCH_YAW),
        (declare("char[128]"), Kind.STRING),
        (declare("CUtlSymbolLarge"), Kind.STRING),
        (declare("CUtlBinaryBlock"), Kind.BYTES),
        (declare("CNetworkUtlVectorBase< uint8 >"), Kind.LENGTH),
        (declare("CBodyComponent*"), Kind.BOOL),
        (declare("CBodyComponent", serializer=("CBodyComponent", 0)), Kind.POINTER),
        (declare("CUtlVector< Row_t >", serializer=("Row_t", 0)), Kind.LENGTH),
    ],
    ids=lambda value: "" if isinstance(value, int) else f"{value.type} {value.encoder or ''}",
)
def test_form_of_a_declaration(field: SerializerField, kind: int) -> None:
    assert encoding_of(field).kind == kind


def test_form_of_elements() -> None:
    assert element_encoding_of(declare("CNetworkUtlVectorBase< CHandle< CBaseEntity > >")).kind == Kind.UNSIGNED
    assert element_encoding_of(declare("CNetworkUtlVectorBase< uint8 >", encoder="fixed8")).kind == Kind.BYTE
    assert element_encoding_of(declare("CNetworkUtlVectorBase< float32 >", bit_count=7)).kind == Kind.QUANTIZED
    assert element_encoding_of(declare("float32[24]", encoder="coord")).kind == Kind.COORD
    assert element_encoding_of(declare("uint64[2]", encoder="fixed64")).kind == Kind.FIXED64


def test_unseen_types_are_refused() -> None:
    with pytest.raises(UnsupportedVersion, match="CTransform"):
        encoding_of(declare("CTransform"))
    with pytest.raises(UnsupportedVersion, match="40 bits"):
        encoding_of(declare("QAngle", bit_count=40))


EXACT = [
    (Encoding(Kind.BOOL), st.booleans()),
    (Encoding(Kind.SIGNED), st.integers(-(2**31), 2**31 - 1)),
    (Encoding(Kind.SIGNED64), st.integers(-(2**63), 2**63 - 1)),
    (Encoding(Kind.UNSIGNED), st.integers(0, 2**64 - 1)),
    (Encoding(Kind.FIXED64), st.integers(0, 2**64 - 1)),
    (Encoding(Kind.BYTE), st.integers(0, 255)),
    (Encoding(Kind.SIGNED_BYTE), st.integers(-128, 127)),
    (Encoding(Kind.SEQUENCE), st.integers(-1, 2**40)),
    (Encoding(Kind.TICKS), st.integers(0, 2**32 - 1)),
    (Encoding(Kind.FLOAT), st.floats(width=32, allow_nan=False)),
    (Encoding(Kind.FLOAT, 3), st.tuples(*[st.floats(width=32, allow_nan=False)] * 3)),
    (Encoding(Kind.COORD), st.integers(-(2**19), 2**19).map(lambda n: n / 32)),
    (Encoding(Kind.NORMAL), st.integers(-2047, 2047).map(lambda n: n / 2047)),
    (Encoding(Kind.STRING), st.text(st.characters(exclude_characters="\0", codec="utf-8"))),
    (Encoding(Kind.BYTES), st.binary()),
    (Encoding(Kind.ANGLES, 3, 12), st.tuples(*[st.integers(0, 4095).map(lambda n: n * 360 / 4096)] * 3)),
    (Encoding(Kind.ANGLES_PRECISE, 3, 20),
     st.tuples(*[st.integers(-(2**19), 2**19 - 1).map(lambda n: n * 360 / 2**20)]
    * 3)), (Encoding(Kind.ANGLES_COORD, 3), st.tuples(*[st.integers(-11520, 11520).map(lambda n: n / 32)] * 3)),
    (Encoding(Kind.ANGLES_FLOAT, 3), st.tuples(*[st.floats(width=32, allow_nan=False)] * 3)),
    (Encoding(Kind.PITCH_YAW, 3, 8), st.tuples(*[st.integers(0, 255).map(lambda n: n * 360 / 256)] * 2,
    st.just(0.0))), (Encoding(Kind.PITCH_YAW, 3, 32), st.tuples(*[st.floats(width=32, allow_nan=False)] * 2,
    st.just(0.0))), (Encoding(Kind.POINTER), st.booleans()),
    (Encoding(Kind.LENGTH), st.integers(0, 65536)),
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("encoding", "values"), EXACT, ids=[f"{e.kind} {e.cells} {e.bits}" for e, _ in EXACT])
def test_round_trip(encoding: Encoding, values: st.SearchStrategy) -> None:
    @given(values)
    def check(value: Any) -> None:
        assert round_trip(encoding, value) == value

    check()


@given(st.integers(-2047, 2047), st.integers(-2047, 2047), st.booleans())
def test_unit_vector(x: int, y: int, down: bool) -> None:
    z = math.sqrt(max(0.0, 1.0 - (x / 2047) ** 2 - (y / 2047) ** 2)) * (-1 if down else 1)
    got = round_trip(Encoding(Kind.UNIT_VECTOR, 3), (x / 2047, y / 2047, z))
    assert got == pytest.approx((x / 2047, y / 2047, z), abs=1e-12)


def test_pointer_of_several_types() -> None:
    encoding = Encoding(Kind.POINTER, types=3)
    writer = BitWriter()
    for value in (False, True, 3):
        write_value(writer, encoding, value)
    assert writer.tell() == 1 + 7 + 7
    writer.write_boolean(True)
    writer.write_ubit_var(3)
    reader = BitReader(writer.to_bytes())
    decoder = FieldDecoder(encoding)
    assert [decoder.read(reader) for _ in range(3)] == [False, True, True]
    with pytest.raises(CorruptReplay, match="one of 3 types"):
        decoder.read(reader)


def test_too_long_a_vector() -> None:
    writer = BitWriter()
    writer.write_varuint32(65537)
    with pytest.raises(LimitExceeded):
        FieldDecoder(Encoding(Kind.LENGTH)).read(BitReader(writer.to_bytes()))


@pytest.mark.parametrize("kind", ENCODINGS.values())
def test_nothing_left_to_read(kind: int) -> None:
    quantized = quantized_float(8, 0, None, None) if kind == Kind.QUANTIZED else None
    with pytest.raises(TruncatedReplay):
        FieldDecoder(Encoding(kind, 1, 8, quantized=quantized)).read(BitReader(b""))


# -- quantized floats -----------------------------------------------------------------------------------------


def f32(value: float) -> float:
    out: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return out


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        # bits, flags, low, high -> remaining bits and flags, range; computed by hand from the rules
        ((8, 0, None, None), (8, 0, 0.0, 1.0)),
        ((10, 1, 0.0, 128.0), (10, 0, 0.0, 127.875)),  # low is already exact
        ((10, 2, 0.0, 128.0), (10, 0, 0.125, 128.0)),
        ((8, 4, 0.0, 1.0), (8, 0, 0.0, 0.99609375)),  # zero is the low end: flag 4 becomes flag 1
        ((8, 4, -1.0, 0.0), (8, 0, -0.99609375, 0.0)),  # and here the high end
        ((8, 4, 1.0, 2.0), (8, 0, 1.0, 2.0)),  # zero is outside the range
        ((18, 4, -256.0, 256.0), (18, 4, -256.0, 256.0)),  # zero is no multiple of the step
        ((16, 8, 0.0, 1024.0), (16, 8, 0.0, 1023.984375)),
        ((4, 8, 0.0, 100.0), (8, 8, 0.0, 127.5)),  # integers: bits are increased until the range fits
        ((16, 9, 0.0, 1024.0), (16, 8, 0.0, 1023.984375)),  # 8 overrides 1
        ((20, None, None, 65536.0), (20, 0, 0.0, 65536.0)),
        ((4, None, -3.4028234663852886e38, 3.4028234663852886e38), (4, 0, 0.0, 1.0)),
    ],
)
def test_quantization(declared: tuple, expected: tuple) -> None:
    bits, flags, low, high = declared
    found = quantized_float(bits, flags or 0, low, high)
    assert (found.bit_count, found.flags, found.low, found.high) == expected


def test_runetime_is_raw_bits() -> None:
    encoding = encoding_of(
        declare("float32", "m_flRuneTime", bit_count=4, low=-3.4028234663852886e38, high=3.4e38)
    )
    assert [round_trip(encoding, float(n)) for n in range(16)] == [float(n) for n in range(16)]


@given(
    st.integers(1, 23),  # 24 bits are as fine as a float32: neighbours may round to one value
    st.integers(0, 15),
    st.floats(-4096, 4096, width=32),
    st.floats(0.125, 8192, width=32),
    st.data(),
)
def test_every_number_comes_back(bits: int, flags: int, low: float, span: float, data: st.DataObject) -> None:
    try:
        quantized = quantized_float(bits, flags, low, f32(low + span))
    except CorruptReplay:
        return
    assert all(f32(x) == x for x in (quantized.low, quantized.high, quantized.step, quantized.range))
    encoding = Encoding(Kind.QUANTIZED, 1, quantized.bit_count, quantized=quantized)
    number = data.draw(st.integers(0, (1 << quantized.bit_count) - 1))
    writer = BitWriter()
    for flag in (1, 2, 4):
        if quantized.flags & flag:
            writer.write_boolean(False)
    writer.write_bits(number, quantized.bit_count)
    value = FieldDecoder(encoding).read(BitReader(writer.to_bytes()))
    assert value == f32(quantized.low + f32(f32(quantized.range * f32(number)) * quantized.step))
    assert round_trip(encoding, value) == value


def test_exact_ends_have_bits_of_their_own() -> None:
    quantized = QuantizedFloat(8, 7, -1.0, 2.0, single(1 / 255))
    encoding = Encoding(Kind.QUANTIZED, 1, 8, quantized=quantized)
    writer = BitWriter()
    for value in (-1.0, 2.0, 0.0):
        write_value(writer, encoding, value)
    assert writer.tell() == 1 + 2 + 3
    reader = BitReader(writer.to_bytes())
    assert [FieldDecoder(encoding).read(reader) for _ in range(3)] == [-1.0, 2.0, 0.0]


@pytest.mark.parametrize(
    "declared",
    [
        (0, 0, None, None),
        (32, 0, None, None),
        (8, 0, 2.0, 1.0),
        (8, 0, math.nan, 1.0),
        (8, 0, 0.0, math.inf),
        (20, 4, -1e-40, 1e-45),
    ],
)
def test_impossible_quantization(declared: tuple) -> None:
    with pytest.raises(CorruptReplay):
        quantized_float(*declared)


@given(st.binary(max_size=40), st.sampled_from([encoding for encoding, _ in EXACT]))
def test_any_bytes(data: bytes, encoding: Encoding) -> None:
    with contextlib.suppress(ReplayError):
        FieldDecoder(encoding).read(BitReader(data))


# -- old builds -----------------------------------------------------------------------------------------------


def tables(*fields: SerializerField, name: str = "CThing") -> SendTables:
    return SendTables({(name, 0): Serializer(name, 0, fields)})


@pytest.mark.parametrize(
    ("game_dir", "build"),
    [("/opt/srcds/dota/dota_v990/dota", 990), ("C:\\dota_v1016\\dota", 1016), ("/home/x/dota", None), ("", None)],
)
def test_build_of_a_game_folder(game_dir: str, build: int | None) -> None:
    assert build_of(game_dir) == build


def test_patches_of_early_builds() -> None:
    declared = tables(
        declare("QAngle", "m_angRotation"),
        declare("Vector", "m_WorldMins"),
        declare("Vector", "m_vecLadderNormal"),
        declare("float32", "m_flMana", bit_count=20, low=0.0, high=3.4028234663852886e38),
        declare("uint64", "m_iPlayerSteamID"),
    )
    assert patched(declared, None) is declared
    assert patched(declared, 1000) is declared
    assert patched(declared, 6951) is declared
    angles, coord, normal, mana, steam = patched(declared, 954).root("CThing").fields
    assert (angles.encoder, coord.encoder, normal.encoder) == ("QAngle", "coord", "normal")
    assert (mana.low, mana.high) == (None, 8192.0)
    assert steam.encoder is None
    assert patched(declared, 955).root("CThing").fields[3].high != 8192.0
    assert patched(declared, 1020).root("CThing").fields[4].encoder == "fixed64"
    assert patched(declared, 1020).root("CThing").fields[1].encoder is None


def test_roll_is_left_out_only_with_a_width() -> None:
    body = "CBodyComponentBaseAnimatingOverlay"
    wide = tables(declare("QAngle", "m_angRotation", bit_count=8), name=body)
    plain = tables(declare("QAngle", "m_angRotation", bit_count=0), name=body)
    assert patched(wide, 960).root(body).fields[0].encoder == "qangle_pitch_yaw"
    assert patched(plain, 960).root(body).fields[0].encoder == "QAngle"
