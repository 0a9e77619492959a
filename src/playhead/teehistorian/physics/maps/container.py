"""Reads the container of a Teeworlds map: items by type, and compressed blocks.

Format: DDNet's ``engine/shared/datafile.cpp`` and ``game/mapitems.h``. Only requested blocks are
decompressed, to at most the expected size.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from playhead.errors import CorruptReplay

_HEAD = 36
#: Types of items, layers, and flags of layers.
INFO, GROUP, LAYER = 1, 4, 5
TILE_LAYER = 2
#: Flag of a tile layer, place of its block's number in an item with and without a name, bytes of a tile.
LAYERS = {
    "game": (1, 14, 14, 4),
    "front": (8, 20, 17, 4),
    "tele": (2, 18, 15, 2),
    "speedup": (4, 19, 16, 6),
    "switch": (16, 21, 18, 4),
    "tune": (32, 22, 19, 2),
}


class MapContainer:
    """The items and blocks of one file."""

    def __init__(self, data: bytes, name: str) -> None:
        """
        Raises:
            CorruptReplay: the file is no map, or damaged.
        """
        self._data = data
        self._name = name
        if data[:4] not in (b"DATA", b"ATAD"):
            raise self.error("expected a map: the file does not begin with DATA")
        version, _, _, types, items, blocks, item_bytes, _ = self._ints(4, 8)
        if version not in (3, 4):
            raise self.error(f"expected a map of container version 3 or 4, found {version}")
        if min(types, items, blocks, item_bytes) < 0 or 4 * (3 * types + items + blocks) > len(data):
            raise self.error("expected counts that fit the file")
        place = _HEAD + 12 * types
        self._item_offsets = self._ints(place, items)
        place += 4 * items
        self._block_offsets = self._ints(place, blocks)
        place += 4 * blocks
        self._sizes = self._ints(place, blocks) if version == 4 else ()
        self._items = place + 4 * len(self._sizes)
        self._blocks = self._items + item_bytes

    def error(self, text: str) -> CorruptReplay:
        """Return an error that names the file."""
        return CorruptReplay(text, file=self._name)

    def _ints(self, place: int, count: int) -> tuple[int, ...]:
        if place < 0 or count < 0 or place + 4 * count > len(self._data):
            raise self.error(f"expected {count} numbers at byte {place}, the file ends before")
        return struct.unpack_from(f"<{count}i", self._data, place)

    def items(self, kind: int) -> Iterator[tuple[int, ...]]:
        """Yield the items of a type, as numbers."""
        for offset in self._item_offsets:
            key, size = self._ints(self._items + offset, 2)
            if (key >> 16) & 0xFFFF == kind:
                yield self._ints(self._items + offset + 8, size // 4)

    def block(self, number: int, most: int) -> bytes:
        """Return a block, at most `most` bytes of it."""
        if not 0 <= number < len(self._block_offsets):
            raise self.error(f"expected a block below {len(self._block_offsets)}, found {number}")
        begin = self._blocks + self._block_offsets[number]
        ends = [*self._block_offsets[number + 1 : number + 2], len(self._data) - self._blocks]
        end = self._blocks + ends[0]
        if not self._blocks <= begin <= end <= len(self._data):
            raise self.error(f"expected block {number} within the file")
        if not self._sizes:
            return self._data[begin : min(end, begin + most)]
        try:
            return zlib.decompressobj().decompress(self._data[begin:end], most)
        except zlib.error as error:
            raise self.error(f"block {number} is damaged: {error}") from None

    def settings(self) -> tuple[str, ...]:
        """Return the commands that the server runs when it loads the map."""
        for item in self.items(INFO):
            if len(item) > 5 and item[5] >= 0:
                text = self.block(item[5], 1 << 20)
                return tuple(part.decode("utf-8", "replace") for part in text.split(b"\0") if part)
        return ()

    def layers(self, most_tiles: int) -> tuple[int, int, dict[str, bytes]]:
        """Return width, height and the physical layers by the names of `LAYERS`.

        Raises:
            CorruptReplay: there is no game layer, or layers have different sizes.
            OverflowError: there are more than `most_tiles` tiles.
        """
        found: dict[str, tuple[int, ...]] = {}
        for item in self.items(LAYER):
            if len(item) > 14 and item[1] == TILE_LAYER:
                for name, (flag, *_) in LAYERS.items():
                    if item[6] == flag:
                        found[name] = item
        if "game" not in found:
            raise self.error("expected a map with a game layer")
        width, height = found["game"][4:6]
        if width < 1 or height < 1:
            raise self.error(f"expected a map of tiles, found {width} x {height}")
        if width * height > most_tiles:
            raise OverflowError(width * height)
        layers = {}
        for name, item in found.items():
            _, named, unnamed, size = LAYERS[name]
            place = named if item[3] > 2 else unnamed
            if item[4:6] != (width, height) or place >= len(item):
                raise self.error(f"expected all layers of one size, layer {name} has another")
            data = self.block(item[place], width * height * size)
            if name == "game" and item[3] > 3:
                data = _unskipped(data, width * height)
            if len(data) != width * height * size:
                raise self.error(f"expected {width * height} tiles in layer {name}, found {len(data) // size}")
            layers[name] = data
        return width, height, layers


def _unskipped(data: bytes, tiles: int) -> bytes:
    """Return a layer in which each tile said how often it is repeated, with each tile once."""
    found = bytearray()
    for place in range(0, len(data) - 3, 4):
        found += (data[place : place + 2] + b"\0\0") * (data[place + 2] + 1)
        if len(found) >= 4 * tiles:
            break
    return bytes(found[: 4 * tiles])
