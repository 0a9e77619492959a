"""`SampledSeries`: the samples of a table with options ``every`` and ``clock``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playhead.dota2.sources.clock_sampler import ClockSampler
from playhead.dota2.sources.match import Dota2Match
from playhead.runtime.libraries import pa
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.sampling import Sampler
from playhead.tables.value_arrays import array_of


class SampledSeries:
    """The samples of a table with options ``every`` and ``clock``.

    Args:
        match: the shared inputs.
        every: the interval.
        clock: ``recording`` or ``game``: the clock whose multiples of the interval are sampled.

    Raises:
        ValueError: `every` is no interval, or there is no such clock.
    """

    def __init__(self, match: Dota2Match, every: int | float | str, clock: str) -> None:
        if clock not in ("recording", "game"):
            raise ValueError(f"expected clock='recording' or clock='game', got {clock!r}")
        self._match, self._every, self._on_game_clock = match, match.interval(every), clock == "game"
        self._numbers: list[int] = []

    def attach(self, playback: Playback, handler: Callable[[int], None]) -> None:
        """Call `handler` with the tick of each sample."""
        self._sampler: Sampler | ClockSampler
        if self._on_game_clock:
            rate = self._match.ticks_per_second or self._match.usual_rate
            self._sampler = self._match.clock_sampler(playback, self._every / rate)
            self._sampler.on_sample(self._on_number)
            self._handler = handler
        else:
            self._sampler = self._match.sampler(playback, self._every)
            self._sampler.on_sample(handler)

    def _on_number(self, number: int, tick: int) -> None:
        self._numbers.append(number)
        self._handler(tick)

    def finish(self) -> None:
        """Make the samples still due at the end of the recording."""
        self._sampler.finish()
        self.__dict__.pop("_handler", None)  # it is a method of the collector: a cycle

    def chosen(self, table: pa.Table, sizes: Sequence[int]) -> pa.Table:
        """Return the table without wrong samples; `sizes`: the number of rows of each sample."""
        if not isinstance(self._sampler, ClockSampler):
            return table
        last = {number: place for place, number in enumerate(self._numbers) if number in self._sampler.samples}
        right = [last.get(number) == place for place, number in enumerate(self._numbers)]
        chosen = [ok for ok, size in zip(right, sizes, strict=True) for _ in range(size)]
        return table.filter(array_of(chosen, pa.bool_()))
