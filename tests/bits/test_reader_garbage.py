"""Readers hold the buffer of their input; a garbage cycle through one must release it."""

from __future__ import annotations

import gc

import pytest

from playhead.bits import BitReader, ByteReader
from playhead.teehistorian.reader import MessageReader


class Box:
    pass


@pytest.mark.parametrize("reader", [BitReader, ByteReader, MessageReader])
def test_a_cycle_through_a_reader_is_collected_and_the_buffer_released(reader: type) -> None:
    data = bytearray(1000)
    for _ in range(100):
        view = memoryview(data)
        box = Box()
        box.me, box.view, box.reader = box, view, reader(view)  # type: ignore[attr-defined]
    del view, box
    gc.collect()
    data.append(1)  # BufferError while anything still holds the buffer
    assert len(data) == 1001
