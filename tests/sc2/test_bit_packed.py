"""The bit-packed encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.blizzard import BitPackedWriter

from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.errors import TruncatedReplay

sized_ints = st.integers(1, 64).flatmap(lambda count: st.tuples(st.integers(0, 2**count - 1), st.just(count)))


@given(st.lists(st.one_of(sized_ints, st.binary(max_size=6), st.none()), max_size=30))
def test_round_trip(items: list[tuple[int, int] | bytes | None]) -> None:
    writer = BitPackedWriter()
    for item in items:
        if item is None:
            writer.align()
        elif isinstance(item, bytes):
            writer.write_blob(item, 5)
        else:
            writer.write_int(*item)
    reader = BitPackedReader(writer.to_bytes())
    for item in items:
        if item is None:
            reader.align()
        elif isinstance(item, bytes):
            assert reader.read_blob(5) == item
        else:
            assert reader.read_int(item[1]) == item[0]
    assert reader.remaining() < 8


def test_order_of_bits() -> None:
    # Length of the game in the beta replay that the public notes on the format take apart: three bits type, then
    # 32 bits of loops, which start in the upper five bits of the first byte.
    reader = BitPackedReader(bytes.fromhex("0200075305"))
    assert reader.read_int(3) == 2
    assert reader.read_int(32) == 0x0753 * 8 + 5 == 15_005
    assert reader.read_int(0) == 0
    assert reader.remaining() == 5


@given(st.binary(min_size=1, max_size=40), st.integers(0, 20), st.integers(0, 300))
def test_wide_is_many_narrow(data: bytes, skip: int, count: int) -> None:
    one, other = BitPackedReader(data), BitPackedReader(data)
    if skip + count > len(data) * 8:
        for reader in (one, other):
            with pytest.raises(TruncatedReplay):
                reader.skip_bits(len(data) * 8 + 1)
            assert reader.tell() == 0
        return
    one.skip_bits(skip)
    other.skip_bits(skip)
    bits = 0
    for _ in range(count):
        bits = bits << 1 | other.read_bool()
    # Bit by bit is another order inside of a byte, so compare by whole runs up to each byte's end.
    value, left, position = 0, count, skip
    check = BitPackedReader(data)
    check.skip_bits(skip)
    while left:
        run = min(8 - position % 8, left)
        value = value << run | check.read_int(run)
        position, left = position + run, left - run
    assert one.read_wide_int(count) == value
    assert one.tell() == other.tell() == skip + count
    assert bits.bit_count() == value.bit_count()


def test_kinds() -> None:
    writer = BitPackedWriter()
    writer.write_bool(True)
    writer.write_int(int.from_bytes(b"S2ab", "big"), 32)
    writer.write_aligned_bytes(b"xyz")
    reader = BitPackedReader(writer.to_bytes())
    assert reader.read_bool() is True
    assert reader.read_fourcc() == b"S2ab"
    assert reader.read_aligned_bytes(3) == b"xyz"
    assert reader.align() == 0
    with pytest.raises(TruncatedReplay):
        reader.read_bool()


def test_reads_past_the_end_leave_the_position() -> None:
    reader = BitPackedReader(b"\x07ab")
    reader.skip_bits(1)
    with pytest.raises(TruncatedReplay) as caught:
        reader.read_int(24)
    assert caught.value.offset == 0
    for read in (
        lambda: reader.read_wide_int(100),
        lambda: reader.read_aligned_bytes(3),
        lambda: reader.read_blob(3),
    ):
        with pytest.raises(TruncatedReplay):
            read()
        assert reader.tell() == 1
    with pytest.raises(TruncatedReplay):
        reader.read_aligned_bytes(2**61)
    with pytest.raises(TruncatedReplay):
        BitPackedReader(b"").read_aligned_bytes(1)


def test_a_read_takes_at_most_64_bits() -> None:
    with pytest.raises(ValueError, match="64 bits"):
        BitPackedReader(bytes(100)).read_int(65)


def test_the_writer_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="3 bits"):
        BitPackedWriter().write_int(8, 3)
    with pytest.raises(ValueError, match="8 bits"):
        BitPackedWriter().write_int(-1, 8)
