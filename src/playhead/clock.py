"""`Clock`: converts ticks (or game loops) to seconds and to the game's displayed time, and back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from contextlib import suppress
from math import isfinite
from operator import index

from playhead.runtime.records import NamedTuple, dataclass
from playhead.runtime.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta
else:
    from _datetime import datetime, timedelta  # as in `playhead.model`

#: Units of an interval, in seconds.
_TICKS = ("t", "tick", "ticks")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0, "minutes": 60.0}

#: Labels of a clock: the displayed time, the time left in a round, the time since the start of the recording.
GAME_TIME, ROUND_TIME, RECORDING_TIME = "game time", "round time left", "recording time"


def when_played(
    start: datetime | None, end: datetime | None, duration_seconds: float | None
) -> tuple[datetime | None, str | None]:
    """Return when a recording was played, and which time this is: ``start``, ``end_less_duration`` or ``end``. The
    second is too late by the pauses that the duration leaves out."""
    if start is not None or end is None:
        return start, None if start is None else "start"
    with suppress(OverflowError, ValueError):
        if duration_seconds is not None and duration_seconds >= 0:
            return end - timedelta(seconds=duration_seconds), "end_less_duration"
    return end, "end"


class Stretch(NamedTuple):
    """A stretch of ticks, up to the next stretch, in which the game's clock runs or is stopped.

    Attributes:
        tick: the first tick.
        displayed: the game's displayed time at that tick, in seconds.
        running: False while the game is paused.
    """

    tick: int
    displayed: float
    running: bool


class Countdown(NamedTuple):
    """Ticks from `tick` on, up to the next countdown, in which the game shows one.

    Attributes:
        tick: the first tick.
        name: the round and the phase, as before the time in `Clock.displayed`.
        ends: the tick at which it would show 0:00; None if no time is shown.
        held: the seconds that it shows throughout, in a pause.
    """

    tick: int
    name: str
    ends: float | None
    held: float | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock of constant rate, with the game's displayed time. The displayed time stops in pauses and may be
    negative before the start of the game.

    Attributes:
        ticks_per_second: ticks per second of real time (Source 2, teehistorian), or game loops per second of the
            displayed time (StarCraft II).
        stretches: the displayed time by ticks; empty if unknown. None if it equals the seconds since tick 0.
        wall_ticks_per_second: ticks per second of real time, if the game's speed makes it another rate (StarCraft
            II); else None.
        label: name of the time that `displayed` returns: ``game time`` if the game displays a clock, else
            ``recording time``, the time since the start of the recording.
    """

    ticks_per_second: float
    stretches: tuple[Stretch, ...] | None = None
    wall_ticks_per_second: float | None = None
    label: str = RECORDING_TIME

    @property
    def countdowns(self) -> tuple[Countdown, ...]:
        """The countdowns by tick, of a game whose clock counts down again and again."""
        return ()

    def seconds(self, tick: int) -> float:
        """Return the seconds from tick 0 to `tick`; negative before it. A rate of 22.4 is exact."""
        return tick * 10 / (self.ticks_per_second * 10)

    def wall_seconds(self, tick: int) -> float:
        """Return the seconds of real time from tick 0 to `tick`, independent of the game's speed."""
        return tick / (self.wall_ticks_per_second or self.ticks_per_second)

    def tick(self, seconds: float) -> int:
        """Return the last tick at or before `seconds`."""
        return int(seconds * self.ticks_per_second // 1)

    def displayed_seconds(self, tick: int) -> float | None:
        """Return the displayed time at a tick, in seconds; None before the game displays a time."""
        if self.stretches is None:
            return self.seconds(tick)
        place = bisect_right(self.stretches, tick, key=lambda each: each.tick) - 1
        if place < 0:
            return None
        found = self.stretches[place]
        return found.displayed + ((tick - found.tick) / self.ticks_per_second if found.running else 0.0)

    def game_seconds(self, tick: int) -> float | None:
        """Return the displayed time if the game displays a clock, else None: column ``game_seconds``."""
        return self.displayed_seconds(tick) if self.label == GAME_TIME else None

    def game_seconds_at(self, ticks: Iterable[int | None]) -> list[float | None]:
        """As `game_seconds`, for many ticks; None for None."""
        known: dict[int | None, float | None] = {None: None}
        found = []
        for tick in ticks:
            if tick is not None and tick not in known:
                known[tick] = self.game_seconds(tick)
            found.append(known[tick])
        return found

    def displayed(self, tick: int) -> str | None:
        """Return `displayed_seconds` as text: ``12:30``, ``-0:45``, ``62:03``."""
        seconds = self.displayed_seconds(tick)
        return None if seconds is None else format_displayed(seconds)

    def tick_displayed(self, seconds: float) -> int | None:
        """Return the first tick at which the game displays a time; None if it never does."""
        close = 1e-6
        if self.stretches is None:
            return int(-(-max(0.0, seconds - close) * self.ticks_per_second // 1)) if seconds >= 0 else None
        for number, stretch in enumerate(self.stretches):
            if stretch.displayed >= seconds - close:
                # Only the first stretch may begin late: the recording then lacks that time, unless it begins
                # within the same displayed second.
                late = number == 0 and stretch.displayed > seconds + 1 / self.ticks_per_second
                same = format_displayed(stretch.displayed) == format_displayed(seconds)
                return None if late and not same else stretch.tick
            if stretch.running:
                # The display truncates towards zero: a negative second appears at its last tick.
                ahead = (seconds - stretch.displayed) * self.ticks_per_second
                tick = stretch.tick + int((ahead + close) // 1 if seconds < 0 else -((close - ahead) // 1))
                if number + 1 == len(self.stretches) or tick < self.stretches[number + 1].tick:
                    return tick
        return None

    def tick_at(self, when: int | float | str) -> int:
        """Convert a time to a tick: a tick (int), seconds of the recording (float), or text: ``22500t``, ``750s``,
        or the displayed time ``12:30``.

        Raises:
            ValueError: the text is not a time, or the game never displayed that time.
        """
        when = plain_when(when)
        if isinstance(when, int):
            return when
        if isinstance(when, float):
            return self.tick(when)
        tick = self.tick_displayed(parse_displayed(when))
        if tick is None:
            raise ValueError(f"expected a time that the game displays, not {when}{self._shown_range()}")
        return tick

    def shown_between(self, first: int, last: int) -> str:
        """Return, for an error message, the displayed times of the first and last tick; empty if unknown."""
        begins = self.displayed(first)
        if begins is None and self.stretches:
            begins = self.displayed(self.stretches[0].tick)
        ends = self.displayed(last)
        return "" if begins is None or ends is None else f" ({self.label} {begins} to {ends})"

    def _shown_range(self) -> str:
        """Return, for an error message, the first displayed time."""
        if self.stretches is None:
            return ""
        if not self.stretches:
            return " (this recording has no clock of the game: 10s means seconds of the recording)"
        return f" (its clock begins at {format_displayed(self.stretches[0].displayed)})"


def plain_when(when: object) -> int | float | str:
    """Return a time as a tick (int), as seconds of the recording (float; from a timedelta too), or as displayed
    time (text).

    Integers and floats of other libraries, such as NumPy, are accepted.

    Raises:
        ValueError: the text is not a time, or the seconds are not finite.
        TypeError: `when` has another type.
    """
    if isinstance(when, str):
        return when_in_text(when)
    from datetime import timedelta  # which every start would pay for

    if isinstance(when, timedelta):
        return when.total_seconds()
    if not isinstance(when, bool):
        with suppress(TypeError):
            return index(when)  # type: ignore[arg-type]  # an integer of any library
        if hasattr(when, "__float__"):
            seconds = float(when)
            if not isfinite(seconds):
                raise ValueError(f"expected a finite number of seconds, got {seconds}")
            return seconds
    raise TypeError(f"expected a tick (int), seconds (float) or text such as '12:30', got {type(when).__name__}")


def when_in_text(text: str) -> int | float | str:
    """Parse a time: ``22500t`` is a tick (int), ``750s`` seconds of the recording (float), ``12:30`` the displayed
    time (returned as text).

    Raises:
        ValueError: the text is not a time, or a bare number, which could be ticks or seconds.
    """
    import re  # an entity's start needs a clock, but no `re`

    text = text.strip()
    if re.fullmatch(r"-?[0-9]{1,10}t", text):
        return int(text[:-1])
    if re.fullmatch(r"-?[0-9]{1,10}(\.[0-9]+)?s", text):
        return float(text[:-1])
    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
        tick = text.partition(".")[0]
        raise ValueError(
            f"expected 12:30 as the game shows it, {text}s for seconds of the recording or {tick}t for a tick, "
            f"got {text!r}"
        )
    if not re.fullmatch(r"-?[0-9]+(:[0-9]+){1,2}(\.[0-9]+)?", text):
        raise ValueError(
            "expected a time such as 12:30 as the game shows it, 750s (seconds of the recording) or 22500t (a "
            f"tick), got {text!r}"
        )
    return text


def parse_displayed(text: str) -> float:
    """Parse as `parse_seconds`, with an optional minus sign: ``-1:30``.

    Raises:
        ValueError: the text has another form.
    """
    text = text.strip()
    return -parse_seconds(text[1:]) if text.startswith("-") else parse_seconds(text)


def parse_seconds(text: str) -> float:
    """Parse a time to seconds: ``14:03``, ``1:14:03``, ``14:03.5``, ``843``.

    Raises:
        ValueError: the text has another form.
    """
    import re

    parts = text.strip().split(":")
    number = r"[0-9]+(\.[0-9]+)?"
    if (
        len(parts) > 3
        or not re.fullmatch(number, parts[-1])
        or not all(re.fullmatch(r"[0-9]+", p) for p in parts[:-1])
    ):
        raise ValueError(f"expected a time such as 14:03, 1:14:03 or 843 (seconds), got {text!r}")
    if any(float(part) >= 60 for part in parts[1:]):
        raise ValueError(f"expected minutes and seconds below 60, got {text!r}")
    seconds = 0.0
    for part in parts:
        seconds = 60 * seconds + float(part)
    return seconds


def format_seconds(seconds: float) -> str:
    """Format seconds as ``mm:ss``, or ``h:mm:ss`` from one hour on; fractions are truncated."""
    sign = "-" if seconds < 0 else ""
    whole = int(abs(seconds))
    hours, rest = divmod(whole, 3600)
    if hours:
        return f"{sign}{hours}:{rest // 60:02}:{rest % 60:02}"
    return f"{sign}{rest // 60:02}:{rest % 60:02}"


def format_displayed(seconds: float) -> str:
    """Format seconds as games display them: ``m:ss``, with minutes above 59 and a minus sign; truncate to zero."""
    whole = int(abs(seconds) + 1e-6)  # float arithmetic may end just below a whole second
    sign = "-" if seconds < 0 and whole else ""
    return f"{sign}{whole // 60}:{whole % 60:02}"


def format_hundredths(seconds: float) -> str:
    """Format a duration as games with races do: ``m:ss.hh``."""
    minutes, rest = divmod(round(seconds * 100), 6000)
    return f"{minutes}:{rest // 100:02}.{rest % 100:02}"


def ticks_between(every: int | float | str | None, ticks_per_second: float | None) -> int | None:
    """Convert an interval to ticks: seconds (float), text such as ``1s``, ``500ms``, ``30 ticks``, ``30t``, or 1
    for every tick.

    Raises:
        ValueError: it is not an interval, it is another integer, which could be ticks or seconds, or it is in
            seconds and the rate is unknown.
    """
    if every is None:
        return None
    if isinstance(every, int) and every > 1:
        raise ValueError(f"expected an interval with its unit, such as '{every}s' or '{every} ticks', got {every}")
    ticks = every
    if isinstance(every, str):
        # Without a regular expression: to compile one takes longer than all else here, and each start asks once.
        given = every.strip()
        digits = given.rstrip("ceikmnstu")
        unit, digits = given.removeprefix(digits), digits.rstrip()
        if unit not in (*_TICKS, *_UNITS) or not all(map(str.isdecimal, digits.split(".", 1))):
            raise ValueError(f"expected an interval such as 1s, 500ms or 30 ticks, got {every!r}")
        number = float(digits)
        if not isfinite(number):
            raise ValueError(f"expected an interval that ends, got {every[:40]!r}")
        ticks = int(number) if unit in _TICKS else number * _UNITS[unit]
    if isinstance(ticks, float):
        if ticks_per_second is None:
            raise ValueError("the recording does not have its tick rate; expected an interval in ticks")
        exact = ticks * ticks_per_second
        ticks = max(1, round(exact)) if exact > 0 and isfinite(exact) else 0
    if not isinstance(ticks, int) or ticks < 1:
        raise ValueError(f"expected an interval of at least a tick, got {every!r}")
    return ticks


def interval_ticks(every: int | float | str | None, ticks_per_second: float | None) -> int:
    """Return the ticks of an interval as `ticks_between` does; None is no interval.

    Raises:
        ValueError: as in `ticks_between`, or `every` is None.
    """
    ticks = ticks_between(every, ticks_per_second)
    if ticks is None:
        raise ValueError("expected an interval, got None")
    return ticks
