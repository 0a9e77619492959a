"""Measures of how somebody plays, as functions of plain lists; where each formula is from stands with it.
Compiled, since supply changes thousands of times."""

from __future__ import annotations

from math import log
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from playhead.runtime import cython_shim as cython

# stub: from collections.abc import Iterable, Sequence

#: Nobody may have more supply, so that having it all is no block.
MOST_SUPPLY = 200.0
# Here for the compiler.
_MOST = cython.declare(cython.double, MOST_SUPPLY)


# stub: def spending_quotient(collected_a_minute: float, unspent: float) -> float | None: ...
def spending_quotient(collected_a_minute: cython.double, unspent: cython.double) -> object:
    """Return how well income is spent: ``35 (0.00137 I - ln U) + 240``.

    The formula is whatthefat's ("Do you macro like a pro?", TeamLiquid, 2011): I is the mean of the rates at which
    minerals and vespene are collected, for a minute of the game's clock; U is the mean of what was not spent. None
    where nothing was collected or nothing was left.
    """
    if collected_a_minute <= 0 or unspent <= 0:
        return None
    return 35 * (0.00137 * collected_a_minute - log(unspent)) + 240


# stub: def blocked_spans(samples: Sequence[tuple[int, float, float]], changes: Sequence[tuple[int, float, float]]
#     ) -> list[tuple[int, int]]: ...
def blocked_spans(samples: Any, changes: Any) -> list:
    """Return the stretches, in loops, in which a player had no supply left for anything.

    Args:
        samples: loop, supply in use and provided as the game wrote them, ascending.
        changes: loop of each change and both after it, as they were worked out. They show when a block begins and
            ends where they agree with the samples before and after; else the sample after goes for all the time
            since the one before.
    """
    known: list = list(changes)
    count: cython.Py_ssize_t = len(known)
    at: cython.Py_ssize_t = 0
    loop: cython.longlong
    when: cython.longlong
    since: cython.longlong
    start: cython.longlong = 0
    used: cython.double
    made: cython.double
    # Supply in use and provided as it was worked out at the sample before, and since; and by that sample.
    now_used: cython.double = 0
    now_made: cython.double = 0
    held_used: cython.double
    held_made: cython.double
    told_used: cython.double = 0
    told_made: cython.double = 0
    found: list = []
    spans: list
    for loop, used, made in samples:
        spans = []
        since, held_used, held_made = start, now_used, now_made
        while at < count and known[at][0] <= loop:
            when = known[at][0]
            if when > since:
                if _is_blocked(held_used, held_made):
                    spans.append((since, when))
                since = when
            held_used, held_made = known[at][1], known[at][2]
            at += 1
        if _is_blocked(held_used, held_made) and loop > since:
            spans.append((since, loop))
        if held_used == used and held_made == made and told_used == now_used and told_made == now_made:
            found += spans
        elif _is_blocked(used, made) and loop > start:
            found.append((start, loop))
        start, now_used, now_made, told_used, told_made = loop, held_used, held_made, used, made
    return _joined(found)


@cython.cfunc
@cython.exceptval(check=False)
def _is_blocked(used: cython.double, made: cython.double) -> cython.bint:
    """Return whether supply is all in use; with 200 there is none to be had."""
    return made > 0 and used >= made and made < _MOST


@cython.cfunc
def _joined(spans: list) -> list:
    found: list = []
    for first, last in spans:
        if found and found[-1][1] >= first:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


# stub: def loops_within(spans: Iterable[tuple[int, int]], first: int, last: int) -> int: ...
def loops_within(spans: Any, first: cython.longlong, last: cython.longlong) -> int:
    """Return how many loops of the spans lie from `first` to `last`."""
    begin: cython.longlong
    end: cython.longlong
    total: cython.longlong = 0
    for begin, end in spans:
        total += max(0, min(end, last) - max(begin, first))
    return total
