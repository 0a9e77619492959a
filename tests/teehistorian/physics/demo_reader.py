"""A reader of demos of version 6, made for these tests alone."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from playhead.teehistorian.physics.demo.snapshots import SIZES, codes

HEAD = 8 + 64 + 64 + 4 + 4 + 8 + 4 + 20 + 4 + 4 * 64 + 16 + 32

Items = dict[tuple[int, int], tuple[int, ...]]


class Chunk(NamedTuple):
    """A snapshot (`items` by type and id) or a message (`data`) of a tick; `key`: it begins a whole snapshot."""

    tick: int
    key: bool
    items: Items | None
    data: bytes


@cache
def _symbols() -> dict[int, int]:
    """Symbols by the bits of their codes, below a bit that is set."""
    return {bits | 1 << count: symbol for symbol, (bits, count) in enumerate(codes())}


def expand(data: bytes) -> bytes:
    """Decode Huffman coding, bit by bit."""
    symbol_of = _symbols().get
    found = bytearray()
    bits, end = 0, 1
    for byte in data:
        for place in range(8):
            if byte >> place & 1:
                bits |= end
            end <<= 1
            symbol = symbol_of(bits | end)
            if symbol == 256:
                return bytes(found)
            if symbol is not None:
                found.append(symbol)
                bits, end = 0, 1
    raise AssertionError("the end is missing")


def numbers(data: bytes) -> list[int]:
    """Decode numbers of one to five bytes."""
    found = []
    place = 0
    while place < len(data):
        byte = data[place]
        sign, value, shift = byte & 0x40, byte & 0x3F, 6
        while byte & 0x80:
            place += 1
            byte = data[place]
            value |= (byte & 0x7F) << shift
            shift += 7
        place += 1
        found.append(~value if sign else value)
    return found


def read_demo(path: Path) -> Iterator[Chunk]:
    """Yield snapshots and messages in order."""
    data = path.read_bytes()
    assert data[:8] == b"TWDEMO\0\6"
    place = HEAD + int.from_bytes(data[136:140], "big")
    tick, key, items = -1, False, Items()
    while place < len(data):
        head = data[place]
        place += 1
        if head & 0x80:
            key = bool(head & 0x40)
            if head & 0x20:
                tick += head & 0x1F
            else:
                tick = int.from_bytes(data[place : place + 4], "big")
                place += 4
            continue
        size = head & 0x1F
        if size == 30:
            size = data[place]
            place += 1
        elif size == 31:
            size = int.from_bytes(data[place : place + 2], "little")
            place += 2
        values = numbers(expand(data[place : place + size]))
        place += size
        if head >> 5 == 2:
            yield Chunk(tick, key, None, struct.pack(f"<{len(values)}i", *values))
        else:
            items = whole(values) if head >> 5 == 1 else changed(items, values)
            yield Chunk(tick, key, items, b"")


def whole(values: list[int]) -> Items:
    """Return the items of a whole snapshot."""
    size, count, *rest = values
    offsets, rest = [*rest[:count], size], rest[count:]
    found = Items()
    for begin, end in pairwise(offsets):
        kind, *fields = rest[begin // 4 : end // 4]
        found[kind >> 16 & 0xFFFF, kind & 0xFFFF] = tuple(fields)
    return found


def changed(items: Items, values: list[int]) -> Items:
    """Return items after a difference."""
    deleted, updated, _, *rest = values
    gone = {(key >> 16 & 0xFFFF, key & 0xFFFF) for key in rest[:deleted]}
    found = {key: fields for key, fields in items.items() if key not in gone}
    place = deleted
    for _ in range(updated):
        kind, number = rest[place : place + 2]
        place += 2
        size = SIZES.get(kind)
        if size is None:
            size = rest[place]
            place += 1
        fields = rest[place : place + size]
        place += size
        old = found.get((kind, number), (0,) * size)
        sums = (a + b for a, b in zip(old, fields, strict=True))
        found[kind, number] = tuple((each + (1 << 31)) % (1 << 32) - (1 << 31) for each in sums)
    assert place == len(rest)
    return found
