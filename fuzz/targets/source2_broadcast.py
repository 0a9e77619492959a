"""Broadcasts: the description, then the parts of fragments. The first byte of a part selects its kind."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import mutation
import pieces

from playhead.bits import ByteWriter
from playhead.errors import ReplayError
from playhead.io.fragments import read_description, unpack_part
from playhead.io.stream import Follow
from playhead.source2.container.broadcast import DELTA, FULL, START, BroadcastDemo, fragment_frames
from playhead.source2.container.frames import HEAD_SIZE, FrameIndex
from playhead.source2.messages.packet import server_tick, state_messages
from targets import LIMITS

KINDS = (START, FULL, DELTA, DELTA)
FRAGMENTS = 8


class Parts:
    """The fragments of one input; see `playhead.io.fragments.Fragments`."""

    name = "input"
    follow: Follow | None = None
    whole_on_arrival = True
    trouble = ""

    def __init__(self, reported: bytes, parts: list[bytes]) -> None:
        self._told = reported
        self._parts = {}
        for part in parts:
            if part:
                self._parts[part[0] >> 2 & FRAGMENTS - 1, KINDS[part[0] & 3]] = part[1:]
        self.received = sum(map(len, parts))
        self._has_all = bool(len(parts) & 1)

    def describe(self) -> Mapping[str, Any] | None:
        return read_description(self._told)

    def part(self, number: int, kind: str) -> bytes | None:
        found = self._parts.get((number, kind))
        return None if found is None else unpack_part(found, LIMITS.fragment, kind)

    def has_all(self) -> bool:
        return self._has_all

    def newest(self) -> int | None:
        return max((number for number, _ in self._parts), default=None)


def fuzz(data: bytes) -> None:
    reported, *parts = pieces.split(data) or [b""]
    lost: list[tuple[ReplayError, str]] = []
    fragments = Parts(reported, parts)
    demo = BroadcastDemo(fragments, LIMITS, state_messages, server_tick, lambda *error: lost.append(error))
    out = bytearray()
    for piece in demo.pieces():
        if not piece:
            break
        out += piece
    # The result is always a demo, and each of its frames has a place.
    index = FrameIndex()
    index.read(memoryview(bytes(out)), LIMITS)
    assert all(demo.place(frame.offset) is not None for frame in index)
    assert demo.place(HEAD_SIZE - 1) is None
    assert all(str(error) and cost for error, cost in lost)


def mutate(data: bytes, random: Random) -> bytes:
    """Drop, repeat, move or change a part; or change a frame of one, with its size corrected."""
    reported, *parts = pieces.split(data) or [b"{}"]
    if not parts or random.random() < 0.1:
        return pieces.join([mutation.change(reported, random), *parts])
    chosen = random.randrange(len(parts))
    match random.randrange(5):
        case 0:
            del parts[chosen]
        case 1:
            parts.append(bytes([random.randrange(256)]) + parts[chosen][1:])
        case 2:
            parts[chosen] = parts[chosen][:1] + mutation.change(parts[chosen][1:], random)
        case _:
            parts[chosen] = parts[chosen][:1] + _changed_frame(parts[chosen][1:], random)
    return pieces.join([reported, *parts])


def _changed_frame(part: bytes, random: Random) -> bytes:
    frames = []
    try:
        for frame in fragment_frames(part, LIMITS):
            frames.append(frame)
    except ReplayError:
        pass
    if not frames:
        return mutation.change(part, random)
    frame = random.choice(frames)
    content = mutation.change(frame.payload, random)
    end = frame.offset
    head = ByteWriter()
    head.write_varuint32(frame.command | (0x40 if frame.compressed else 0))
    head.write_u32(frame.tick)
    head.write_u8(0)
    head.write_u32(len(content))
    behind = next((other.offset for other in frames if other.offset > end), len(part))
    return part[:end] + head.to_bytes() + content + part[behind:]
