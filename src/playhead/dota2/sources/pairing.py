"""Pairs two sources of one event: the end of an entity, and the message that reports it."""

from __future__ import annotations

from collections.abc import Sequence


def pair_nearest(ends: Sequence[int], reports: Sequence[int], within: int) -> dict[int, int]:
    """Pair each of `reports` (ticks) with the nearest of `ends` (ticks), at most `within` ticks away.

    Each item is used at most once, nearest pairs first.

    Returns:
        Indices in `reports` by indices in `ends`.
    """
    order = sorted(range(len(ends)), key=ends.__getitem__)
    pairs = []
    first = 0
    for place in sorted(range(len(reports)), key=reports.__getitem__):
        while first < len(order) and ends[order[first]] < reports[place] - within:
            first += 1
        for at in order[first:]:
            if ends[at] > reports[place] + within:
                break
            pairs.append((abs(ends[at] - reports[place]), ends[at], at, place))
    out: dict[int, int] = {}
    used: set[int] = set()
    for _, _, at, place in sorted(pairs):
        if at not in out and place not in used:
            out[at] = place
            used.add(place)
    return out
