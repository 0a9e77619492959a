"""`ClientDemo`: reads demos of DDNet's client and servers, versions 3 to 6.

Format: DDNet's ``engine/shared/demo.cpp`` and ``snapshot.cpp``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import pairwise
from operator import add
from typing import NamedTuple
from uuid import UUID

from playhead.errors import CorruptReplay, LimitExceeded, TruncatedReplay, UnsupportedVersion
from playhead.teehistorian.physics.demo.huffman import numbers
from playhead.teehistorian.physics.demo.snapshots import MAP_UUID, SIZES, signed

MAGIC = b"TWDEMO\0"
#: Versions that are read: the first with tick markers, and the last.
_FIRST, _LAST = 3, 6
_HEAD = 8 + 64 + 64 + 4 + 4 + 8 + 4 + 20
_MARKERS, _MOST_MARKERS = 4 + 4 * 64, 64
#: Most bytes that a chunk decodes to, and most items of a snapshot.
_MOST_BYTES, _MOST_ITEMS = 1 << 18, 4_096
_SNAPSHOT, _MESSAGE, _DELTA = 1, 2, 3
#: Most items of all snapshots, with those that a difference of a few bytes repeats: of any demo, and a byte.
_MOST_REPEATED, _REPEATED_A_BYTE = 1 << 20, 4

#: Numbers are from minus this on, and below it.
_WRAP = 1 << 31

#: Items by type and id.
Items = dict[tuple[int, int], tuple[int, ...]]


class DemoChunk(NamedTuple):
    """A snapshot (`items`) or a message (`data`) of a tick; `key`: the tick begins a whole snapshot."""

    tick: int
    key: bool
    items: Items | None
    data: bytes


class ClientDemo:
    """A demo in memory.

    Attributes:
        version: of the format.
        net_version, map_name, kind, timestamp: texts of its head; `kind` is client or server.
        seconds: its length, as its head says.
        markers: ticks that somebody marked.
        map_sha256: hash of the map in hex digits; None before version 6.
        map_data: the map's file, empty if it is not inside.
    """

    def __init__(self, data: bytes | memoryview, compressed_size: int | None = None) -> None:
        """Read the head.

        Args:
            data: the demo.
            compressed_size: size of the file, if it was compressed.

        Raises:
            CorruptReplay: it is no demo, or of another version.
            UnsupportedVersion: it is of Teeworlds 0.7.
            TruncatedReplay: the head or the map is cut.
        """
        self._data = bytes(data)
        size = len(data) if compressed_size is None else compressed_size
        self._most_repeated = max(_MOST_REPEATED, _REPEATED_A_BYTE * size)
        if self._data[:7] != MAGIC:
            raise CorruptReplay("expected a demo of DDNet, which begins with TWDEMO", offset=0)
        if len(self._data) < _HEAD:
            raise TruncatedReplay("the head of the demo is cut", offset=len(self._data))
        self.version = self._data[7]
        if not _FIRST <= self.version <= _LAST:
            raise CorruptReplay(f"expected a demo of version {_FIRST} to {_LAST}, got {self.version}", offset=7)
        net, name, size, _, kind, length, time = struct.unpack_from(">64s64sII8sI20s", self._data, 8)
        self.net_version, self.map_name, self.kind, self.timestamp = map(_text, (net, name, kind, time))
        if self.net_version.startswith("0.7"):
            text = "the items of demos of Teeworlds 0.7 are others than those of 0.6 and DDNet, and not known here"
            raise UnsupportedVersion(text, offset=8)
        self.seconds = length
        place = _HEAD
        self.markers: tuple[int, ...] = ()
        if self.version > _FIRST:
            if len(self._data) < place + _MARKERS:
                raise TruncatedReplay("the head of the demo is cut", offset=len(self._data))
            count, *ticks = struct.unpack_from(f">{1 + _MOST_MARKERS}I", self._data, place)
            self.markers = tuple(ticks[:count])
            place += _MARKERS
        self.map_sha256: str | None = None
        if self.version == _LAST and self._data[place : place + 16] == MAP_UUID.bytes:
            self.map_sha256 = self._data[place + 16 : place + 48].hex()
            place += 48
        if place + size > len(self._data):
            raise TruncatedReplay(f"the map of {size} bytes is cut", offset=len(self._data))
        self.map_data = self._data[place : place + size]
        self._place = place + size

    def chunks(self) -> Iterator[DemoChunk]:
        """Yield snapshots and messages in order.

        Raises:
            CorruptReplay: a chunk is damaged.
            TruncatedReplay: the last chunk is cut.
            LimitExceeded: a chunk decodes to too much, or all snapshots to too many items.
        """
        data, place = self._data, self._place
        tick, key, items = -1, False, Items()
        left = self._most_repeated
        while place < len(data):
            start = place
            head, place = data[place], place + 1
            if head & 0x80:
                key = bool(head & 0x40)
                if self.version > 4 and head & 0x20:
                    tick += head & 0x1F
                elif self.version <= 4 and head & 0x3F:
                    tick += head & 0x3F
                else:
                    tick = int.from_bytes(self._taken(place, 4), "big", signed=True)
                    place += 4
                continue
            kind, size = head >> 5 & 3, head & 0x1F
            if size == 30:
                size = self._taken(place, 1)[0]
                place += 1
            elif size == 31:
                size = int.from_bytes(self._taken(place, 2), "little")
                place += 2
            coded = self._taken(place, size)
            place += size
            try:
                values = numbers(coded, _MOST_BYTES)
                if kind == _MESSAGE:
                    yield DemoChunk(tick, key, None, struct.pack(f"<{len(values)}i", *values))
                    continue
                if kind == _SNAPSHOT:
                    items = _whole(values)
                elif kind == _DELTA:
                    items = _changed(items, values)
                else:
                    raise CorruptReplay(f"expected a snapshot, message or difference, got a chunk of type {kind}")
                left -= len(items)
                if left < 0:
                    raise LimitExceeded(f"the snapshots have more than {self._most_repeated} items in all")
            except (CorruptReplay, LimitExceeded) as error:
                error.locate(tick=tick, offset=start)
                raise
            yield DemoChunk(tick, key, items, b"")

    def _taken(self, place: int, size: int) -> bytes:
        found = self._data[place : place + size]
        if len(found) < size:
            raise TruncatedReplay("the last chunk of the demo is cut", offset=place)
        return found


def extended_types(items: Items) -> dict[int, UUID]:
    """Return the UUIDs of the extended types of a snapshot by their numbers."""
    return {
        number: UUID(bytes=struct.pack(">4i", *fields))
        for (kind, number), fields in items.items()
        if kind == 0 and len(fields) == 4
    }


def text_of(fields: tuple[int, ...]) -> str:
    """Return the text of numbers of four characters each, as the game packs names."""
    coded = b"".join(struct.pack(">i", signed(value)) for value in fields)
    return bytes(byte + 128 & 0xFF for byte in coded[:-1]).split(b"\0")[0].decode("utf-8", "replace")


def _text(field: bytes) -> str:
    return field.split(b"\0")[0].decode("utf-8", "replace")


def _key(value: int) -> tuple[int, int]:
    return value >> 16 & 0xFFFF, value & 0xFFFF


def _whole(values: list[int]) -> Items:
    """Return the items of a whole snapshot."""
    if len(values) < 2 or not 0 <= values[1] <= min(_MOST_ITEMS, len(values) - 2):
        raise CorruptReplay("expected the size and the number of items of a snapshot")
    size, count = values[:2]
    offsets, rest = [*values[2 : 2 + count], size], values[2 + count :]
    found = Items()
    for begin, end in pairwise(offsets):
        if not 0 <= begin < end <= 4 * len(rest) or begin % 4 or end % 4:
            raise CorruptReplay(f"expected an item of the snapshot at {begin}, of {4 * len(rest)} bytes")
        kind, *fields = rest[begin // 4 : end // 4]
        found[_key(kind)] = tuple(fields)
    return found


def _changed(items: Items, values: list[int]) -> Items:
    """Return items after a difference."""
    if len(values) < 3 or not 0 <= values[0] <= len(values) - 3 or not 0 <= values[1] <= len(values) - 3:
        raise CorruptReplay("expected the numbers of deleted and of changed items")
    deleted, updated, _, *rest = values
    found = items.copy()
    for value in rest[:deleted]:
        found.pop(_key(value), None)
    place = deleted
    for _ in range(updated):
        kind, number = rest[place : place + 2] if place + 2 <= len(rest) else (-1, -1)
        place += 2
        size = SIZES.get(kind)
        if size is None:
            size = rest[place] if place < len(rest) else -1
            place += 1
        if not (0 <= kind < 1 << 16 and 0 <= number < 1 << 16 and 0 <= size <= len(rest) - place):
            raise CorruptReplay("expected a changed item: its type, id and fields")
        fields = rest[place : place + size]
        place += size
        old = found.get((kind, number))
        if old is not None and len(old) == size:
            fields = list(map(add, old, fields))
            if fields and (min(fields) < -_WRAP or max(fields) >= _WRAP):
                fields = list(map(signed, fields))
        found[kind, number] = tuple(fields)
        if len(found) > _MOST_ITEMS:
            raise LimitExceeded(f"a snapshot has more than {_MOST_ITEMS} items")
    if place != len(rest):
        raise CorruptReplay(f"expected {place} numbers of changed items, found {len(rest)}")
    return found
