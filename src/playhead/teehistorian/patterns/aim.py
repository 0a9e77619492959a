"""Statistics of the aim: degrees turned per tick, and jumps between moments of rest."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from playhead.teehistorian.patterns.presses import find_presses
from playhead.teehistorian.patterns.summary import summarise
from playhead.teehistorian.patterns.visits import Visit

#: A turn of at least this many degrees within one tick is a snap …
SNAP_DEGREES = 45.0
#: … if the aim turned by at most this many degrees on the tick before and on the tick after.
REST_DEGREES = 3.0
#: A snap is undone if the aim returns, within `REST_DEGREES`, after at most this many ticks.
RETURN_TICKS = 10
#: Largest number of listed snaps, in order of time.
SNAPS_LISTED = 50


def turn(before: float, now: float) -> float:
    """Return the shorter turn from one angle to another, in degrees (-180 < turn ≤ 180); positive is clockwise."""
    return 180.0 - (180.0 - (now - before)) % 360.0


def describe_aim(visits: Iterable[Visit]) -> dict[str, Any]:
    """Return speeds of turning (degrees per tick, over the ticks with a turn) and snaps, over all visits."""
    speeds: list[float] = []
    snaps: list[dict[str, Any]] = []
    for visit in visits:
        angles = _angles(visit)
        turns = {tick: turn(before, now) for (_, before), (tick, now) in pairwise(angles) if before != now}
        speeds += map(abs, turns.values())
        snaps += _snaps(visit, angles, turns)
    return {
        "turn": summarise(speeds, bin_width=5.0),
        "snaps": len(snaps),
        "snaps_with_press": sum(snap["press"] is not None for snap in snaps),
        "snaps_taken_back": sum(snap["taken_back_after"] is not None for snap in snaps),
        "first_snaps": snaps[:SNAPS_LISTED],
    }


def _angles(visit: Visit) -> list[tuple[int, float]]:
    """Return (tick, degrees) of every input with an aim."""
    aims = zip(visit.tick, visit.inputs["cursor_x"], visit.inputs["cursor_y"], strict=True)
    return [(tick, math.degrees(math.atan2(y, x))) for tick, x, y in aims if x or y]


def _snaps(visit: Visit, angles: list[tuple[int, float]], turns: dict[int, float]) -> Iterable[dict[str, Any]]:
    pressed = {tick: button for button in ("hook", "fire") for tick in find_presses(visit, button).ticks}
    for index in range(1, len(angles)):
        tick = angles[index][0]
        degrees = turns.get(tick, 0.0)
        if abs(degrees) < SNAP_DEGREES:
            continue
        if max(abs(turns.get(tick - 1, 0.0)), abs(turns.get(tick + 1, 0.0))) > REST_DEGREES:
            continue
        yield {
            "player": visit.connection.number,
            "tick": tick,
            "degrees": degrees,
            "press": pressed.get(tick),
            "taken_back_after": _taken_back(angles, index),
        }


def _taken_back(angles: list[tuple[int, float]], index: int) -> int | None:
    tick = angles[index][0]
    origin = angles[index - 1][1]
    for later, angle in angles[index + 1 :]:
        if later - tick > RETURN_TICKS:
            return None
        if abs(turn(origin, angle)) <= REST_DEGREES:
            return later - tick
    return None
