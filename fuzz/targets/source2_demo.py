"""A whole demo: `open`, tables, entities, a seek and `verify`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from random import Random
from zlib import crc32

import mutation

import playhead
from playhead.bits import ByteWriter
from playhead.errors import ReplayError
from playhead.source2.container.frames import COMPRESSED, FrameIndex, frame_data
from playhead.source2.container.snappy import compress
from targets import LIMITS

TABLES = {"players", "chat", "frames", "messages", "string_tables"}


def fuzz(data: bytes) -> None:
    if data[:8] != b"PBDEMS2\0":
        return
    replay = playhead.open(data, limits=LIMITS)
    info = replay.info
    # Each input runs one query, selected by its bytes: all of them would take five times as long.
    match crc32(data) % 4:
        case 0:
            replay.read_tables(TABLES & replay.tables.keys())
        case 1:
            for _ in replay.events():
                pass
        case 2 if info.duration_ticks:
            replay.at(info.duration_ticks // 2)
        case _:
            replay.verify()
    assert all(str(problem) for problem in replay.problems)


def mutate(data: bytes, random: Random, change: Callable[[bytes, Random], bytes] = mutation.change) -> bytes:
    """Change the content of a frame, and store it with its size corrected."""
    index = FrameIndex()
    view = memoryview(data)
    with contextlib.suppress(ReplayError):
        index.read(view, LIMITS)
    if len(index) < 2:
        return mutation.change(data, random)
    chosen = random.randrange(1, len(index))
    frame = index[chosen]
    try:
        content = bytes(frame_data(view, frame, LIMITS))
    except ReplayError:
        return mutation.change(data, random)
    changed = change(content, random)
    packed = compress(changed) if frame.compressed else changed
    head = ByteWriter()
    head.write_varuint32(frame.command | (COMPRESSED if frame.compressed else 0))
    head.write_varuint32(frame.tick & 0xFFFFFFFF)
    head.write_varuint32(len(packed))
    return data[: frame.offset] + head.to_bytes() + packed + data[frame.payload + frame.size :]
