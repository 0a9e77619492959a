"""`CloneDeaths`: separates the deaths of clones from those of their hero: Meepo's clones die with him."""

from __future__ import annotations

# Largest distance, in ticks, between the entries of a hero and of its clones.
_WITH_CLONES = 2


class CloneDeaths:
    """Call `is_clone` with every death, in order."""

    def __init__(self) -> None:
        self._last: dict[int, int] = {}

    def is_clone(self, tick: int, player: int) -> bool:
        """Return whether a death follows another one of the same player at the same time."""
        before = self._last.get(player)
        self._last[player] = tick
        return before is not None and tick - before <= _WITH_CLONES
