"""`RoundClock`: the time that the game shows, with its round: ``R5 1:32``."""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress

from playhead.clock import Clock, Countdown, format_displayed, parse_seconds
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import NamedTuple, dataclass
from playhead.source2.game_match import places_of
from playhead.tables.value_arrays import array_of, scalar_of

_TIME = re.compile(r"(?:R([0-9]{1,4})|warmup|knife)(?:\s+(freeze|bomb))?(?:\s+([0-9:.]+))?", re.IGNORECASE)

LIVE, FREEZE, BOMB, WARMUP, OVER = "", "freeze", "bomb", "warmup", "over"


class Segment(NamedTuple):
    """Ticks from `tick` on, up to the next segment, in which the game shows one countdown.

    Attributes:
        tick: first tick.
        round_num: number of the round; 0 in warm-up and knife rounds.
        phase: the countdown: the round (empty), ``freeze``, ``bomb``, ``warmup``; ``over`` shows no time.
        ends: tick at which it would show 0:00; None if no time is shown.
        held: seconds that it shows throughout, in a pause.
    """

    tick: int
    round_num: int
    phase: str
    ends: float | None
    held: float | None = None


def _named(segment: Segment) -> str:
    """Return the round, and the countdown if a time of it is shown."""
    name = "warmup" if segment.phase == WARMUP else f"R{segment.round_num}" if segment.round_num else "knife"
    timed = segment.ends is not None and segment.phase in (FREEZE, BOMB)
    return f"{name} {segment.phase}" if timed else name


@dataclass(frozen=True, slots=True)
class RoundClock(Clock):
    """A clock that counts down in each round; `segments` are the countdowns, by tick."""

    segments: tuple[Segment, ...] = ()

    def segment(self, tick: int) -> Segment | None:
        """Return the segment of a tick; None before the first."""
        number = bisect_right(self.segments, tick, key=lambda each: each.tick)
        return self.segments[number - 1] if number else None

    def displayed_seconds(self, tick: int) -> float | None:
        """Return the seconds left on the game's clock; None if it shows no time."""
        segment = self.segment(tick)
        if segment is None or segment.ends is None:
            return None
        if segment.held is not None:
            return segment.held
        return max(0.0, (segment.ends - tick) / self.ticks_per_second)

    def game_seconds(self, tick: int) -> float | None:
        """Return `displayed_seconds`: column ``game_seconds``."""
        return self.displayed_seconds(tick)

    def game_seconds_column(self, ticks: pa.Array) -> pa.Array:
        """As `game_seconds`, for a column."""
        number = pa.float64()
        known = pc.unique(ticks).sort()
        which = places_of([each.tick for each in self.segments], known.to_pylist())
        ends = array_of([each.ends for each in self.segments], number).take(which)
        held = array_of([None if each.ends is None else each.held for each in self.segments], number).take(which)
        left = pc.divide(pc.subtract(ends, known.cast(number)), scalar_of(self.ticks_per_second, number))
        shown = pc.coalesce(held, pc.max_element_wise(left, scalar_of(0.0, number), skip_nulls=False))
        return shown.take(pc.index_in(ticks, known))

    def displayed(self, tick: int) -> str | None:
        """Return the time as text: ``R5 1:32``, ``R5 freeze 0:07``, ``R5 bomb 0:31``; ``R5`` after its end."""
        segment = self.segment(tick)
        if segment is None:
            return None
        seconds = self.displayed_seconds(tick)
        return _named(segment) if seconds is None else f"{_named(segment)} {format_displayed(seconds)}"

    @property
    def countdowns(self) -> tuple[Countdown, ...]:
        """The countdowns of the rounds; see `Clock.countdowns`."""
        return tuple(Countdown(each.tick, _named(each), each.ends, each.held) for each in self.segments)

    def shown_between(self, first: int, last: int) -> str:
        """As `Clock.shown_between`, from the first round on."""
        return Clock.shown_between(self, max(first, self.segments[0].tick) if self.segments else first, last)

    def tick_displayed(self, seconds: float) -> int | None:
        """Return None: every round shows a time again, so a time alone names no tick."""
        return None

    def round_ticks(self, number: int) -> tuple[int, int | None] | None:
        """Return the first tick of a round, and its last one, None for that of the recording; None without such a
        round. Of a round that was played again after a restored backup, it is the last one."""
        for place in reversed(range(len(self.segments))):
            if self.segments[place].round_num == number:
                first = place
                while first and self.segments[first - 1].round_num == number:
                    first -= 1
                after = self.segments[place + 1 : place + 2]
                return self.segments[first].tick, after[0].tick - 1 if after else None
        return None

    def _first_shown(self, when: str) -> int | None:
        """Return the first tick at which a counted round displays a time, ``0:05``; None if none does."""
        with suppress(ValueError):
            seconds = parse_seconds(when)
            for number in self._rounds() if ":" in when else ():
                for segments in reversed(self._stretches(number, LIVE)):
                    for segment, following in segments:
                        tick = self._shows(segment, seconds)
                        if tick is not None and (following is None or tick < following):
                            return tick
        return None

    def tick_at(self, when: int | float | str) -> int:
        """As `Clock.tick_at`; ``R5 1:32`` is the first tick of round 5 with that time left, ``R5`` the end of its
        freeze time, ``warmup 0:19`` and ``knife 0:10`` times outside rounds, and ``1:32`` the first tick at which
        any round shows that time.

        Of a round that was played again after a restored backup, it is the last one.

        Raises:
            ValueError: the text is not a time, or the game never displayed that time.
        """
        found = _TIME.fullmatch(when.strip()) if isinstance(when, str) else None
        if found is None:
            shown_first = self._first_shown(when.strip()) if isinstance(when, str) else None
            if shown_first is not None:
                return shown_first
            try:
                return Clock.tick_at(self, when)
            except ValueError as error:
                rounds = self._shown_range()
                if not isinstance(when, str) or rounds in str(error):
                    raise
                raise ValueError(f"{error}{rounds}") from None
        number, phase, shown = int(found[1] or 0), (found[2] or "").lower(), found[3]
        if found[0].lower().startswith(WARMUP):
            phase = WARMUP
        stretches = self._stretches(number, phase)
        for segments in reversed(stretches):
            if shown is None:
                return segments[0][0].tick
            for segment, following in segments:
                tick = self._shows(segment, parse_seconds(shown))
                if tick is not None and (following is None or tick < following):
                    return tick
        known = self._rounds()
        if known and number and number not in known:
            which = f"the rounds {known[0]} to {known[-1]}" if len(known) > 1 else f"round {known[0]} alone"
            raise ValueError(f"there is no round {number}: the recording has {which}")
        raise ValueError(f"expected a time that the game displays, not {when}{self._shown_in(stretches)}")

    def _shown_in(self, stretches: list[list[tuple[Segment, int | None]]]) -> str:
        """Return, for an error message, the times that a phase of a round displays; the rounds if none has it."""
        if not stretches:
            return self._shown_range()
        begin, following = stretches[-1][0][0].tick, stretches[-1][-1][1]
        end = f", ends at {self.displayed(following - 1)}" if following else ""
        after = self.displayed(following) if following else None
        if after and ":" in after:  # the countdown of a planted bomb
            end += f", and {after} follows"
        return f" (it starts at {self.displayed(begin)}{end})"

    def _shown_range(self) -> str:
        rounds = self._rounds()
        if not rounds:
            return " (this recording has no round: 10s means seconds of the recording)"
        counted = f"each of the rounds {rounds[0]} to {rounds[-1]}" if len(rounds) > 1 else f"round {rounds[0]}"
        live = self._stretches(rounds[0], LIVE)
        begins = self.displayed(live[0][0][0].tick) if live else f"R{rounds[0]}"
        return f" (the clock counts down in {counted}: write '{begins}')"

    def _rounds(self) -> list[int]:
        return sorted({each.round_num for each in self.segments if each.round_num})

    def _stretches(self, number: int, phase: str) -> list[list[tuple[Segment, int | None]]]:
        """Return the stretches of a phase of a round, each as its segments with the tick of the next segment."""
        found: list[list[tuple[Segment, int | None]]] = []
        before: Segment | None = None
        for i, segment in enumerate(self.segments):
            if segment.round_num == number and segment.phase == phase:
                if before is None or before[1:3] != segment[1:3]:
                    found.append([])
                found[-1].append((segment, self.segments[i + 1].tick if i + 1 < len(self.segments) else None))
            before = segment
        return found

    def _shows(self, segment: Segment, seconds: float) -> int | None:
        """Return the first tick of a segment that displays so many seconds; None if none does."""
        if segment.ends is None:
            return None
        # The display truncates: 1:32 is shown until 92 seconds are left.
        if segment.held is not None:
            return segment.tick if int(segment.held) == int(seconds) else None
        ahead = segment.ends - (seconds + 1) * self.ticks_per_second
        tick = max(segment.tick, int(ahead // 1) + 1)
        return tick if tick <= segment.ends - seconds * self.ticks_per_second else None
