"""Putting together what two sources tell of the same thing: an entity gone, and a message that says why."""

from __future__ import annotations

from collections.abc import Sequence


def pair_nearest(ends: Sequence[int], told: Sequence[int], within: int) -> dict[int, int]:
    """For each of `told` (ticks) the one of `ends` (ticks) that lies nearest, at most `within` ticks away; each of
    both is used once, nearest pairs first.

    Returns:
        Places in `told` by places in `ends`.
    """
    order = sorted(range(len(ends)), key=ends.__getitem__)
    pairs = []
    first = 0
    for place in sorted(range(len(told)), key=told.__getitem__):
        while first < len(order) and ends[order[first]] < told[place] - within:
            first += 1
        for at in order[first:]:
            if ends[at] > told[place] + within:
                break
            pairs.append((abs(ends[at] - told[place]), ends[at], at, place))
    out: dict[int, int] = {}
    used: set[int] = set()
    for _, _, at, place in sorted(pairs):
        if at not in out and place not in used:
            out[at] = place
            used.add(place)
    return out
