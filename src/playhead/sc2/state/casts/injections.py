"""`injections`: which order to inject larvae led to which larvae."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import NamedTuple

#: Injected larvae appear one after another, the first so many loops after the queen injected: most orders of the
#: corpus are 644 to 647 loops before such larvae, in every version.
HATCH_LOOPS = 644
#: Loops between injected larvae, and how many there are at least.
_GAP, _BROOD = 4, 3
#: An order so soon after another for the same hatchery repeats it.
_REPEATED = 22
#: Tolerance in loops; and the longest wait, as the queen may have a long way to go, or other injects before this.
_EARLY, _LATE = 8, 4_000


class Injection(NamedTuple):
    """One inject.

    Attributes:
        start: loop of its order, or without one when it must have begun.
        hatchery: unit tag.
        order: index of its order; None if only larvae show it.
        larvae: loop of its first larva; None if there are none.
    """

    start: int
    hatchery: int
    order: int | None
    larvae: int | None


def broods(loops: Iterable[int]) -> list[int]:
    """Return the first loop of each brood of injected larvae, from the births of a hatchery's larvae."""
    born = sorted(loops)
    present = set(born)
    found: list[int] = []
    for loop in born:
        if found and loop <= found[-1] + _GAP * (_BROOD - 1):
            continue
        if all(loop + _GAP * number in present for number in range(1, _BROOD)):
            found.append(loop)
    return found


def injections(orders: Iterable[tuple[int, int]], hatched: Mapping[int, Iterable[int]]) -> list[Injection]:
    """Return the injects of a game, in order of their starts.

    Args:
        orders: loop and hatchery of each order, in order of time.
        hatched: by hatchery, the loops in which its larvae were born.
    """
    of_hatchery: dict[int, deque[tuple[int, int]]] = {}
    for number, (loop, hatchery) in enumerate(orders):
        queue = of_hatchery.setdefault(hatchery, deque())
        if not queue or loop > queue[-1][0] + _REPEATED:
            queue.append((loop, number))
    found = []
    for hatchery in {**of_hatchery, **dict.fromkeys(hatched)}:
        waiting = of_hatchery.get(hatchery, deque())
        for brood in broods(hatched.get(hatchery, ())):
            latest = brood - HATCH_LOOPS + _EARLY
            while waiting and waiting[0][0] < brood - _LATE:
                loop, number = waiting.popleft()
                found.append(Injection(loop, hatchery, number, None))
            if waiting and waiting[0][0] <= latest:
                loop, number = waiting.popleft()
                found.append(Injection(loop, hatchery, number, brood))
            else:
                found.append(Injection(max(0, brood - HATCH_LOOPS), hatchery, None, brood))
        found += [Injection(loop, hatchery, number, None) for loop, number in waiting]
    return sorted(found, key=lambda each: (each.start, each.hatchery))
