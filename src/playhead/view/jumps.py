"""The moments to which the viewer jumps, as ticks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.events import ReplayEvent
    from playhead.presentation import Cluster, EventUnit, Jump


class Jumps:
    """Collects the ticks of each jump of a game.

    Args:
        jumps: the jumps.
        rate: ticks per second.
    """

    def __init__(self, jumps: Sequence[Jump], rate: float) -> None:
        self._rate = rate
        self._found: list[tuple[Jump, list[int]]] = [(jump, []) for jump in jumps]

    def add(self, event: ReplayEvent, unit: EventUnit | None) -> None:
        """Add an event to the jumps that it fits."""
        for jump, ticks in self._found:
            if jump.fits(event, unit):
                ticks.append(event.tick)

    def ticks(self) -> Mapping[str, list[int]]:
        """Return the ticks by name, in order and once each; jumps without ticks are omitted."""
        found = {}
        for jump, ticks in self._found:
            starts = ticks if jump.cluster is None else cluster_starts(ticks, jump.cluster, self._rate)
            if starts:
                found[jump.name] = sorted(set(starts))
        return found


def cluster_starts(ticks: Iterable[int], cluster: Cluster, rate: float) -> list[int]:
    """Return the first tick of each cluster; `ticks` are in order."""
    found: list[int] = []
    group: list[int] = []
    for tick in (*ticks, None):
        if group and (tick is None or tick - group[-1] > cluster.seconds * rate):
            if len(group) >= cluster.least:
                found.append(group[0])
            group = []
        if tick is not None:
            group.append(tick)
    return found
