"""Measures of how somebody plays, as functions of plain lists; where each formula is from stands with it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Any

#: A camera that moves so many cells at once shows another screen, as zephyrus-sc2-parser counts them.
SCREEN_CELLS = 15.0
#: A fixation ends when the camera is more than so many cells from where it began, and counts if it lasted longer
#: than so many loops: the dispersion threshold of Thompson et al. (2013), with the numbers of zephyrus-sc2-parser.
FIXATION_CELLS = 6.0
FIXATION_LOOPS = 4
#: An action that repeats the one before within so many loops has no effect of its own (Sc2gears' EAPM).
REPEAT_LOOPS = 10
#: A selection that is replaced within so many loops was not used (Sc2gears' EAPM).
RESELECT_LOOPS = 8
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


@dataclass(frozen=True, slots=True)
class Cycle:
    """A perception-action cycle: the camera rests from `first` to `last` and the player acts at the loops of
    `actions`."""

    first: int
    last: int
    actions: tuple[int, ...]


def screens(moves: Sequence[tuple[int, float, float]]) -> list[int]:
    """Return the loops at which the camera jumped to another screen; `moves` are loop, x and y in cells."""
    found = []
    for (_, x, y), (loop, next_x, next_y) in pairwise(moves):
        if (next_x - x) ** 2 + (next_y - y) ** 2 >= SCREEN_CELLS**2:
            found.append(loop)
    return found


def perception_action_cycles(moves: Sequence[tuple[int, float, float]], actions: Sequence[int]) -> list[Cycle]:
    """Return the fixations of the camera in which the player acted at least once.

    After Thompson, Blair, Chen and Henrey, "Video Game Telemetry as a Critical Tool in the Study of Complex Skill
    Learning", PLoS ONE 8(9), 2013. One that the end of the game cuts off is left out.

    Args:
        moves: loop, x and y in cells of the camera, ascending.
        actions: loops of the player's actions, ascending.
    """
    found: list[Cycle] = []
    at = 0
    if not moves:
        return found
    first, first_x, first_y = moves[0]
    for loop, x, y in moves:
        if (x - first_x) ** 2 + (y - first_y) ** 2 <= FIXATION_CELLS**2:
            continue
        at = bisect_left(actions, first, at)
        end = bisect_left(actions, loop, at)
        if loop - first > FIXATION_LOOPS and end > at:
            found.append(Cycle(first, loop, tuple(actions[at:end])))
        at = end
        first, first_x, first_y = loop, x, y
    return found


#: Something that a user did: loop, kind (command, update, selection or group), and what is the same for two
#: actions that would do the same.
Action = tuple[int, str, Any]


def effective(actions: Iterable[Action]) -> list[int]:
    """Return the loops of the actions that have an effect of their own.

    After the EAPM of András Belicza's BWHF and Sc2gears: not counted are an order or a use of a group that repeats
    the action before within `REPEAT_LOOPS`, an update of an order within that time of it, and a selection that
    another replaces within `RESELECT_LOOPS` with nothing done between.
    """
    found: list[int] = []
    before, kind_before, what_before = -REPEAT_LOOPS, "", ()
    counted = False
    for loop, kind, what in actions:
        since = loop - before
        if since < REPEAT_LOOPS:
            if kind == "selection" and kind_before == "selection" and since < RESELECT_LOOPS:
                if counted:
                    found.pop()
            elif (kind == kind_before and what == what_before) or (
                kind == "update" and kind_before in ("command", "update")
            ):
                before, kind_before, what_before, counted = loop, kind, what, False
                continue
        found.append(loop)
        before, kind_before, what_before, counted = loop, kind, what, True
    return found


def blocked_spans(
    samples: Sequence[tuple[int, float, float]], changes: Sequence[tuple[int, float, float]]
) -> list[tuple[int, int]]:
    """Return the stretches, in loops, in which a player had no supply left for anything.

    Args:
        samples: loop, supply in use and provided as the game wrote them, ascending.
        changes: loop of each change and both after it, as they were worked out. They tell when a block begins and
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
