"""Delays between a press and the movement of the tee, in ticks.

The input of a row acts on the row's own tick, so a free tee moves with a delay of 0. A tee with a longer delay was
frozen, blocked, or had no jump left.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from playhead.teehistorian.patterns.presses import find_presses
from playhead.teehistorian.patterns.summary import summarise
from playhead.teehistorian.patterns.visits import Visit

#: A tee that did not move for this many ticks is at rest.
STANDING_TICKS = 10
#: A movement later than this (a second) is not the effect of the press.
LONGEST_DELAY = 50


def describe_effects(visits: Iterable[Visit]) -> dict[str, Any]:
    """Return delays of ``move`` (left or right pressed at rest) and of ``jump`` (pressed while not rising)."""
    move: list[int | None] = []
    jump: list[int | None] = []
    for visit in visits:
        move += _move_delays(visit)
        jump += _jump_delays(visit)
    return {
        name: {"delay": summarise([d for d in delays if d is not None]), "without_effect": delays.count(None)}
        for name, delays in (("move", move), ("jump", jump))
    }


def _move_delays(visit: Visit) -> Iterable[int | None]:
    ticks = [tick for tick, _, _ in visit.path]
    directions = visit.inputs["direction"]
    for tick, before, now in zip(visit.tick[1:], directions, directions[1:], strict=False):
        index = bisect_left(ticks, tick)
        if before or not now or not index or tick - ticks[index - 1] < STANDING_TICKS:
            continue
        x = visit.path[index - 1][1]
        moved = (
            later - tick
            for later, other_x, _ in visit.path[index : index + LONGEST_DELAY + 1]
            if (other_x - x) * now > 0 and later - tick <= LONGEST_DELAY
        )
        yield next(moved, None)


def _jump_delays(visit: Visit) -> Iterable[int | None]:
    ticks = [tick for tick, _, _ in visit.path]
    for tick in find_presses(visit, "jump").ticks:
        index = bisect_left(ticks, tick)
        if index < 2 or _rising(visit, index - 1, tick - 1):
            continue
        rising = (
            ticks[later] - tick
            for later in range(index, min(index + LONGEST_DELAY + 1, len(ticks)))
            if _rising(visit, later, ticks[later]) and ticks[later] - tick <= LONGEST_DELAY
        )
        yield next(rising, None)


def _rising(visit: Visit, index: int, tick: int) -> bool:
    """Return whether the tee moved up on `tick`; `index` is its last row up to that tick."""
    return visit.path[index][0] == tick and visit.path[index][2] < visit.path[index - 1][2]
