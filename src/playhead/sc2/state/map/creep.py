"""`CreepReach`: the cells within reach of the sources of creep."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import isqrt

#: Radius of creep around a source, in cells, when it has spread completely.
RADII = {"Hatchery": 12, "Lair": 12, "Hive": 12, "CreepTumor": 10, "CreepTumorQueen": 10, "CreepTumorBurrowed": 10}
#: Sides of maps are at most 256 cells.
SIDE = 256
_WHOLE = (1 << SIDE) - 1
#: A player of a real game has a hundred sources.
_MOST_SOURCES = 512


@cache
def _disc(radius: int) -> tuple[int, ...]:
    """Return the rows of a disc from bottom to top: bits of its cells, from the left end of the middle row."""
    rows = []
    for dy in range(-radius, radius + 1):
        half = isqrt(radius * radius - dy * dy)
        rows.append(((1 << (2 * half + 1)) - 1) << (radius - half))
    return tuple(rows)


class CreepReach:
    """The cells of a map within reach of one player's sources, as bits of a number for each row.

    Args:
        allowed: the cells that can have creep, by row from the bottom; None for all.
    """

    def __init__(self, allowed: Sequence[int] | None = None) -> None:
        self._allowed = allowed
        self._sources: list[tuple[int, int, int]] = []
        self._rows = [0] * SIDE
        self._is_covered = True
        self._area: int | None = 0

    def add(self, x: float, y: float, radius: int) -> None:
        """Add a source at a position in cells."""
        source = (int(x), int(y), radius)
        if len(self._sources) < _MOST_SOURCES:
            self._sources.append(source)
            self._cover(source)
            self._area = None

    def remove(self, x: float, y: float, radius: int) -> None:
        """Remove a source; its creep recedes at once."""
        source = (int(x), int(y), radius)
        if source in self._sources:
            self._sources.remove(source)
            self._is_covered = False
            self._area = None

    def _cover(self, source: tuple[int, int, int]) -> None:
        x, y, radius = source
        shift = x - radius
        if abs(shift) <= SIDE:
            for row, bits in enumerate(_disc(radius), y - radius):
                if 0 <= row < SIDE:
                    self._rows[row] |= bits << shift if shift >= 0 else bits >> -shift

    @property
    def area(self) -> int:
        """The number of cells."""
        if not self._is_covered:
            self._rows = [0] * SIDE
            for each in self._sources:
                self._cover(each)
            self._is_covered = True
        if self._area is None:
            rows = self._rows
            if self._allowed is not None:
                rows = [row & mask for row, mask in zip(rows, self._allowed, strict=False)]
            self._area = sum((row & _WHOLE).bit_count() for row in rows)
        return self._area
