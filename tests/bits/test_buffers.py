"""Readers hold the buffer they read from, and let go of it exactly once."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from playhead import TruncatedReplay
from playhead.bits import BitReader, ByteReader
from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.runtime import hot
from playhead.teehistorian.stream.reader import MessageReader

READERS = [BitReader, ByteReader, BitPackedReader, MessageReader]


@pytest.mark.parametrize("reader", READERS)
def test_a_buffer_is_held_while_it_is_read(reader: Any) -> None:
    data = bytearray(b"abc")
    held = reader(data)
    with pytest.raises(BufferError):
        data.append(0)
    del held
    data.append(0)


@pytest.mark.long
@pytest.mark.parametrize("reader", READERS)
def test_a_buffer_is_released_when_a_cycle_is_collected(reader: Any) -> None:
    """The view goes first when its collection comes before the reader's, which crashed CPython before 3.12.7."""
    data = bytearray(b"abc")
    for _ in range(100):
        view = memoryview(data)
        cycle: list[Any] = [view, reader(view)]
        cycle.append(cycle)
    del cycle, view
    gc.collect()
    data.append(0)


@pytest.mark.parametrize("reader", READERS)
def test_initialising_again_changes_the_buffer(reader: Any) -> None:
    first, second = bytearray(b"abc"), bytearray(b"de")
    held = reader(first)
    held.__init__(second)
    first.append(0)
    with pytest.raises(BufferError):
        second.append(0)


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_buffer_is_refused(reader: Any) -> None:
    for wrong in ("text", 5, None):
        with pytest.raises(TypeError):
            reader(wrong)


def test_a_reader_that_was_never_initialised_reads_nothing() -> None:
    if hot.status()["playhead.bits.bit_reader"] != "compiled":
        pytest.skip("interpreted classes have no attributes before __init__")
    for reader, read in ((BitReader, "read_boolean"), (BitReader, "read_varuint32"), (ByteReader, "read_u8")):
        with pytest.raises(TruncatedReplay):
            getattr(reader.__new__(reader), read)()
