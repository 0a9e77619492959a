"""`SnapshotWriter`: writes a demo of DDNet's client, version 6: snapshots, messages and the map.

Format: DDNet's ``engine/shared/demo.cpp`` and ``snapshot.cpp``.
"""

from __future__ import annotations

import struct
import zlib
from typing import BinaryIO
from uuid import UUID, uuid3

from playhead.teehistorian.physics.demo.huffman import compress

#: Sizes of item types that both ends know, in numbers; of other types each item says its size.
SIZES = {
    1: 10,
    2: 6,
    3: 5,
    4: 4,
    5: 3,
    6: 8,
    7: 4,
    8: 15,
    9: 22,
    10: 5,
    11: 17,
    12: 3,
    13: 2,
    14: 2,
    15: 2,
    16: 2,
    17: 3,
    18: 3,
    19: 3,
    20: 3,
}
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


def type_items(names: tuple[str, ...]) -> Items:
    """Return the items that say which extended type has which number."""
    return {
        _FIRST_EXTENDED - place: struct.unpack(">4i", uuid3(NAMESPACE, name).bytes)
        for place, name in enumerate(names)
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
        values += [_signed(key), *fields]
        offset += 4 * (1 + len(fields))
    return [offset, len(items), *offsets, *values]


def _difference(before: Items, items: Items) -> list[int]:
    deleted = [_signed(key) for key in before if key not in items]
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
        values += fields if old is None else [_signed(new - was) for new, was in zip(fields, old, strict=True)]
    return [len(deleted), changed, 0, *deleted, *values]


def _signed(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
