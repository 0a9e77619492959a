"""`Sampler`: calls for samples of the state at every multiple of an interval."""

from __future__ import annotations

from collections.abc import Callable

from playhead.source2.playback.playback import Playback

#: No packet for so many ticks (a minute of Dota 2): whatever was there was not recorded, and nothing is sampled.
LONGEST_GAP = 1800


class Sampler:
    """Samples at ticks 0, `every`, 2 `every` …: the state after everything up to and with that tick.

    No samples are taken while the state is not known (before the game, behind damage), nor in a gap of more than a
    minute without packets.

    Args:
        every: ticks between samples.
        begin: tick at which playing begins; samples before it are left out.
    """

    def __init__(self, playback: Playback, every: int, begin: int = 0) -> None:
        self._playback = playback
        self._every = every
        self._takers: list[Callable[[int], None]] = []
        self._next = -(-begin // every) * every
        playback.call_after(self._next, self._after)

    def on_sample(self, take: Callable[[int], None]) -> None:
        """Call `take` with the tick of each sample."""
        self._takers.append(take)

    def _after(self, tick: int) -> None:
        self._catch_up(tick)
        self._playback.call_after(self._next, self._after)

    def _catch_up(self, tick: int) -> None:
        """Take what is due before `tick`."""
        if not self._playback.entities.valid or tick - self._next > LONGEST_GAP + self._every:
            self._next = -(-tick // self._every) * self._every
            return
        while self._next < tick:
            for take in self._takers:
                take(self._next)
            self._next += self._every

    def finish(self) -> None:
        """The recording is over: take what is still due. Whoever samples calls it; the first call counts."""
        if self._next <= self._playback.tick:
            self._catch_up(self._playback.tick + 1)
