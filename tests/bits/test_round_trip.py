"""What the writers write, the readers read: every primitive, any values, at any bit position."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead import TruncatedReplay
from playhead.bits import BitReader, BitWriter, ByteReader, ByteWriter

U32 = st.integers(0, 2**32 - 1)
U64 = st.integers(0, 2**64 - 1)
I32 = st.integers(-(2**31), 2**31 - 1)
I64 = st.integers(-(2**63), 2**63 - 1)
F32 = st.floats(width=32, allow_nan=False)
TEXT = st.binary(max_size=40).map(lambda b: b.replace(b"\0", b""))
COORD = st.integers(-(16384 * 32 + 31), 16384 * 32 + 31).map(lambda units: units / 32)

# name -> (values, what a reader gives back for a value)
BIT_KINDS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], Any]]] = {
    "boolean": (st.booleans(), bool),
    "ubit_var": (U32, int),
    "ubit_var_fp": (st.integers(0, 2**31 - 1), int),
    "varuint32": (U32, int),
    "varuint64": (U64, int),
    "varint32": (I32, int),
    "varint64": (I64, int),
    "float": (F32, float),
    "coord": (COORD, float),
    "string": (TEXT, bytes),
}
BYTE_KINDS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], Any]]] = {
    "u8": (st.integers(0, 255), int),
    "u16": (st.integers(0, 2**16 - 1), int),
    "u32": (U32, int),
    "u64": (U64, int),
    "i32": (I32, int),
    "f32": (F32, float),
    "varuint32": (U32, int),
    "varuint64": (U64, int),
    "packed_int": (I32, int),
    "vint": (st.integers(-(2**63) + 1, 2**63 - 1), int),
    "cstring": (TEXT, bytes),
}


def _of_kinds(kinds: dict[str, tuple[st.SearchStrategy[Any], Any]]) -> st.SearchStrategy[Any]:
    return st.lists(st.one_of([values.map(lambda v, n=name: (n, v)) for name, (values, _) in kinds.items()]))


@given(st.integers(0, 7), _of_kinds(BIT_KINDS))
def test_bit_primitives(lead: int, items: list[tuple[str, Any]]) -> None:
    writer = BitWriter()
    writer.write_bits(0, lead)
    for name, value in items:
        getattr(writer, f"write_{name}")(value)
    reader = BitReader(writer.to_bytes(), writer.tell())
    assert reader.read_bits(lead) == 0
    for name, value in items:
        assert getattr(reader, f"read_{name}")() == BIT_KINDS[name][1](value)
    assert reader.rem_bits() == 0
    with pytest.raises(TruncatedReplay):
        reader.read_boolean()


@given(_of_kinds(BYTE_KINDS))
def test_byte_primitives(items: list[tuple[str, Any]]) -> None:
    writer = ByteWriter()
    for name, value in items:
        getattr(writer, f"write_{name}")(value)
    reader = ByteReader(writer.to_bytes())
    for name, value in items:
        assert getattr(reader, f"read_{name}")() == BYTE_KINDS[name][1](value)
    assert reader.remaining() == 0
    with pytest.raises(TruncatedReplay):
        reader.read_u8()


@given(st.lists(st.integers(0, 64).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, 2**n - 1)))))
def test_bit_fields_of_every_width(fields: list[tuple[int, int]]) -> None:
    writer = BitWriter()
    for width, value in fields:
        writer.write_bits(value, width)
    reader = BitReader(writer.to_bytes())
    for width, value in fields:
        if width <= 56:
            assert reader.peek_bits(width) == value
        assert reader.read_bits(width) == value
    assert reader.rem_bits() < 8


@given(st.binary(max_size=300), st.integers(0, 63))
def test_unaligned_bytes(data: bytes, lead: int) -> None:
    writer = BitWriter()
    writer.write_bits(0, lead)
    writer.write_bytes(data)
    reader = BitReader(writer.to_bytes())
    reader.skip_bits(lead)
    assert reader.read_bytes(len(data)) == data


@given(st.binary(min_size=1, max_size=40), st.data())
def test_partial_bytes(data: bytes, draw: st.DataObject) -> None:
    count = draw.draw(st.integers(0, len(data) * 8))
    writer = BitWriter()
    writer.write_bits_from_bytes(data, count)
    expected = int.from_bytes(data, "little") & ((1 << count) - 1)
    reader = BitReader(writer.to_bytes(), count)
    assert int.from_bytes(reader.read_bits_as_bytes(count), "little") == expected


@given(st.floats(-1, 1), st.integers(1, 32), st.floats(0, 360, exclude_max=True))
def test_rounded_values_come_back_within_half_a_step(normal: float, width: int, degrees: float) -> None:
    writer = BitWriter()
    writer.write_normal(normal)
    writer.write_angle(degrees, width)
    reader = BitReader(writer.to_bytes())
    assert math.isclose(reader.read_normal(), normal, abs_tol=0.5 / 2047 + 1e-12)
    step = 360 / 2**width
    got = reader.read_angle(width)
    assert min(abs(got - degrees), 360 - abs(got - degrees)) <= step / 2 + 1e-9


@pytest.mark.parametrize(("x", "y", "negative"), [(0.0, 0.0, False), (0.6, 0.0, True), (-0.25, 0.5, False)])
def test_packed_unit_vector(x: float, y: float, negative: bool) -> None:
    writer = BitWriter()
    writer.write_3bit_normal(x, y, negative)
    gx, gy, gz = BitReader(writer.to_bytes()).read_3bit_normal()
    assert (gx, gy) == pytest.approx((x, y), abs=1 / 2047)
    assert gx**2 + gy**2 + gz**2 == pytest.approx(1)
    assert (gz < 0) == negative


def test_packed_unit_vector_is_read_whole_or_not_at_all() -> None:
    reader = BitReader(b"\x03", 5)
    with pytest.raises(TruncatedReplay):
        reader.read_3bit_normal()
    assert reader.tell() == 0


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("varuint32", 2**32),
        ("varint32", 2**31),
        ("varint32", -(2**31) - 1),
        ("ubit_var", 2**32),
        ("ubit_var_fp", 2**31),
        ("coord", 16385.0),
        ("normal", 1.5),
        ("string", b"a\0b"),
    ],
)
def test_bit_writer_refuses_what_does_not_fit(kind: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"fit|unit vector|zero byte"):
        getattr(BitWriter(), f"write_{kind}")(value)


@pytest.mark.parametrize(
    ("kind", "value"), [("u8", 256), ("varuint32", 2**32), ("packed_int", 2**31), ("cstring", b"a\0b")]
)
def test_byte_writer_refuses_what_does_not_fit(kind: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"fit|zero byte"):
        getattr(ByteWriter(), f"write_{kind}")(value)


def test_bit_writer_refuses_too_many_bits() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        BitWriter().write_bits(4, 2)
    with pytest.raises(ValueError, match="64"):
        BitWriter().write_bits(0, 65)


def test_float_is_single_precision() -> None:
    writer = BitWriter()
    writer.write_float(0.1)
    assert BitReader(writer.to_bytes()).read_float() == struct.unpack("<f", struct.pack("<f", 0.1))[0]


@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 248, 249, 250, 256, 257, 300])
@pytest.mark.parametrize("shift", [0, 3])
@pytest.mark.parametrize("behind", [0, 1, 9])
def test_strings_of_any_size_end_anywhere(size: int, shift: int, behind: int) -> None:
    text = bytes(1 + number % 255 for number in range(size))
    writer = BitWriter()
    writer.write_bits(0, shift)
    writer.write_bytes(text + b"\0" + b"x" * behind)
    reader = BitReader(writer.to_bytes())
    reader.skip_bits(shift)
    assert reader.read_string() == text
    assert reader.tell() == shift + 8 * (size + 1)
