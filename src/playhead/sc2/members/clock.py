"""Game loops and seconds.

The simulation runs 16 loops in a "normal" game second. The clock of the game depends on its era, and the field
``m_useScaledTime`` of the replay header says which one it shows:

* set (Legacy of the Void, melee): real seconds at speed "faster", 16 x 1.4 = 22.4 loops each;
* not set, or missing in the build (Wings of Liberty, Heart of the Swarm; also the campaign and some co-op missions
  of today): "normal" seconds of 16 loops.

That clock gives the replay's `ticks_per_second`, so times read as players, casters and build orders write them.
Real seconds depend on the game speed as well: see `wall_seconds`.
"""

from __future__ import annotations

from playhead.clock import GAME_TIME, Clock, Stretch

#: Names of ``m_gameSpeed``, slowest first, and the game seconds in a real second at each.
GAME_SPEEDS = (("slower", 0.6), ("slow", 0.8), ("normal", 1.0), ("fast", 1.2), ("faster", 1.4))

NORMAL_LOOPS_PER_SECOND = 16.0
SCALED_LOOPS_PER_SECOND = 22.4


def loops_per_second(use_scaled_time: bool) -> float:
    """Return the loops in one second of the clock that the game shows."""
    return SCALED_LOOPS_PER_SECOND if use_scaled_time else NORMAL_LOOPS_PER_SECOND


def game_clock(rate: float, start: int) -> Clock:
    """Return the clock that the game shows, of `rate` loops in a second: 0:00 at loop `start`."""
    stretches = (Stretch(0, -start / rate, running=True),) if start else None
    return Clock(rate, stretches, label=GAME_TIME)


def wall_seconds(loops: int, game_speed: int) -> float | None:
    """Return the real seconds of `loops` at a game speed (index into `GAME_SPEEDS`), without pauses; None if there
    is no such speed."""
    if not 0 <= game_speed < len(GAME_SPEEDS):
        return None
    return loops / (NORMAL_LOOPS_PER_SECOND * GAME_SPEEDS[game_speed][1])
