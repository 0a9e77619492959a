"""`GameClock`: the game's displayed time: 0:00 at the horn, negative before it, stopped in pauses.

Demo ticks continue in a pause. Since patch 7.32e, the server's clock is
``(server tick - m_nTotalPausedTicks)`` ticks (fields of the game rules entity), with ``m_nPauseStartTick`` instead
of the server tick while ``m_bGamePaused``; older builds send ``m_fGameTime`` in seconds. ``m_flGameStartTime`` is
the time of the horn on this clock, and 0 before the horn; until then the game counts down to
``m_flStateTransitionTime`` of the pre-game state.

Times sent as float32 seconds are multiples of a tick with an error of rounding. `GameClock` therefore counts in
whole ticks, and divides once, for a time in seconds.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, isfinite

from playhead.clock import GAME_TIME, Clock, Stretch
from playhead.runtime.libraries import pa
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.game_match import Pause
from playhead.source2.playback.collector import Unjoinable
from playhead.source2.playback.playback import Playback
from playhead.tables.number_columns import clock_column

RULES_CLASS = "CDOTAGamerulesProxy"
PRE_GAME, POST_GAME = 4, 6

_RULES = "m_pGameRules."
_PAUSED = _RULES + "m_bGamePaused"
_PAUSE_START = _RULES + "m_nPauseStartTick"
_TOTAL_PAUSED = _RULES + "m_nTotalPausedTicks"
_GAME_TIME = _RULES + "m_fGameTime"
_GAME_START = _RULES + "m_flGameStartTime"
_STATE = _RULES + "m_nGameState"
_TRANSITION = _RULES + "m_flStateTransitionTime"
_PAUSE_TEAM = _RULES + "m_iPauseTeam"
_WINNER = _RULES + "m_nGameWinner"

#: Tick rate of every Dota 2 server, used if the recording does not contain it.
TICKS_PER_SECOND = 30.0

#: Fields that a playback has to keep for the clock.
CLOCK_FIELDS = {
    RULES_CLASS: (
        _PAUSED,
        _PAUSE_START,
        _TOTAL_PAUSED,
        _GAME_TIME,
        _GAME_START,
        _STATE,
        _TRANSITION,
        _PAUSE_TEAM,
        _WINNER,
    )
}

# Valve's DOTA_GameState.
_STATES = tuple(
    "INIT WAIT_FOR_PLAYERS_TO_LOAD HERO_SELECTION STRATEGY_TIME PRE_GAME GAME_IN_PROGRESS POST_GAME DISCONNECT "
    "TEAM_SHOWCASE CUSTOM_GAME_SETUP WAIT_FOR_MAP_TO_LOAD SCENARIO_SETUP PLAYER_DRAFT".split()
)
_LOOK_AT_SERVER_TICK_EVERY = 150
# m_fGameTime sometimes arrives one packet late; a larger difference is a jump.
_JUMP_TICKS = 4
# Times of the server's clock are shorter than a month, in seconds.
_LONGEST_TIME = 2_600_000
# Larger than any tick.
_NO_END = 1 << 40


def state_name(number: int) -> str:
    """Return the name of a game state (``PRE_GAME``), or its number if it has no name."""
    return _STATES[number] if 0 <= number < len(_STATES) else str(number)


class ClockChange(NamedTuple):
    """From `tick` on, the server's clock runs from `time` (ticks without pauses), or is stopped at it."""

    tick: int
    time: int
    running: bool


#: Tick, offset of the server's tick, and fields of the game rules.
Seen = tuple[int, int, Mapping[str, Any]]


class GameClock:
    """Game time at any tick, collected while a recording is played; complete at its end.

    Attributes:
        changes: stops, starts and jumps of the clock, in order of ticks.
        pauses: the pauses so far.
        states: the first tick of each state of the game, in order.
        start_time: server's clock at the horn, in ticks; None until known.
        winner: number of the winning side, from the game rules; None if they have none.
        expected_start_time: end of the pre-game countdown, in ticks; None until known.
        counts_ticks: the recording has the fields of patch 7.32e and later.
        seen: in a stretch of a recording, the facts from which it learnt the clock; else None.
    """

    def __init__(self, ticks_per_second: float | None) -> None:
        self._rate = ticks_per_second or TICKS_PER_SECOND
        self.changes: list[ClockChange] = []
        self.pauses: list[Pause] = []
        self.states: list[tuple[int, int]] = []
        self.start_time: int | None = None
        self.expected_start_time: int | None = None
        self.winner: int | None = None
        self.counts_ticks = False
        self.seen: list[Seen] | None = None
        self._rules: Entity | None = None
        self._dirty = self._changed = False
        self._playback: Playback | None = None
        self._offset = 0
        self._learnt: int | None = None
        self._starts: list[int] = []

    # -- collecting -------------------------------------------------------------------------------------

    def attach(self, playback: Playback) -> None:
        """Register handlers at a playback, which has to keep `CLOCK_FIELDS`."""
        self._playback = playback
        known = EntityOp.CREATED | EntityOp.UPDATED
        playback.entities.on_entity(self._on_rules, RULES_CLASS, known)
        playback.entities.on_entity(FieldWatch(CLOCK_FIELDS[RULES_CLASS], self._on_change), RULES_CLASS, known)
        playback.after_packet(self._after_packet)
        playback.call_after(0, self._look)

    def _on_rules(self, entity: Entity, _op: EntityOp) -> None:
        self._rules = entity
        self._dirty = True

    def _on_change(self, _rules: Entity, _op: EntityOp) -> None:
        self._changed = True

    def _after_packet(self, tick: int) -> None:
        if self._dirty:
            self._update(tick)

    def catch_up(self) -> None:
        """Read the present state if the playback stopped at a full packet, without a packet after it."""
        if self._playback is not None:
            self._update(self._playback.tick)

    def _look(self, next_tick: int) -> None:
        """Check for a jump of the server's clock, which changes no field of the game rules."""
        if self._playback is None:
            return
        # A recording begins with the rules; the server's tick arrives with the first packet after them.
        begun = self._playback.server_tick_offset is not None or next_tick > _LOOK_AT_SERVER_TICK_EVERY
        if begun:
            self._update(self._playback.tick)
        self._playback.call_after(next_tick + _LOOK_AT_SERVER_TICK_EVERY if begun else next_tick, self._look)

    def _update(self, tick: int) -> None:
        if self._rules is None or self._playback is None or tick < 0:
            return
        offset = self._offset
        self._offset = self._playback.server_tick_offset or 0
        if self._dirty or offset != self._offset:
            self._dirty = False
            # Nearly every packet changes other fields of the rules; the clock then runs unchanged.
            if not self._changed and self._learnt == self._offset:
                return
            self._changed = False
            if self.seen is not None:
                fields = {name: self._rules.get(name) for name in CLOCK_FIELDS[RULES_CLASS]}
                known = {name: value for name, value in fields.items() if value is not None}
                self.seen.append((tick, self._offset, known))
            self._learn(self._rules, tick)
            counted = self._rules.get(_GAME_TIME) is None and not self._rules.get(_PAUSED)
            self._learnt = self._offset if counted else None

    def part(self) -> list[Seen]:
        """Return the facts that a stretch has seen."""
        return self.seen or []

    def put_before(self, earlier: Iterable[Sequence[Seen]]) -> None:
        """Learn the clock again, from the facts of the stretches before and then from its own; raise `Unjoinable`
        if a stretch does not begin with the clock of the one before it."""
        self.changes, self.pauses, self.states, self._starts = [], [], [], []
        self.start_time = self.expected_start_time = self.winner = None
        for seen in [*earlier, self.part()]:
            for number, (tick, offset, fields) in enumerate(seen):
                before = list(self.changes)
                self._offset = offset
                self._learn(fields, tick)
                if not number and before and before != self.changes:
                    raise Unjoinable

    def _learn(self, rules: Entity | Mapping[str, Any], tick: int) -> None:
        state = rules.get(_STATE)
        if state is not None and (not self.states or self.states[-1][1] != state):
            self.states.append((tick, state))
        self.winner = rules.get(_WINNER)
        if (start := self._ticks(rules.get(_GAME_START))) is not None:
            self.start_time = start
        if state == PRE_GAME and (transition := self._ticks(rules.get(_TRANSITION))) is not None:
            self.expected_start_time = transition
        paused = bool(rules.get(_PAUSED))
        was_paused = bool(self.pauses) and self.pauses[-1].end is None
        reported = self._ticks(rules.get(_GAME_TIME), zero=True)
        if reported is not None:
            self._learn_reported(tick, reported, paused)
        else:
            self._learn_counted(rules, tick, paused)
        if paused and not was_paused:
            self.pauses.append(Pause(self.changes[-1].tick, None, rules.get(_PAUSE_TEAM) or None))
        elif was_paused and not paused:
            pause = self.pauses[-1]
            self.pauses[-1] = pause._replace(end=max(pause.start, self.changes[-1].tick))

    def _ticks(self, seconds: object, zero: bool = False) -> int | None:
        """Convert a time of the server's clock to whole ticks; None if it is not a time.

        `zero`: the time 0 is known too; otherwise it means an unknown time.
        """
        if not isinstance(seconds, int | float) or not isfinite(seconds) or abs(seconds) > _LONGEST_TIME:
            return None
        return round(seconds * self._rate) if seconds or zero else None

    def _learn_reported(self, tick: int, time: int, paused: bool) -> None:
        """Update the clock of older builds, sent in seconds."""
        last = self.changes[-1] if self.changes else None
        if last is None or last.running == paused or abs(time - self._time(tick)) > _JUMP_TICKS:
            self._change(ClockChange(tick, time, not paused))

    def _learn_counted(self, rules: Entity | Mapping[str, Any], tick: int, paused: bool) -> None:
        """Update the clock of newer builds, in server ticks minus paused ticks."""
        self.counts_ticks = self.counts_ticks or rules.get(_TOTAL_PAUSED) is not None
        total = rules.get(_TOTAL_PAUSED, 0)
        last = self.changes[-1] if self.changes else None
        if paused:
            # A pause is sent one packet late; the field contains its tick.
            began = rules.get(_PAUSE_START) or tick + self._offset
            self._change(ClockChange(min(tick, began - self._offset), began - total, False))
            return
        time = tick + self._offset - total
        if last is not None and not last.running:
            # Its end is sent late too: until now the clock was stopped at this time.
            late = time - last.time
            if 0 <= late <= tick - last.tick:
                self._change(ClockChange(tick - late, last.time, True))
                return
        if last is None or time != self._time(tick):
            self._change(ClockChange(tick, time, True))

    def _change(self, change: ClockChange) -> None:
        """Append a change of the clock; it replaces changes at later ticks."""
        while self.changes and self.changes[-1].tick >= change.tick:
            self.changes.pop()
            self._starts.pop()
        if self.changes:
            last = self.changes[-1]
            if not change.running and not last.running and change.time == last.time:
                return
        self.changes.append(change)
        self._starts.append(change.tick)

    # -- reading ----------------------------------------------------------------------------------------

    def _time(self, tick: int) -> int:
        change = self.changes[max(0, bisect_right(self._starts, tick) - 1)]
        return change.time + tick - change.tick if change.running else change.time

    def server_seconds(self, tick: int) -> float | None:
        """Return the server's clock without pauses, as in times of entity fields and combat-log entries; None
        before the first known time.
        """
        if tick < 0 or not self.changes or tick < self.changes[0].tick:
            return None
        return self._time(tick) / self._rate

    def ticks_between(self, first: int, last: int) -> int | None:
        """Return the ticks on the server's clock between two demo ticks; None if it is unknown at either."""
        known = self.changes and min(first, last) >= self.changes[0].tick
        return self._time(last) - self._time(first) if known else None

    @property
    def horn(self) -> int | None:
        """The server's clock at the horn, in ticks: as sent, else the end of the pre-game countdown."""
        return self.expected_start_time if self.start_time is None else self.start_time

    @property
    def horn_tick(self) -> int | None:
        """Demo tick of 0:00; None if unknown, or outside the recording."""
        tick = None if self.start_time is None else self.tick_at(0.0)
        return None if tick is None or self._time(tick) - (self.start_time or 0) > 1 else tick

    def game_seconds(self, tick: int) -> float | None:
        """Return the seconds since the horn at a demo tick, negative before it; None if unknown."""
        return self.game_seconds_at((tick,))[0]

    def game_seconds_at(self, ticks: Sequence[int | None]) -> list[float | None]:
        """As `game_seconds`, for many ticks."""
        horn = self.horn
        if horn is None or not self.changes:
            return [None] * len(ticks)
        first = max(0, self._starts[0])
        found: list[float | None] = []
        # As `_time`, without a search for each of several consecutive ticks.
        begin = end = 0
        for tick in ticks:
            if tick is None or tick < first:
                found.append(None)
                continue
            if not begin <= tick < end:
                at = bisect_right(self._starts, tick) - 1
                change = self.changes[at]
                begin = change.tick
                end = self._starts[at + 1] if at + 1 < len(self._starts) else tick + _NO_END
            time = change.time + tick - begin if change.running else change.time
            found.append((time - horn) / self._rate)
        return found

    def game_seconds_column(self, ticks: pa.Array) -> pa.Array:
        """As `game_seconds`, for an int32 column without nulls."""
        if (horn := self.horn) is None:
            return pa.nulls(len(ticks), pa.float64())
        times = array("d", [change.time for change in self.changes])
        running = array("B", [change.running for change in self.changes])
        return clock_column(ticks, array("q", self._starts), times, running, horn, self._rate)

    def paused_at(self, ticks: Sequence[int]) -> list[bool | None]:
        """Return whether the game is paused at each of some ticks; None where `game_seconds_at` is None."""
        known = self.horn is not None and bool(self.changes)
        first = max(0, self._starts[0]) if known else 0
        return [
            None if not known or tick < first else not self.changes[bisect_right(self._starts, tick) - 1].running
            for tick in ticks
        ]

    def displayed_clock(self) -> Clock:
        """Return the `Clock` of the displayed time; it has no stretches if the recording lacks the horn."""
        horn = self.horn
        if horn is None:
            return Clock(self._rate, (), label=GAME_TIME)
        stretches = (
            Stretch(change.tick, (change.time - horn) / self._rate, change.running) for change in self.changes
        )
        return Clock(self._rate, tuple(stretches), label=GAME_TIME)

    def tick_at(self, game_seconds: float) -> int | None:
        """Return the first demo tick with that displayed time or a later one; None without one."""
        horn = self.horn
        if horn is None:
            return None
        time = horn + ceil(game_seconds * self._rate - 1e-4)
        for change, following in zip(self.changes, [*self._starts[1:], None], strict=True):
            if change.time >= time:
                return change.tick
            if not change.running:
                continue
            tick = change.tick + time - change.time
            if following is None or tick <= following:
                return tick
        return None
