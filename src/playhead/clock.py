"""From a format's own time (tick, game loop) to seconds and to the time that the game shows, and back."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import timedelta
from math import isfinite
from operator import index

from playhead.runtime.records import NamedTuple, dataclass

#: Units of an interval, in seconds.
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0}

#: What a clock shows: the time that the game itself shows, or the time since the start of the recording.
GAME_TIME, RECORDING_TIME = "game time", "recording time"


class Stretch(NamedTuple):
    """From `tick` on, up to the next stretch, the game shows the time `displayed`, stopped or running on.

    Attributes:
        tick: the first tick.
        displayed: seconds that the game shows then.
        running: False while the game is paused.
    """

    tick: int
    displayed: float
    running: bool


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock of constant rate, and beside it the time that the game shows, which pauses may hold and which may be
    negative before the start.

    Attributes:
        ticks_per_second: ticks (Source 2, teehistorian) in one second as it passed, or game loops
            (StarCraft II) in one second of the clock that the game shows.
        stretches: how the time that the game shows went, by ticks; none if it is not known. None where that time
            is the seconds since tick 0.
        wall_ticks_per_second: ticks in one second as it passed for the players, where the speed of the game makes
            that another rate (StarCraft II); None where it is the same.
        label: which time `displayed` is, for people: ``game time`` where the game shows a clock of its own,
            ``recording time`` where it is the seconds since the start of the recording.
    """

    ticks_per_second: float
    stretches: tuple[Stretch, ...] | None = None
    wall_ticks_per_second: float | None = None
    label: str = RECORDING_TIME

    def seconds(self, tick: int) -> float:
        """Return the seconds from tick 0 to `tick`; negative before it."""
        return tick / self.ticks_per_second

    def wall_seconds(self, tick: int) -> float:
        """Return the same as it passed for the players, whatever speed they had chosen."""
        return tick / (self.wall_ticks_per_second or self.ticks_per_second)

    def tick(self, seconds: float) -> int:
        """Return the last tick at or before `seconds`."""
        return int(seconds * self.ticks_per_second // 1)

    def displayed_seconds(self, tick: int) -> float | None:
        """Return the time that the game shows at a tick, in seconds; None before it shows any."""
        if self.stretches is None:
            return self.seconds(tick)
        found = None
        for stretch in self.stretches:
            if stretch.tick > tick:
                break
            found = stretch
        if found is None:
            return None
        return found.displayed + ((tick - found.tick) / self.ticks_per_second if found.running else 0.0)

    def game_seconds(self, tick: int) -> float | None:
        """Return the same where the game shows a clock of its own, else None: column ``game_seconds``."""
        return self.displayed_seconds(tick) if self.label == GAME_TIME else None

    def displayed(self, tick: int) -> str | None:
        """Return what `displayed_seconds` does as text: ``12:30``, ``-0:45``, ``62:03``."""
        seconds = self.displayed_seconds(tick)
        return None if seconds is None else format_displayed(seconds)

    def tick_displayed(self, seconds: float) -> int | None:
        """Return the tick at which the game comes to show that time; None if it never does."""
        close = 1e-6
        if self.stretches is None:
            return int(-(-max(0.0, seconds - close) * self.ticks_per_second // 1)) if seconds >= 0 else None
        for number, stretch in enumerate(self.stretches):
            if stretch.displayed >= seconds - close:
                # Only the first may begin late: the recording then does not have that time, unless it begins
                # within the very second.
                late = number == 0 and stretch.displayed > seconds + 1 / self.ticks_per_second
                same = format_displayed(stretch.displayed) == format_displayed(seconds)
                return None if late and not same else stretch.tick
            if stretch.running:
                # Shown are whole seconds towards zero: before the start the last tick of a time shows it.
                ahead = (seconds - stretch.displayed) * self.ticks_per_second
                tick = stretch.tick + int((ahead + close) // 1 if seconds < 0 else -((close - ahead) // 1))
                if number + 1 == len(self.stretches) or tick < self.stretches[number + 1].tick:
                    return tick
        return None

    def tick_at(self, when: int | float | str) -> int:
        """Return the tick that a user means: an int is a tick, a float seconds of the recording, a string one of
        these as ``22500t`` and ``750s``, or the time that the game shows, as ``12:30``.

        Raises:
            ValueError: the string is no time, or one that the game never showed.
        """
        when = plain_when(when)
        if isinstance(when, int):
            return when
        if isinstance(when, float):
            return self.tick(when)
        tick = self.tick_displayed(parse_displayed(when))
        if tick is None:
            raise ValueError(f"expected a time that the game shows, which {when} never is{self._shown_range()}")
        return tick

    def shown_between(self, first: int, last: int) -> str:
        """Return, for an error, what the clock shows first and last of these ticks; empty if that is not known."""
        begins = self.displayed(first)
        if begins is None and self.stretches:
            begins = self.displayed(self.stretches[0].tick)
        ends = self.displayed(last)
        return "" if begins is None or ends is None else f" ({self.label} {begins} to {ends})"

    def _shown_range(self) -> str:
        """Return, for an error, where the game's clock begins."""
        if self.stretches is None:
            return ""
        if not self.stretches:
            return " (this recording has no clock of the game: 10s means seconds of the recording)"
        return f" (its clock begins at {format_displayed(self.stretches[0].displayed)})"


def plain_when(when: object) -> int | float | str:
    """Return a point in time as one of three: a tick (int), seconds of the recording (float, also of a timedelta),
    or text as the game shows a time.

    Numbers of NumPy and the like are taken as what they are.

    Raises:
        ValueError: text that is no time, or seconds that are not finite.
        TypeError: it is something else.
    """
    if isinstance(when, str):
        return when_in_text(when)
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
    """Return what text means: ``22500t`` a tick (int), ``750s`` seconds of the recording (float), ``12:30`` the
    time that the game shows (the text itself).

    Raises:
        ValueError: it is a bare number, which could be either.
    """
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
    """Parse as `parse_seconds`, with a sign before a time that is negative: ``-1:30``.

    Raises:
        ValueError: it is none of those.
    """
    text = text.strip()
    return -parse_seconds(text[1:]) if text.startswith("-") else parse_seconds(text)


def parse_seconds(text: str) -> float:
    """Return seconds from what people write: ``14:03``, ``1:14:03``, ``14:03.5``, ``843``.

    Raises:
        ValueError: it is none of those.
    """
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
    """Return ``mm:ss``, or ``h:mm:ss`` from one hour on; whole seconds, rounded down."""
    sign = "-" if seconds < 0 else ""
    whole = int(abs(seconds))
    hours, rest = divmod(whole, 3600)
    if hours:
        return f"{sign}{hours}:{rest // 60:02}:{rest % 60:02}"
    return f"{sign}{rest // 60:02}:{rest % 60:02}"


def format_displayed(seconds: float) -> str:
    """Return ``m:ss``, as games show it: minutes go on beyond 59, a sign comes before the start; towards zero."""
    whole = int(abs(seconds) + 1e-6)  # a second that float arithmetic left a hair short is over
    sign = "-" if seconds < 0 and whole else ""
    return f"{sign}{whole // 60}:{whole % 60:02}"


def ticks_between(every: int | float | str | None, ticks_per_second: float | None) -> int | None:
    """Return an interval in ticks: ticks (int), seconds (float), or text such as ``1s``, ``500ms``, ``30 ticks``.

    Raises:
        ValueError: it is none, or is in seconds and the rate is not known.
    """
    if every is None:
        return None
    ticks = every
    if isinstance(every, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|min|ticks?)\s*", every)
        if found is None:
            raise ValueError(f"expected an interval such as 1s, 500ms or 30 ticks, got {every!r}")
        number = float(found[1])
        ticks = int(number) if found[2].startswith("tick") else number * _UNITS[found[2]]
    if isinstance(ticks, float):
        if ticks_per_second is None:
            raise ValueError("the recording does not have its tick rate; expected an interval in ticks")
        ticks = max(1, round(ticks * ticks_per_second)) if ticks > 0 else 0
    if not isinstance(ticks, int) or ticks < 1:
        raise ValueError(f"expected an interval of at least a tick, got {every!r}")
    return ticks
