"""`SnapshotWriter`: writes a demo of DDNet's client, version 6: snapshots, messages and the map.

Format: DDNet's ``engine/shared/demo.cpp`` and ``snapshot.cpp``.
"""

from __future__ import annotations

import struct
import zlib
from functools import cache
from typing import BinaryIO
from uuid import UUID, uuid3

_END = 256
_FREQUENCIES = (
    1 << 30,
    *map(
        int,
        """
        4545 2657 431 1950 919 444 482 2244 617 838 542 715 1814 304 240 754 212 647 186 283 131 146 166 543
        164 167 136 179 859 363 113 157 154 204 108 137 180 202 176 872 404 168 134 151 111 113 109 120 126
        129 100 41 20 16 22 18 18 17 19 16 37 13 21 362 166 99 78 95 88 81 70 83 284 91 187 77 68 52 68 59
        66 61 638 71 157 50 46 69 43 11 24 13 19 10 12 12 20 14 9 20 20 10 10 15 15 12 12 7 19 15 14 13 18
        35 19 17 14 8 5 15 17 9 15 14 18 8 10 2173 134 157 68 188 60 170 60 194 62 175 71 148 67 167 78 211
        67 156 69 1674 90 174 53 147 89 181 51 174 63 163 80 167 94 128 122 223 153 218 77 200 110 190 73
        174 69 145 66 277 143 141 60 136 53 180 57 142 57 158 61 166 112 152 92 26 22 21 28 20 26 30 21 32
        27 20 17 23 21 30 22 22 21 27 25 17 27 23 18 39 26 15 21 12 18 18 27 20 18 15 19 11 17 33 12 18 15
        19 18 16 26 17 18 9 10 25 22 22 17 20 16 6 16 15 20 14 18 24 335 1517
        """.split(),
    ),
)


@cache
def codes() -> tuple[tuple[int, int], ...]:
    """Return (bits, number of bits) of each byte and of the end; the lowest bit comes first."""
    weights = [*_FREQUENCIES[:_END], 1]
    nodes: list[tuple[int, int] | int] = list(range(_END + 1))
    left = sorted(range(_END + 1), key=lambda node: -weights[node])
    while len(left) > 1:
        one, other = left.pop(), left.pop()
        weights.append(weights[one] + weights[other])
        nodes.append((one, other))
        left.append(len(nodes) - 1)
        left.sort(key=lambda node: -weights[node])
    found = [(0, 0)] * (_END + 1)
    waiting = [(left[0], 0, 0)]
    while waiting:
        node, bits, depth = waiting.pop()
        below = nodes[node]
        if isinstance(below, int):
            found[below] = (bits, depth)
        else:
            waiting += [(below[0], bits, depth + 1), (below[1], bits | 1 << depth, depth + 1)]
    return tuple(found)


def compress(data: bytes) -> bytes:
    """Return the coded bytes, with the end."""
    table = codes()
    value = place = 0
    done = bytearray()
    for byte in data:
        bits, count = table[byte]
        value |= bits << place
        place += count
        if place > 255:
            done += (value & (1 << 248) - 1).to_bytes(31, "little")
            value >>= 248
            place -= 248
    bits, count = table[_END]
    value |= bits << place
    return bytes(done) + value.to_bytes((place + count) // 8 + 1, "little")


#: Sizes of item types that both ends know, in numbers; of other types each item says its size.
SIZES = dict(enumerate((10, 6, 5, 4, 3, 8, 4, 15, 22, 5, 17, 3, 2, 2, 2, 2, 3, 3, 3, 3), 1))
#: Namespace of the UUIDs of extended items and messages, and number of the first extended type.
NAMESPACE = UUID("e05ddaaa-c4e6-4cfb-b642-5d48e80c0029")
_FIRST_EXTENDED = 0x7FFF
#: Most items and bytes of a snapshot, and ticks between two whole ones.
MOST_ITEMS, MOST_BYTES, KEYFRAME_TICKS = 1024, 1 << 16, 250
_NET_VERSION = b"0.6 626fce9a778df4d4"
_MAP_UUID = UUID("6be6da4a-cebd-380c-9b5b-1289c842d780")
_SNAPSHOT, _MESSAGE, _DELTA = 1, 2, 3
_LENGTH_PLACE = 8 + 64 + 64 + 4 + 4 + 8

#: An item's key is its type << 16 | its id.
Items = dict[int, tuple[int, ...]]


def extended_type(names: tuple[str, ...], name: str) -> int:
    """Return the number of an extended type: they count down, in the order of `names`."""
    return _FIRST_EXTENDED - names.index(name)


def type_items(names: tuple[str, ...], items: Items) -> Items:
    """Return the items that say which number each extended type among `items` has."""
    used = {key >> 16 for key in items}
    return {
        number: struct.unpack(">4i", uuid3(NAMESPACE, name).bytes)
        for number, name in zip(range(_FIRST_EXTENDED, 0, -1), names, strict=False)
        if number in used
    }


def pack(value: int) -> bytes:
    """Return a number in one to five bytes, as in teehistorian files."""
    sign, value = (0x40, ~value) if value < 0 else (0, value)
    first, value = sign | value & 0x3F, value >> 6
    found = bytearray()
    while value:
        found.append(first | 0x80)
        first, value = value & 0x7F, value >> 7
    return bytes(found) + bytes([first])


_SMALL = {value: pack(value) for value in range(-64, 512)}


class SnapshotWriter:
    """Writes to an open file; `close` completes the head."""

    def __init__(self, file: BinaryIO, map_name: str, map_data: bytes, map_sha256: str, timestamp: str) -> None:
        self._file = file
        self._first: int | None = None
        self._tick = self._key_tick = -1
        self._last: Items = {}
        name = map_name.encode()[:63]
        file.write(b"TWDEMO\0\6" + _NET_VERSION.ljust(64, b"\0") + name.ljust(64, b"\0"))
        file.write(
            struct.pack(">II8sI20s", len(map_data), zlib.crc32(map_data), b"server", 0, timestamp.encode()[:19])
        )
        file.write(bytes(4 + 4 * 64))
        file.write(_MAP_UUID.bytes + bytes.fromhex(map_sha256) + map_data)

    def snapshot(self, tick: int, items: Items) -> None:
        """Write the items of a tick, as differences but for every fifth second.

        Raises:
            ValueError: there are more than `MOST_ITEMS`.
        """
        if len(items) > MOST_ITEMS:
            raise ValueError(f"expected at most {MOST_ITEMS} items, got {len(items)}")
        if self._first is None:
            self._first = tick
        key = self._key_tick < 0 or tick - self._key_tick > KEYFRAME_TICKS
        if key or tick - self._tick > 0x1F:
            self._file.write(struct.pack(">BI", 0xC0 if key else 0x80, tick))
        else:
            self._file.write(bytes([0xA0 | tick - self._tick]))
        self._tick = tick
        if key:
            self._key_tick = tick
            self._chunk(_SNAPSHOT, _whole(items))
        elif items != self._last:
            self._chunk(_DELTA, _difference(self._last, items))
        self._last = items

    def message(self, data: bytes) -> None:
        """Write a message; it belongs to the tick of the last snapshot."""
        data += bytes(-len(data) % 4)
        self._chunk(_MESSAGE, list(struct.unpack(f"<{len(data) // 4}i", data)))

    def close(self) -> None:
        """Write the length into the head."""
        length = 0 if self._first is None else (self._tick - self._first) // 50
        self._file.seek(_LENGTH_PLACE)
        self._file.write(struct.pack(">I", length))

    def _chunk(self, kind: int, values: list[int]) -> None:
        data = compress(b"".join([_SMALL.get(value) or pack(value) for value in values]))
        size = len(data)
        head = kind << 5
        if size < 30:
            self._file.write(bytes([head | size]))
        elif size < 256:
            self._file.write(bytes([head | 30, size]))
        else:
            self._file.write(struct.pack("<BH", head | 31, size))
        self._file.write(data)


def _whole(items: Items) -> list[int]:
    offsets, values, offset = [], [], 0
    for key, fields in items.items():
        offsets.append(offset)
        values += [signed(key), *fields]
        offset += 4 * (1 + len(fields))
    return [offset, len(items), *offsets, *values]


def _difference(before: Items, items: Items) -> list[int]:
    deleted = [signed(key) for key in before if key not in items]
    changed = 0
    values: list[int] = []
    for key, fields in items.items():
        old = before.get(key)
        if old == fields:
            continue
        changed += 1
        kind = key >> 16
        values += [kind, key & 0xFFFF]
        if kind not in SIZES:
            values.append(len(fields))
        values += fields if old is None else [signed(new - was) for new, was in zip(fields, old, strict=True)]
    return [len(deleted), changed, 0, *deleted, *values]


def signed(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
