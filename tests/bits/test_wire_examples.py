"""The primitives against bytes worked out by hand from the format documents."""

from __future__ import annotations

import pytest

from playhead import CorruptReplay, TruncatedReplay
from playhead.bits import BitReader, ByteReader, ByteWriter


def test_bits_are_least_significant_first() -> None:
    reader = BitReader(bytes([0b1010_0110, 0b0000_0001]))
    assert [reader.read_bits(n) for n in (1, 2, 5, 1)] == [0, 3, 20, 1]


# DDNet's own examples of its packed int: -1 = 0x40, 63 = 0x3f, 64 = 0x80 0x01, -64 = 0x7f, -65 = 0xc0 0x01.
@pytest.mark.parametrize(
    ("value", "encoded"),
    [(0, "00"), (-1, "40"), (63, "3f"), (64, "8001"), (-64, "7f"), (-65, "c001"), (2**31 - 1, "bfffffff0f")],
)
def test_packed_int(value: int, encoded: str) -> None:
    writer = ByteWriter()
    writer.write_packed_int(value)
    assert writer.to_bytes().hex() == encoded
    assert ByteReader(bytes.fromhex(encoded)).read_packed_int() == value


def test_fifth_byte_of_a_packed_int_counts_four_bits_and_ends_it() -> None:
    reader = ByteReader(bytes.fromhex("bfffffffff05"))
    assert reader.read_packed_int() == 2**31 - 1
    assert reader.read_packed_int() == 5


# `83 0C` is the 2010 StarCraft II document's own example: 0x0C << 7 | 3 = 1539, sign in the lowest bit.
@pytest.mark.parametrize(("value", "encoded"), [(0, "00"), (-769, "830c"), (1, "02"), (-1, "03"), (64, "8001")])
def test_vint(value: int, encoded: str) -> None:
    writer = ByteWriter()
    writer.write_vint(value)
    assert writer.to_bytes().hex() == encoded
    assert ByteReader(bytes.fromhex(encoded)).read_vint() == value


@pytest.mark.parametrize(("bits", "expected"), [("1010_10", 0x2A & 15), ("00_1111", 15)])
def test_ubit_var_head(bits: str, expected: int) -> None:
    head = int(bits.replace("_", ""), 2)
    assert BitReader(head.to_bytes(2, "little")).read_ubit_var() & 15 == expected


def test_ubit_var_wider_forms() -> None:
    # selector 1: four low bits 0x5, then 4 more bits 0xA on top
    stream = (0x5 | 1 << 4) | (0xA << 6)
    assert BitReader(stream.to_bytes(2, "little")).read_ubit_var() == 0xA5


@pytest.mark.parametrize("count", [1, 5, 56, 57, 64])
def test_reads_at_the_end_leave_the_position(count: int) -> None:
    reader = BitReader(bytes(8), count - 1)
    with pytest.raises(TruncatedReplay, match=f"expected {count} more bits"):
        reader.read_bits(count)
    assert reader.tell() == 0


@pytest.mark.parametrize("kind", ["ubit_var", "ubit_var_fp", "varuint32", "varuint64", "coord", "string", "float"])
def test_a_value_cut_in_the_middle_leaves_the_position(kind: str) -> None:
    data = {"ubit_var": b"\x3f", "ubit_var_fp": b"\x00", "coord": b"\xff"}.get(kind, b"\xff")
    reader = BitReader(data)
    with pytest.raises(TruncatedReplay) as caught:
        getattr(reader, f"read_{kind}")()
    assert reader.tell() == 0
    assert caught.value.offset == 0


@pytest.mark.parametrize(("kind", "size"), [("varuint32", 5), ("varuint64", 10)])
def test_an_endless_varint_is_corrupt(kind: str, size: int) -> None:
    for reader in (BitReader(b"\xff" * 20), ByteReader(b"\xff" * 20)):
        with pytest.raises(CorruptReplay, match=f"at most {size} bytes"):
            getattr(reader, f"read_{kind}")()
        assert reader.tell() == 0


def test_varuint32_drops_bits_above_32() -> None:
    assert ByteReader(bytes.fromhex("ffffffff7f")).read_varuint32() == 2**32 - 1
    assert BitReader(bytes.fromhex("ffffffff7f")).read_varuint32() == 2**32 - 1


def test_cstring_without_zero() -> None:
    reader = ByteReader(b"ab" * 1000)
    with pytest.raises(TruncatedReplay, match="zero byte"):
        reader.read_cstring()
    assert reader.tell() == 0


def test_cstring_far_away_and_in_a_sliced_view() -> None:
    reader = ByteReader(memoryview(b"\0x" + b"a" * 700 + b"\0z")[2:])
    assert reader.read_cstring() == b"a" * 700
    assert reader.read_u8() == ord("z")


def test_seek_past_the_end() -> None:
    reader = ByteReader(b"abc", 1)
    assert reader.read_u8() == ord("b")
    reader.seek(3)
    assert reader.remaining() == 0
    with pytest.raises(TruncatedReplay):
        reader.seek(4)
    with pytest.raises(TruncatedReplay):
        reader.skip(1)
    assert reader.tell() == 3


def test_a_limit_beyond_the_data_is_refused() -> None:
    with pytest.raises(TruncatedReplay, match="expected 9 bits"):
        BitReader(b"x", 9)


def test_any_buffer_will_do_and_is_kept_alive() -> None:
    for data in (b"\x07\0", bytearray(b"\x07\0"), memoryview(b"\x07\0")):
        assert ByteReader(data).read_u16() == 7
    reader = ByteReader(bytes(range(200)))
    assert reader.read_bytes(200) == bytes(range(200))
    with pytest.raises(TypeError):
        ByteReader("text")  # type: ignore[arg-type]


def test_a_window_is_read_like_a_stream_of_its_own() -> None:
    data = bytes(range(1, 40))
    whole = int.from_bytes(data, "little")
    reader = BitReader(data)
    for first, count in ((0, 312), (3, 61), (17, 64), (100, 7), (305, 7), (312, 0), (9, 200)):
        reader.window(first, count)
        wanted = whole >> first & ((1 << count) - 1)
        assert reader.rem_bits() == count
        assert reader.peek_bits(56) == wanted & ((1 << 56) - 1)  # zeros behind the window's end
        found = 0
        for step in range(0, count, 13):
            found |= reader.read_bits(min(13, count - step)) << step
        assert found == wanted
        with pytest.raises(TruncatedReplay, match=f"1 more bits at bit {count}, but only 0 are left") as caught:
            reader.read_boolean()
        assert caught.value.offset == count >> 3
    for first, count in ((0, 313), (313, 0), (300, 13), (1 << 63, 1 << 63)):
        with pytest.raises(TruncatedReplay, match="but there are 312"):
            reader.window(first, count)
    assert reader.rem_bits() == 0
