"""`Sampler`, `TickSampler` and `DisplayedSampler`: call handlers for the state at every multiple of an interval,
at given ticks, or when the game's clock shows a multiple of an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import ceil

from playhead.clock import Clock
from playhead.source2.playback.fast_path import RepeatedSamples
from playhead.source2.playback.playback import Playback

#: A longer time without packets (a minute of Dota 2) was not recorded, so nothing is sampled in it.
LONGEST_GAP = 1800
# A clock that stops or jumps is noticed after so many ticks at most.
_LOOK_AGAIN = 30
# Largest error of a game's clock, in seconds: it is sent as a float of 32 bits.
_CLOSE = 1e-3


class Sampler:
    """Samples at ticks 0, `every`, 2 `every` …: the state after everything up to and including that tick.

    There are no samples while the state is unknown (before the game, after damage), nor in a gap of more than a
    minute without packets.

    Args:
        playback: the playback to sample.
        every: ticks between samples.
        begin: first tick to play; earlier samples are skipped.
    """

    def __init__(self, playback: Playback, every: int, begin: int = 0) -> None:
        self._playback, self._entities = playback, playback.entities
        self._every = every
        self._handlers: list[Callable[[int], object]] = []
        first = -(-max(begin, playback.begin) // every) * every
        self._samples = RepeatedSamples(first, every, LONGEST_GAP + every)
        playback.call_after(first, self._catch_up)

    def on_sample(self, handler: Callable[[int], object], again: Callable[[int], bool] | None = None) -> None:
        """Call `handler` with the tick of each sample.

        If it returns true, `again` may be called instead for the next sample: if it is the only handler, and no
        handler of the playback is called between the two. So may the one after, if `again` returns true.
        """
        playback, samples = self._playback, self._samples
        playback.guard.own(handler)
        self._handlers.append(handler)
        samples.again = again if len(self._handlers) == 1 else None
        samples.failed = partial(playback.fail_ahead, handler)

    def _catch_up(self, tick: int) -> int:
        """Make the samples due before `tick`; return the tick of the next one."""
        samples, every, handlers = self._samples, self._every, self._handlers
        due = samples.due
        if not self._entities.valid or tick - due > LONGEST_GAP + every:
            due = -(-tick // every) * every
        repeats: object = False
        while due < tick:
            for handler in handlers:  # as `Guard.call`, whose call for each tick would cost much
                try:
                    repeats = handler(due)
                except Exception as error:
                    repeats = False
                    self._playback.guard.failed(handler, error)
            due += every
        samples.due = due
        if repeats and samples.again is not None:
            self._playback.repeat(samples)
        return due

    def finish(self) -> None:
        """Make the samples still due at the end of the recording, and forget the handlers, which would keep their
        owners alive in a cycle; repeated calls have no effect.

        In a stretch that ends before, they belong to the next.
        """
        if self._samples.due <= self._playback.tick and not self._playback.stops_early:
            self._catch_up(self._playback.tick + 1)
        self._handlers.clear()
        self._samples.again = self._samples.failed = None


def chosen_ticks(ticks: int | Iterable[int]) -> list[int]:
    """Return option ``ticks`` of a table, one tick or several, in order and without repetitions."""
    several = ticks if isinstance(ticks, Iterable) and not isinstance(ticks, str) else [ticks]
    return sorted(set(map(int, several)))


class TickSampler:
    """Samples at some ticks: the state after everything up to and including each.

    There are no samples while the state is unknown.
    """

    def __init__(self, playback: Playback, ticks: Sequence[int]) -> None:
        begin = playback.begin
        self._playback, self._ticks = playback, [tick for tick in ticks if tick >= begin or not begin]
        self._handlers: list[Callable[[int], object]] = []
        self._taken = -1
        for tick in self._ticks:
            playback.call_after(tick, partial(self._sample, tick))

    def on_sample(self, handler: Callable[[int], object], _again: Callable[[int], bool] | None = None) -> None:
        """Call `handler` with the tick of each sample; these are too few to repeat any, as `Sampler` does."""
        self._playback.guard.own(handler)
        self._handlers.append(handler)

    def _sample(self, tick: int, _later: int | None = None) -> None:
        if self._playback.entities.valid:
            self._playback.guard.call(self._handlers, tick)
            self._taken = tick

    def finish(self) -> None:
        """Make the sample at the last tick, which no later frame has made; as `Sampler.finish`."""
        missing = self._ticks and self._taken < self._ticks[-1] == self._playback.tick
        if missing and not self._playback.stops_early:
            self._sample(self._ticks[-1])
        self._handlers.clear()


class DisplayedSampler:
    """Samples when the game's clock first shows 0, `step`, 2 `step` … seconds: the state after everything up to
    and including that tick.

    There are no samples before the clock is known, while the state is unknown, nor in a gap of more than a minute
    without packets.

    Args:
        playback: the playback to sample.
        clock: returns the clock as known so far.
        step: in seconds.
    """

    def __init__(self, playback: Playback, clock: Callable[[], Clock], step: float) -> None:
        self._playback, self._clock, self._step = playback, clock, step
        self._handlers: list[Callable[[int], object]] = []
        self._number = 0
        playback.call_after(0, self._catch_up)

    def on_sample(self, handler: Callable[[int], object], _again: Callable[[int], bool] | None = None) -> None:
        """Call `handler` with the tick of each sample; these are too few to repeat any, as `Sampler` does."""
        self._playback.guard.own(handler)
        self._handlers.append(handler)

    def _catch_up(self, tick: int) -> int:
        """Make the samples due before `tick`; return the tick of the next look."""
        clock = self._clock()
        if not clock.stretches:
            return tick
        recent = clock.displayed_seconds(tick - LONGEST_GAP)
        since = clock.stretches[0].displayed if recent is None else recent
        self._number = max(self._number, ceil((since - _CLOSE) / self._step))
        while True:
            due = clock.tick_displayed(max(0.0, self._number * self._step - _CLOSE))
            if due is None or due >= tick:
                # The clock may stop or jump until then.
                return min(tick + _LOOK_AGAIN, tick + _LOOK_AGAIN if due is None else due)
            if self._playback.entities.valid:
                self._playback.guard.call(self._handlers, due)
            self._number += 1

    def finish(self) -> None:
        """Make the samples still due at the end of the recording; as `Sampler.finish`."""
        if not self._playback.stops_early:
            self._catch_up(self._playback.tick + 1)
        self._handlers.clear()
