"""`SnapshotWriter`: writes a demo of DDNet's client, version 6: snapshots, messages and the map.

Format: DDNet's ``engine/shared/demo.cpp`` and ``snapshot.cpp``.
"""

from __future__ import annotations

import struct
import zlib
from typing import BinaryIO
from uuid import UUID, uuid3

from playhead.teehistorian.physics.demo.huffman import coded

#: Sizes of item types that both ends know, in numbers; of other types each item says its size.
SIZES = dict(enumerate((10, 6, 5, 4, 3, 8, 4, 15, 22, 5, 17, 3, 2, 2, 2, 2, 3, 3, 3, 3), 1))
#: Namespace of the UUIDs of extended items and messages, and number of the first extended type.
NAMESPACE = UUID("e05ddaaa-c4e6-4cfb-b642-5d48e80c0029")
_FIRST_EXTENDED = 0x7FFF
#: Most items and bytes of a snapshot, and ticks between two whole ones.
MOST_ITEMS, MOST_BYTES, KEYFRAME_TICKS = 1024, 1 << 16, 250
_NET_VERSION = b"0.6 626fce9a778df4d4"
MAP_UUID = UUID("6be6da4a-cebd-380c-9b5b-1289c842d780")
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
        file.write(MAP_UUID.bytes + bytes.fromhex(map_sha256) + map_data)

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
        data = coded(values)
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


def packed_text(text: str, count: int) -> tuple[int, ...]:
    """Return a text as so many numbers of four characters, as the game packs names."""
    data = text.encode()[: 4 * count - 1].decode("utf-8", "ignore").encode().ljust(4 * count, b"\0")
    coded = bytearray(byte + 128 & 0xFF for byte in data)
    coded[-1] = 0
    return tuple(int.from_bytes(coded[place : place + 4], "big", signed=True) for place in range(0, 4 * count, 4))


def looks(skin: str | None, colors: tuple[int, int] | None) -> tuple[int, ...]:
    """Return a skin as nine numbers: its packed name, whether it is coloured, and the colours of body and feet."""
    name = packed_text((skin or "default").split(" ")[0], 6)
    return (*name, *((1, *map(signed, colors)) if colors else (0, 0, 0)))
