"""`engagements_of`: fights, as groups of losses that are close in place and time."""

from __future__ import annotations

from collections.abc import Iterable
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
    given = list(losses)
    group_of = list(range(len(given)))
    groups: dict[int, list[int]] = {}
    recent = 0
    for number, (loop, x, y, *_) in enumerate(given):
        while given[recent].loop < loop - _SOON:
            recent += 1
        group = number
        groups[group] = [number]
        for other in range(max(recent, number - _COMPARED), number):
            if group_of[other] == group:
                continue
            near = given[other]
            if (near.x - x) * (near.x - x) + (near.y - y) * (near.y - y) > _NEAR * _NEAR:
                continue
            first, second = sorted((group, group_of[other]))
            moved = groups.pop(second)
            groups[first] += moved
            for each in moved:
                group_of[each] = first
            group = first
    found = (sorted(members) for _, members in sorted(groups.items()))
    return [[given[number] for number in members] for members in found if len(members) >= _LEAST]
