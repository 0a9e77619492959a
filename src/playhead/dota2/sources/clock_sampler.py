"""`ClockSampler`: calls handlers once for each multiple of an interval on the game's clock."""

from __future__ import annotations

from collections.abc import Callable

from playhead.dota2.sources.game_clock import POST_GAME, ClockChange, GameClock
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.sampling import LONGEST_GAP

#: Seconds of a minute on the game's clock.
MINUTE = 60.0

# A pause is sent a packet late, so a sample is checked that many ticks later.
_CHECK_AFTER = 30


class ClockSampler:
    """Samples at 0:00 and every `step` seconds of the game's clock: the state after the last packet at or before
    that tick.

    A time at which a pause begins has one sample, at the first tick of the pause. It takes none before the
    horn, after the end of the match, before the recording begins, or while the state is unknown.

    Attributes:
        samples: tick of each sample by its number: 0 is the horn. A handler may also be called for a sample that
            turns out to be wrong; the last call for a number counts.
    """

    def __init__(self, playback: Playback, clock: GameClock, step: float = MINUTE) -> None:
        self._playback = playback
        self._clock = clock
        self._step = step
        self._handlers: list[Callable[[int, int], None]] = []
        self._next: int | None = None
        self._known: tuple[int | None, int, list[ClockChange]] | None = None
        self._due = -1
        self.samples: dict[int, int] = {}
        playback.call_after(0, self._look)

    def on_sample(self, handler: Callable[[int, int], None]) -> None:
        """Call `handler` with number and tick of each sample."""
        self._playback.guard.own(handler)
        self._handlers.append(handler)

    def _first_number(self) -> int | None:
        """Return the first number in the recording; None if the clock is unknown."""
        if self._clock.horn is None or not self._clock.changes:
            return None
        begin = self._clock.game_seconds(max(0, self._clock.changes[0].tick))
        return None if begin is None else max(0, int(-(-begin // self._step)))

    def _look(self, next_tick: int) -> None:
        """Take the samples due before the frame of `next_tick`, and return at the next due one."""
        self._playback.call_after(max(next_tick, self._advance(next_tick)), self._look)

    def _advance(self, next_tick: int) -> int:
        """Take the samples due before a tick; return the tick of the next look."""
        # Nearly always the clock runs on as at the last look, which found the tick of the next sample.
        now = self._clock.horn, len(self._clock.changes), self._clock.changes[-1:]
        if now == self._known and next_tick <= self._due:
            return min(self._due, next_tick + _CHECK_AFTER)
        self._known, self._due = now, -1
        if self._next is None:
            self._next = self._first_number()
            if self._next is None:
                return next_tick + _CHECK_AFTER
        self._check()
        oldest = next_tick - LONGEST_GAP
        while True:
            tick = self._clock.tick_at(self._next * self._step)
            if tick is None:
                return next_tick + _CHECK_AFTER
            if tick >= next_tick:
                self._due = tick
                # The clock may stop or jump until then, which a look now and then notices.
                return min(tick, next_tick + _CHECK_AFTER)
            if self._ended(tick):
                return next_tick + LONGEST_GAP
            if tick < oldest:
                # Of these there are millions if the ticks of a recording jump.
                self._next = max(self._next + 1, int((self._clock.game_seconds(oldest) or 0.0) // self._step))
                continue
            if self._playback.entities.valid:
                self.samples[self._next] = tick
                self._playback.guard.call(self._handlers, self._next, tick)
            self._next += 1

    def _ended(self, tick: int) -> bool:
        return any(state == POST_GAME and tick > began for began, state in self._clock.states)

    def _check(self) -> None:
        """Drop samples that a later report of the clock moved, to take them again."""
        while self._next and self._next - 1 in self.samples:
            number = self._next - 1
            if self._clock.tick_at(number * self._step) == self.samples[number]:
                return
            del self.samples[number]
            self._next = number

    def finish(self) -> None:
        """Take the samples still due at the end of the recording, and drop those of a horn that never was. Forget
        the handlers, as `Sampler.finish`.
        """
        self._advance(self._playback.tick + 1)
        self._handlers.clear()
        if self._clock.start_time is None:
            self.samples.clear()
