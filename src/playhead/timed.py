"""`Timed`: ticks, seconds and the game's displayed time of a recording, and the conversions between them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from playhead.clock import Clock, plain_when
from playhead.model import Info
from playhead.runtime.typing import Any


def one_moment(when: Any, seconds: float | None) -> Any:
    """Return the one argument of `Replay.at` that was given."""
    if (when is None) == (seconds is None):
        raise TypeError("at() takes one moment: a tick (int), seconds (float), text such as '12:30', or seconds=")
    return when if seconds is None else float(seconds)


class Timed(ABC):
    """The part of `Replay` about time."""

    @property
    @abstractmethod
    def brief_info(self) -> Info: ...

    @property
    def clock(self) -> Clock | None:
        """Converts ticks to seconds and to the game's displayed time, and back; None if the rate is unknown."""
        return self.brief_info.clock

    def to_tick(self, when: int | float | str) -> int:
        """Convert a time to a tick: a tick (int), seconds of the recording (float, as in the tables), the game's
        displayed time (``"12:30"``, ``"-0:45"``), or a tick or seconds as text (``"22500t"``, ``"750s"``). The
        tick may lie outside the recording; `tick_within` checks that.

        Raises:
            ValueError: `when` is not a time, the game never displayed it, or the tick rate is unknown.
        """
        when = plain_when(when)
        if isinstance(when, int):
            return when
        clock = self.recording_clock if isinstance(when, float) else self.clock
        if clock is None:
            raise ValueError("the recording does not have its tick rate; expected a tick")
        return clock.tick_at(when)

    def span(
        self, start: int | float | str | None, end: int | float | str | None
    ) -> tuple[int | None, int | None]:
        """Convert two times to the first and the last tick of a stretch. A round counts whole: ``"R3"`` as `start`
        is its first tick, as `end` its last one. None stays None.

        Raises:
            ValueError: as for `to_tick`.
        """
        first = None if start is None else self._span_of(start)[0]
        return first, None if end is None else self._span_of(end)[1]

    def _span_of(self, when: int | float | str) -> tuple[int, int]:
        """Return the ticks of a time: one, or those of what it names."""
        tick = self.to_tick(when)
        return tick, tick

    @property
    def recording_clock(self) -> Clock | None:
        """Converts ticks to seconds of the recording and back; equals `clock` in formats with one clock."""
        return self.clock

    @property
    def first_tick(self) -> int:
        """The first tick of the recording: 0, or later if it begins within the game, as slices and joined
        broadcasts do."""
        return max(0, self._first_tick())

    @property
    def recorded_seconds(self) -> float | None:
        """Seconds of the recording from its first tick to the last one; None if the tick rate or the end is
        unknown."""
        facts = self.brief_info
        if facts.duration_ticks is None or facts.clock is None:
            return None
        return facts.clock.seconds(max(0, facts.duration_ticks - self.first_tick))

    def _first_tick(self) -> int:
        """Return the first tick that has a state."""
        return 0

    def _last_tick(self) -> int | None:
        """Return the last tick of the recording; None if finding it means reading a whole stream."""
        return self.brief_info.duration_ticks

    def tick_within(self, when: int | float | str) -> int:
        """Convert a time to a tick of the recording; `when` is as for `to_tick`.

        Raises:
            ValueError: `when` is not a time, or lies outside the recording; the message names its first and last
                tick.
        """
        return self._in_range(self.to_tick(when), when, self._last_tick())

    def _in_range(self, tick: int, when: object, last: int | None) -> int:
        """Return `tick` if it is in the recording, up to `last`; `when` is the caller's argument."""
        if last is not None and tick > last and self.clock and self.clock.displayed(last) == when:
            return last  # the recording ends within the second displayed last
        if tick < self._first_tick() or (last is not None and tick > last):
            first, clock = self._first_tick(), self.clock
            shown = "" if clock is None or last is None else clock.shown_between(first, last)
            span = f"from tick {first} " + ("on" if last is None else f"to {last}")
            said = f"{when!r} (tick {tick})" if isinstance(when, str) else f"tick {tick}"
            raise ValueError(f"expected a moment of the recording, {span}{shown}, got {said}")
        return tick
