"""The terrain of a map's own file: cliffs, heights and painted pathing.

All numbers are little-endian, and rows go from the bottom of the map to its top. The layouts are those that
several open tools for maps agree on:

* ``t3SyncCliffLevel``: ``CLIF``, version, width, height, 16 bytes; then a level for each cell. Plateaus are
  multiples of 64, ramps are between them, 0 is outside of the playable ground.
* ``t3SyncHeightMap``: ``SMAP``, version, width, height, 48 bytes; then for each corner of a cell its height in
  1/256 levels (int16) and a mask.
* ``CellAttribute_Pnp``: four bytes; then a byte for each cell, 0 where nothing is painted: other values forbid
  walking or building.
"""

from __future__ import annotations

import struct
import sys
from array import array

from playhead.errors import CorruptReplay, LimitExceeded, TruncatedReplay
from playhead.runtime.records import dataclass

CLIFFS, HEIGHTS, PAINTED = "t3SyncCliffLevel", "t3SyncHeightMap", "CellAttribute_Pnp"
#: The game's largest map has 256 cells at a side, and 257 corners.
_MOST_SIDE = 257
_CLIFF_HEADER, _HEIGHT_HEADER, _PAINTED_HEADER = 32, 64, 4
#: Levels of neighbours between which units walk differ by at most so much, except on ramps' edges.
WALKABLE_STEP = 8
PLATEAU = 64


@dataclass(frozen=True, slots=True)
class Terrain:
    """The ground of a map, cell by cell from the lower left, row by row.

    Attributes:
        width, height: in cells.
        cliffs: level of each cell; 0 is outside of the playable ground.
        heights: height of each corner in cells, as ``z`` of orders, ``width + 1`` in a row; None if missing.
        painted: bytes of painted pathing, 0 where nothing is painted; None if missing.
    """

    width: int
    height: int
    cliffs: array[int]
    heights: array[float] | None
    painted: bytes | None

    def ground(self, x: int, y: int) -> bool:
        """Return whether a cell has ground without painted pathing."""
        place = y * self.width + x
        return bool(self.cliffs[place]) and not (self.painted is not None and self.painted[place])

    def is_ramp(self, x: int, y: int) -> bool:
        """Return whether a cell is between two plateaus."""
        return self.cliffs[y * self.width + x] % PLATEAU != 0

    def is_edge(self, x: int, y: int) -> bool:
        """Return whether a cell is beside a cliff."""
        level = self.cliffs[y * self.width + x]
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            column, row = x + dx, y + dy
            if 0 <= column < self.width and 0 <= row < self.height:
                step = abs(self.cliffs[row * self.width + column] - level)
                if step > WALKABLE_STEP and not (self.is_ramp(x, y) and self.is_ramp(column, row)):
                    return True
        return False

    def ground_rows(self) -> list[int]:
        """Return the cells with ground as bits of a number for each row, from the bottom."""
        rows = []
        for y in range(self.height):
            row = 0
            for x in range(self.width):
                row |= self.ground(x, y) << x
            rows.append(row)
        return rows

    def as_dict(self) -> dict[str, int]:
        """Return the facts of the terrain, JSON-ready."""
        plateaus = {level for level in self.cliffs if level and level % PLATEAU == 0}
        return {"width": self.width, "height": self.height, "plateaus": len(plateaus)}


def _sides(data: bytes, magic: bytes, header: int, size: int) -> tuple[int, int]:
    """Return width and height of a grid, whose cells have `size` bytes each."""
    if len(data) < header:
        raise TruncatedReplay(f"expected {header} bytes, found {len(data)}", offset=len(data))
    if data[:4] != magic:
        raise CorruptReplay(f"expected {magic!r}, found {data[:4]!r}", offset=0)
    width, height = struct.unpack_from("<2I", data, 8)
    if not (0 < width <= _MOST_SIDE and 0 < height <= _MOST_SIDE):
        raise LimitExceeded(f"expected sides of 1 to {_MOST_SIDE}, found {width} x {height}", offset=8)
    if len(data) < header + width * height * size:
        raise TruncatedReplay(
            f"expected {width} x {height} values, found {len(data) - header} bytes", offset=header
        )
    return width, height


def _numbers(code: str, data: bytes) -> array[int]:
    found: array[int] = array(code, data)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def read_cliffs(data: bytes) -> tuple[int, int, array[int]]:
    """Decode ``t3SyncCliffLevel``: width, height and the level of each cell.

    Raises:
        CorruptReplay, TruncatedReplay, LimitExceeded: it is not that.
    """
    width, height = _sides(data, b"CLIF", _CLIFF_HEADER, 2)
    return width, height, _numbers("H", data[_CLIFF_HEADER : _CLIFF_HEADER + width * height * 2])


def read_heights(data: bytes) -> tuple[int, int, array[float]]:
    """Decode ``t3SyncHeightMap``: number of corners in a row, of rows, and the height of each corner in levels.

    Raises:
        CorruptReplay, TruncatedReplay, LimitExceeded: it is not that.
    """
    width, height = _sides(data, b"SMAP", _HEIGHT_HEADER, 4)
    pairs = _numbers("h", data[_HEIGHT_HEADER : _HEIGHT_HEADER + width * height * 4])
    return width, height, array("d", [value / 256 for value in pairs[::2]])


def terrain_of(
    cliffs: tuple[int, int, array[int]] | None,
    heights: tuple[int, int, array[float]] | None,
    painted: bytes | None,
) -> Terrain | None:
    """Return the terrain of a map; None without cliffs. Parts of another size are skipped."""
    if cliffs is None:
        return None
    width, height, levels = cliffs
    fits = heights is not None and heights[:2] == (width + 1, height + 1)
    body = None if painted is None else painted[_PAINTED_HEADER:]
    return Terrain(
        width,
        height,
        levels,
        heights[2] if heights is not None and fits else None,
        body if body is not None and len(body) == width * height else None,
    )
