"""Raw Snappy blocks: exchanged with another implementation in both directions; invalid blocks raise."""

from __future__ import annotations

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError
from playhead.source2.container.snappy import SnappyBlock, compress, decompress

MOST = 1 << 22

repetitive = st.lists(st.tuples(st.binary(min_size=1, max_size=40), st.integers(1, 60)), max_size=30).map(
    lambda parts: b"".join(piece * times for piece, times in parts)
)


@given(st.one_of(st.binary(max_size=3000), repetitive))
def test_decompresses_another_implementations_blocks(data: bytes) -> None:
    assert decompress(bytes(cramjam.snappy.compress_raw(data)), MOST) == data


@given(st.one_of(st.binary(max_size=3000), repetitive))
def test_another_implementation_reads_our_blocks(data: bytes) -> None:
    block = compress(data)
    assert decompress(block, MOST) == data
    assert bytes(cramjam.snappy.decompress_raw(block)) == data


def test_compression_of_large_blocks() -> None:
    noise = bytes(number * number % 251 for number in range(70_000))
    for data in (noise * 3, b"ab" * 100_000, b"", b"abc"):
        assert decompress(compress(data), MOST) == data
    assert len(compress(b"ab" * 100_000)) < 10_000
    assert len(compress(noise * 3)) < 80_000


def test_large_blocks_and_small_ones_in_turn() -> None:
    # Above 64 KB a block has several fragments; offsets and literals take their longer forms.
    noise = bytes(number * number % 251 for number in range(70_000))
    for data in (noise, b"", b"ab" * 100_000, noise[:5], noise * 3):
        assert decompress(memoryview(b"?" + bytes(cramjam.snappy.compress_raw(data)))[1:], MOST) == data


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (b"\x0a\x00a\x15\x01", b"a" * 10),  # a copy that repeats the previous byte
        (b"\x06\x04ab\x0e\x02\x00", b"ababab"),  # with a two-byte offset
        (b"\x06\x04ab\x0f\x02\x00\x00\x00", b"ababab"),  # four-byte offset
        (b"\x03\xf0\x02abc", b"abc"),  # a literal with a size byte
        (b"\x03\xfc\x02\x00\x00\x00abc", b"abc"),  # four size bytes
        (b"\x00", b""),
    ],
)
def test_every_element(block: bytes, expected: bytes) -> None:
    assert decompress(block, MOST) == expected
    assert bytes(cramjam.snappy.decompress_raw(block)) == expected


@pytest.mark.parametrize(
    ("block", "error", "words"),
    [
        (b"\xff\xff\xff\xff\x0f", LimitExceeded, "over the limit"),
        (b"\x80\x80\x80\x01abc", CorruptReplay, "declares 2097152"),
        (b"", CorruptReplay, "expected the size at byte 0"),
        (b"\xff" * 6, CorruptReplay, "expected the size at byte 5"),
        (b"\x04\x0cab", CorruptReplay, "a literal of fewer than 4 bytes at byte 2"),
        (b"\x02\x0cabcd", CorruptReplay, "a literal of fewer than 4 bytes at byte 2"),
        (b"\x04\xf4\x01", CorruptReplay, "the size of a literal at byte 2"),
        (b"\x04\x00a\x01", CorruptReplay, "an offset at byte 4"),
        (b"\x04\x00a\x02\x01", CorruptReplay, "an offset at byte 4"),
        (b"\x04\x00a\x03\x01\x00\x00", CorruptReplay, "an offset at byte 4"),
        (b"\x05\x00a\x01\x00", CorruptReplay, "an offset of 1 to 1, found 0"),
        (b"\x05\x00a\x01\x02", CorruptReplay, "an offset of 1 to 1, found 2"),
        (b"\x04\x00a\x01\x01", CorruptReplay, "a copy of at most 3 bytes, found 4"),
        (b"\x05\x00a", CorruptReplay, "4 more bytes at byte 3"),
    ],
)
def test_other_bytes_are_refused(block: bytes, error: type[ReplayError], words: str) -> None:
    with pytest.raises(error, match=words):
        decompress(block, 1 << 21)


@given(st.binary(max_size=200), repetitive, st.integers(0, 1 << 16), st.integers(0, 255))
def test_damage_is_an_error_or_equals_another_implementation(
    noise: bytes, data: bytes, at: int, byte: int
) -> None:
    damaged = bytearray(cramjam.snappy.compress_raw(data))
    damaged[at % len(damaged)] = byte
    for block in (noise, bytes(damaged), bytes(damaged[: at % len(damaged)])):
        try:
            found = decompress(block, MOST)
        except ReplayError:
            continue
        assert found == bytes(cramjam.snappy.decompress_raw(block))


def test_a_block_that_declares_much_allocates_nothing() -> None:
    with pytest.raises(LimitExceeded):
        decompress(b"\x80\x80\x80\x80\x04" + bytes(1000), MOST)
    assert SnappyBlock(MOST).size == 0
