"""From a format's own time (tick, game loop) to seconds and back."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock of constant rate.

    Attributes:
        ticks_per_second: ticks (Source 2, teehistorian) in one second as it passed, or game loops
            (StarCraft II) in one second of the clock that the game shows.
    """

    ticks_per_second: float

    def seconds(self, tick: int) -> float:
        """Seconds from tick 0 to `tick`; negative before it."""
        return tick / self.ticks_per_second

    def tick(self, seconds: float) -> int:
        """The last tick at or before `seconds`."""
        return int(seconds * self.ticks_per_second // 1)

    def tick_at(self, when: int | float | str) -> int:
        """The tick that a user means: an int is a tick, a float seconds, a string a time (`parse_seconds`) or, as
        ``42150t``, a tick.

        Raises:
            ValueError: the string is no time.
        """
        if isinstance(when, int):
            return when
        if isinstance(when, str) and re.fullmatch("[0-9]{1,10}t", when):
            return int(when[:-1])
        return self.tick(when if isinstance(when, float) else parse_seconds(when))


def parse_seconds(text: str) -> float:
    """Seconds from what people write: ``14:03``, ``1:14:03``, ``14:03.5``, ``843``.

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
    """``mm:ss``, or ``h:mm:ss`` from one hour on; whole seconds, rounded down."""
    sign = "-" if seconds < 0 else ""
    whole = int(abs(seconds))
    hours, rest = divmod(whole, 3600)
    if hours:
        return f"{sign}{hours}:{rest // 60:02}:{rest % 60:02}"
    return f"{sign}{rest // 60:02}:{rest % 60:02}"
