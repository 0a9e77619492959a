"""`engagements_of`: fights, as groups of losses that are close in place and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    # The losses of each engagement by its first one, ascending; `open_` are those that may go on.
    groups: dict[int, list[int]] = {}
    open_: dict[int, list[int]] = {}
    for number, (loop, x, y, *_) in enumerate(given):
        since, oldest = loop - _SOON, max(0, number - _COMPARED)
        near = []
        for first, others in list(open_.items()):
            if given[others[-1]].loop < since:
                del open_[first]
            elif _is_near(given, others, since, x, y, oldest):
                near.append(first)
        group = min(near, default=number)
        members = groups.get(group, [])
        for first in near:
            if first != group:
                members += groups.pop(first)
                del open_[first]
        if len(near) > 1:
            members.sort()
        members.append(number)
        groups[group] = open_[group] = members
    found = [members for _, members in sorted(groups.items()) if len(members) >= _LEAST]
    return [[given[number] for number in members] for members in found]


def _is_near(given: Sequence[Loss], members: Sequence[int], since: int, x: float, y: float, oldest: int) -> bool:
    """Return whether one of the members, the latest first, is recent and near a place."""
    for number in reversed(members):
        other = given[number]
        if number < oldest or other.loop < since:
            return False
        if (other.x - x) * (other.x - x) + (other.y - y) * (other.y - y) <= _NEAR * _NEAR:
            return True
    return False
