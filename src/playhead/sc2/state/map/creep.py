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
        self._changed: set[int] = set()
        self._counts = [0] * SIDE

    def add(self, x: float, y: float, radius: int) -> None:
        """Add a source at a position in cells."""
        source = (int(x), int(y), radius)
        if len(self._sources) < _MOST_SOURCES:
            self._sources.append(source)
            self._cover(source, self._reached(source))

    def remove(self, x: float, y: float, radius: int) -> None:
        """Remove a source; its creep recedes at once."""
        source = (int(x), int(y), radius)
        if source in self._sources:
            self._sources.remove(source)
            receded = self._reached(source)
            self._changed.update(receded)
            for row in receded:
                self._rows[row] = 0
            for each in self._sources:
                if abs(each[1] - source[1]) <= each[2] + radius:
                    self._cover(each, receded)

    @staticmethod
    def _reached(source: tuple[int, int, int]) -> range:
        """Return the rows that a source reaches."""
        _, y, radius = source
        return range(max(0, y - radius), min(SIDE, y + radius + 1))

    def _cover(self, source: tuple[int, int, int], rows: range) -> None:
        """Add the creep of a source to these rows."""
        x, y, radius = source
        shift, disc = x - radius, _disc(radius)
        reached = self._reached(source)
        reached = range(max(reached.start, rows.start), min(reached.stop, rows.stop))
        if abs(shift) <= SIDE:
            for row in reached:
                bits = disc[row - y + radius]
                self._rows[row] |= bits << shift if shift >= 0 else bits >> -shift
        self._changed.update(reached)

    @property
    def area(self) -> int:
        """The number of cells."""
        for row in self._changed:
            allowed = _WHOLE if self._allowed is None else self._allowed[row] if row < len(self._allowed) else 0
            self._counts[row] = (self._rows[row] & allowed & _WHOLE).bit_count()
        self._changed.clear()
        return sum(self._counts)
