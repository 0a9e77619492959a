"""`CreepReach`: the cells within reach of the sources of creep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
        self._sources: dict[tuple[int, int, int], int] = {}
        self._rows = [0] * SIDE
        self._counts = [0] * SIDE
        #: Rows with more creep, and rows that a source no longer reaches.
        self._grown: set[int] = set()
        self._receded: set[int] = set()

    def add(self, x: float, y: float, radius: int) -> None:
        """Add a source at a position in cells."""
        source = (int(x), int(y), radius)
        if source in self._sources:
            self._sources[source] += 1
        elif len(self._sources) < _MOST_SOURCES:
            self._sources[source] = 1
            rows = _reached(source)
            self._cover(source, rows)
            self._grown.update(rows)

    def remove(self, x: float, y: float, radius: int) -> None:
        """Remove a source; its creep recedes at once."""
        source = (int(x), int(y), radius)
        left = self._sources.get(source, 0) - 1
        if left > 0:
            self._sources[source] = left
        elif left == 0:
            del self._sources[source]
            self._receded.update(_reached(source))

    def _cover(self, source: tuple[int, int, int], rows: Iterable[int]) -> None:
        """Add the creep of a source to rows within its reach."""
        x, y, radius = source
        shift, disc, held = x - radius, _disc(radius), self._rows
        if abs(shift) <= SIDE:
            for row in rows:
                bits = disc[row - y + radius]
                held[row] |= bits << shift if shift >= 0 else bits >> -shift

    @property
    def area(self) -> int:
        """The number of cells."""
        if self._receded:
            for row in self._receded:
                self._rows[row] = 0
            for source in self._sources:
                self._cover(source, self._receded.intersection(_reached(source)))
        for row in self._receded | self._grown:
            self._counts[row] = (self._rows[row] & self._mask(row)).bit_count()
        self._receded.clear()
        self._grown.clear()
        return sum(self._counts)

    def _mask(self, row: int) -> int:
        if self._allowed is None:
            return _WHOLE
        return self._allowed[row] & _WHOLE if row < len(self._allowed) else 0


def _reached(source: tuple[int, int, int]) -> range:
    """Return the rows that a source reaches."""
    _, y, radius = source
    return range(max(0, y - radius), min(SIDE, y + radius + 1))
