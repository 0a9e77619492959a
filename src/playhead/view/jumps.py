"""The moments to which the viewer jumps and on which it opens, as ticks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playhead.events import ReplayEvent
    from playhead.presentation import Cluster, EventUnit, Jump, Opening


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


class Openings:
    """Collects the ticks of the moments on which the viewer may open; arguments as for `Jumps`."""

    def __init__(self, openings: Sequence[Opening], rate: float) -> None:
        self._rate = rate
        self._found: list[tuple[Opening, list[int]]] = [(opening, []) for opening in openings]

    def add(self, event: ReplayEvent, unit: EventUnit | None) -> None:
        """Add an event to the moments that it fits."""
        for opening, ticks in self._found:
            if opening.fits(event, unit):
                ticks.append(event.tick)

    def best(self, first: int) -> dict[str, Any] | None:
        """Return tick and label of the first moment that the recording has, not before tick `first`; else None."""
        for opening, ticks in self._found:
            if ticks:
                start = max(ticks) if opening.pick == "last" else densest(ticks, opening.within * self._rate)
                return {"tick": max(first, start - round(opening.before * self._rate)), "label": opening.label}
        return None


def densest(ticks: Iterable[int], within: float) -> int:
    """Return the tick, of at least one, from which on the most others follow within `within` ticks; of several,
    the last, since matches become livelier."""
    order = sorted(ticks)
    end = most = best = 0
    for place, tick in enumerate(order):
        while end < len(order) and order[end] <= tick + within:
            end += 1
        if end - place >= most:
            most, best = end - place, place
    return order[best]


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
