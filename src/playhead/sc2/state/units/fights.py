"""`engagements_of`: fights, as groups of losses that are close in place and time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from math import hypot
from typing import NamedTuple

#: Losses of one engagement are at most so many cells and loops from another of it, and there are so many of them.
_NEAR, _SOON, _LEAST = 16.0, 224, 3
#: A loss is compared with so many before it: no real game has more of them within `_SOON`.
_COMPARED = 256


class Loss(NamedTuple):
    """A unit that another player killed: loop, x and y in cells, its owner, its type and the killer."""

    loop: int
    x: float
    y: float
    player: int
    unit_type: str
    killer: int


def engagements_of(losses: Iterable[Loss]) -> list[list[Loss]]:
    """Return the engagements, in order of their first losses, with their losses in the given order.

    Args:
        losses: in order of time.
    """
    leaders: list[int] = []
    given: list[Loss] = []
    recent: deque[int] = deque(maxlen=_COMPARED)
    for number, loss in enumerate(losses):
        given.append(loss)
        leaders.append(number)
        while recent and given[recent[0]].loop < loss.loop - _SOON:
            recent.popleft()
        for other in recent:
            if hypot(given[other].x - loss.x, given[other].y - loss.y) <= _NEAR:
                one, two = _leader(leaders, other), _leader(leaders, number)
                leaders[max(one, two)] = min(one, two)
        recent.append(number)
    groups: dict[int, list[Loss]] = {}
    for number, loss in enumerate(given):
        groups.setdefault(_leader(leaders, number), []).append(loss)
    return [group for group in groups.values() if len(group) >= _LEAST]


def _leader(leaders: list[int], number: int) -> int:
    while leaders[number] != number:
        leaders[number] = leaders[leaders[number]]
        number = leaders[number]
    return number
