"""Measures of a player's economy from plain lists, each with the source of its formula."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


#: The game's maximum of supply: using all of it is not a block.
MOST_SUPPLY = 200.0


def spending_quotient(collected_a_minute: float, unspent: float) -> float | None:
    """Return the spending quotient ``35 (0.00137 I - ln U) + 240``.

    The formula is whatthefat's ("Do you macro like a pro?", TeamLiquid, 2011): I is the mean collection rate of
    minerals and vespene, per minute of the game's clock; U is the mean of unspent resources. None if no income was
    collected or no resources were left.
    """
    if collected_a_minute <= 0 or unspent <= 0:
        return None
    return 35 * (0.00137 * collected_a_minute - log(unspent)) + 240


def blocked_spans(
    samples: Sequence[tuple[int, float, float]], changes: Sequence[tuple[int, float, float]]
) -> list[tuple[int, int]]:
    """Return the spans of loops in which a player had no free supply.

    Args:
        samples: loop, supply in use and provided as recorded, ascending.
        changes: loop of each computed change, and both supplies after it. They give the start and end of a block
            if they agree with the samples before and after it; otherwise the later sample holds for the whole time
            since the earlier one.
    """
    known = list(changes)
    count, at = len(known), 0
    start = 0
    # Computed supply in use and provided at the last sample, and the recorded supply there.
    now_used = now_made = told_used = told_made = 0.0
    found: list[tuple[int, int]] = []
    for loop, used, made in samples:
        spans: list[tuple[int, int]] = []
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


def _is_blocked(used: float, made: float) -> bool:
    """Return whether all supply is in use. 200 is the limit of supply."""
    return made > 0 and used >= made and made < MOST_SUPPLY


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, last in spans:
        if found and found[-1][1] >= first:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def loops_within(spans: Iterable[tuple[int, int]], first: int, last: int) -> int:
    """Return how many loops of the spans are from `first` to `last`."""
    return sum(max(0, min(end, last) - max(begin, first)) for begin, end in spans)
