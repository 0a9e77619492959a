"""Measures of how somebody plays, as functions of plain lists; where each formula is from stands with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

#: Nobody may have more supply, so that having it all is no block.
MOST_SUPPLY = 200.0


def spending_quotient(collected_a_minute: float, unspent: float) -> float | None:
    """Return how well income is spent: ``35 (0.00137 I - ln U) + 240``.

    The formula is whatthefat's ("Do you macro like a pro?", TeamLiquid, 2011): I is the mean of the rates at which
    minerals and vespene are collected, for a minute of the game's clock; U is the mean of what was not spent. None
    where nothing was collected or nothing was left.
    """
    if collected_a_minute <= 0 or unspent <= 0:
        return None
    return 35 * (0.00137 * collected_a_minute - log(unspent)) + 240


def blocked_spans(
    samples: Sequence[tuple[int, float, float]], changes: Sequence[tuple[int, float, float]]
) -> list[tuple[int, int]]:
    """Return the stretches, in loops, in which a player had no supply left for anything.

    Args:
        samples: loop, supply in use and provided as the game wrote them, ascending.
        changes: loop of each change and both after it, as they were worked out. They show when a block begins and
            ends where they agree with the samples before and after; else the sample after goes for all the time
            since the one before.
    """
    found: list[tuple[int, int]] = []
    at = 0
    now = (0.0, 0.0)
    before: tuple[float, float] | None = None
    start = 0
    for loop, used, made in samples:
        spans = []
        since, held = start, now
        while at < len(changes) and changes[at][0] <= loop:
            when, *after = changes[at]
            if when > since and is_blocked(*held):
                spans.append((since, when))
            if when > since:
                since = when
            held = (after[0], after[1])
            at += 1
        if is_blocked(*held) and loop > since:
            spans.append((since, loop))
        agrees = held == (used, made) and before in (None, now)
        if agrees:
            found += spans
        elif is_blocked(used, made) and loop > start:
            found.append((start, loop))
        start, now, before = loop, held, (used, made)
    return _joined(found)


def is_blocked(used: float, made: float) -> bool:
    """Return whether supply is all in use; with 200 there is none to be had."""
    return made > 0 and used >= made and made < MOST_SUPPLY


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, last in spans:
        if found and found[-1][1] >= first:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def loops_within(spans: Iterable[tuple[int, int]], first: int, last: int) -> int:
    """Return how many loops of the spans lie from `first` to `last`."""
    return sum(max(0, min(end, last) - max(begin, first)) for begin, end in spans)
