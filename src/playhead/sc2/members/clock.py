"""Game loops and seconds.

The simulation runs 16 loops in a "normal" game second. Which clock the game shows depends on its time, and the
replay says by ``m_useScaledTime`` in its header:

* set (Legacy of the Void, melee): real seconds at speed "faster", 16 x 1.4 = 22.4 loops each;
* not set, or absent because the build does not have it (Wings of Liberty, Heart of the Swarm; also the campaign
  and some co-op missions of today): "normal" seconds of 16 loops.

That clock is the replay's `ticks_per_second`, so that a time reads as players, casters and build orders write
it. Seconds on the wall depend on the game speed as well: `wall_seconds`.
"""

from __future__ import annotations

#: Names of ``m_gameSpeed``, slowest first, and how many game seconds each makes of a real one.
GAME_SPEEDS = (("slower", 0.6), ("slow", 0.8), ("normal", 1.0), ("fast", 1.2), ("faster", 1.4))

NORMAL_LOOPS_PER_SECOND = 16.0
SCALED_LOOPS_PER_SECOND = 22.4


def loops_per_second(use_scaled_time: bool) -> float:
    """Return how many loops make one second of the clock that the game shows."""
    return SCALED_LOOPS_PER_SECOND if use_scaled_time else NORMAL_LOOPS_PER_SECOND


def wall_seconds(loops: int, game_speed: int) -> float | None:
    """Return the seconds that `loops` took at a game speed (index into `GAME_SPEEDS`), pauses left out; None for a
    speed that does not exist."""
    if not 0 <= game_speed < len(GAME_SPEEDS):
        return None
    return loops / (NORMAL_LOOPS_PER_SECOND * GAME_SPEEDS[game_speed][1])
