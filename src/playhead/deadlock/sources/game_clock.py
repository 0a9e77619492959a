"""`DeadlockClock`: the game's displayed time: 0:00 when the barriers drop, negative before, stopped in pauses.

The game rules entity has the displayed time at a tick of the server: ``m_flMatchClockAtLastUpdate`` at
``m_nMatchClockUpdateTick``. Older builds have only ``m_flGameStartTime``, the server's time of 0:00.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

from playhead.clock import GAME_TIME, Clock, Stretch
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.game_match import Pause, places_of
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.wire import first_number
from playhead.source2.playback.playback import Playback
from playhead.tables.value_arrays import array_of

RULES_CLASS = "CCitadelGameRulesProxy"
_RULES = "m_pGameRules."
_AT_UPDATE = _RULES + "m_flMatchClockAtLastUpdate"
_UPDATE_TICK = _RULES + "m_nMatchClockUpdateTick"
_START = _RULES + "m_flGameStartTime"
_PAUSED = _RULES + "m_bGamePaused"
_SERVER_PAUSED = _RULES + "m_bServerPaused"
_PAUSE_START = _RULES + "m_nPauseStartTick"
_TOTAL_PAUSED = _RULES + "m_nTotalPausedTicks"
_PAUSE_TEAM = _RULES + "m_iPauseTeam"

#: Fields that a playback has to keep for the clock.
CLOCK_FIELDS = {
    RULES_CLASS: (
        *(_AT_UPDATE, _UPDATE_TICK, _START, _PAUSED, _SERVER_PAUSED, _PAUSE_START, _TOTAL_PAUSED, _PAUSE_TEAM),
    )
}

#: Tick rate of servers, used if the recording does not contain it.
TICKS_PER_SECOND = 64.0

# Times of a match are shorter than a month, in seconds.
_LONGEST_TIME = 2_600_000
# A smaller difference, in seconds, is an error of rounding and no jump of the clock.
_JUMP = 1e-3


class DeadlockClock:
    """Game time at any tick, collected while a recording is played; complete at its end. `first_tick` is the
    first with game rules."""

    def __init__(self, ticks_per_second: float | None) -> None:
        self.rate = ticks_per_second or TICKS_PER_SECOND
        self.stretches: list[Stretch] = []
        self.pauses: list[Pause] = []
        self._starts: list[int] = []
        self._rules: Entity | None = None
        self._playback: Playback | None = None
        self.first_tick: int | None = None
        self._offset: int | None = None
        self._read: tuple[object, ...] = ()

    # -- collecting -------------------------------------------------------------------------------------

    def attach(self, playback: Playback, *, is_broadcast: bool = False) -> None:
        """Register handlers at a playback, which has to keep `CLOCK_FIELDS`.

        In a file the server's tick and the demo's differ by the same number all the time; in a broadcast each
        packet is asked.
        """
        self._playback = playback
        watch = FieldWatch(CLOCK_FIELDS[RULES_CLASS], self._on_rules)
        playback.entities.on_entity(watch, RULES_CLASS)
        if is_broadcast:
            playback.on_message(Engine.NET_TICK, self._on_server_tick)
            playback.after_packet(self._after_packet)
        else:
            playback.call_after(0, self._after_packet)

    def _on_rules(self, rules: Entity, op: EntityOp) -> None:
        if not op & EntityOp.DELETED:
            self._rules = rules
            if self._playback is not None:
                self._after_packet(self._playback.tick)

    def _on_server_tick(self, tick: int, payload: bytes) -> None:
        """Note the server's tick of each packet: a frame of a broadcast has the tick of the packet before."""
        server_tick = first_number(payload)
        if tick >= 0 and server_tick >= 0 and server_tick - tick != self._offset:
            self._offset = server_tick - tick
            self._after_packet(tick)

    def catch_up(self) -> None:
        """Read the present state if the playback stopped at a full packet, without a packet after it."""
        if self._playback is not None:
            if self._rules is None:
                self._rules = self._playback.entities.find_by_class_name(RULES_CLASS)
            self._after_packet(self._playback.tick)

    def _after_packet(self, tick: int) -> None:
        rules, playback = self._rules, self._playback
        if playback is None or rules is None or tick < 0:
            return
        offset = playback.server_tick_offset if self._offset is None else self._offset
        if offset is None:
            return
        if self.first_tick is None:
            self.first_tick = tick
        get = rules.get
        read = (
            *(get(_AT_UPDATE), get(_UPDATE_TICK), get(_START), get(_PAUSED), get(_SERVER_PAUSED)),
            *(get(_PAUSE_START), get(_TOTAL_PAUSED), offset),
        )
        if read != self._read:
            self._read = read
            self._learn(rules, tick, offset)

    def _learn(self, rules: Entity, tick: int, offset: int) -> None:
        paused = bool(rules.get(_PAUSED)) or bool(rules.get(_SERVER_PAUSED))
        was_paused = bool(self.pauses) and self.pauses[-1].end is None
        start = tick
        if paused and not was_paused:
            begun = rules.get(_PAUSE_START)
            if isinstance(begun, int) and 0 < begun - offset <= tick:
                start = begun - offset
            team = rules.get(_PAUSE_TEAM)
            self.pauses.append(Pause(start, None, team if team in (2, 3) else None))
        elif paused:
            return  # the time of a pause is known from its first tick
        elif was_paused:
            self.pauses[-1] = self.pauses[-1]._replace(end=max(tick, self.pauses[-1].start))
        time = self._time_of(rules, start, offset)
        if time is None:
            return
        if was_paused and self.stretches:
            # An update that the game did not repeat after the pause counts the paused ticks too.
            stopped = self.stretches[-1].displayed
            if time - stopped > _JUMP:
                at = rules.get(_UPDATE_TICK)
                repeated = isinstance(at, int) and at - offset >= self.pauses[-1].start
                time = time if repeated else stopped
        known = self.displayed_clock().displayed_seconds(start)
        if known is not None and abs(known - time) < _JUMP and self.stretches[-1].running != paused:
            return
        if not self.stretches and not paused and self.first_tick is not None and self.first_tick < start:
            # 0:00 is known only once the barriers drop; the time before is negative.
            time -= (start - self.first_tick) / self.rate
            start = self.first_tick
        self._change(Stretch(start, time, not paused))

    def _time_of(self, rules: Entity, tick: int, offset: int) -> float | None:
        """Return the displayed time at a tick by the fields of the game rules; None before they have it."""
        at, since, begun = rules.get(_AT_UPDATE), rules.get(_UPDATE_TICK), rules.get(_START)
        if _is_time(at) and isinstance(since, int) and since > 0:
            return float(at) + (tick + offset - since) / self.rate
        if _is_time(begun) and begun > 0:
            total = rules.get(_TOTAL_PAUSED)
            return (tick + offset - (total if isinstance(total, int) else 0)) / self.rate - float(begun)
        return None

    def _change(self, change: Stretch) -> None:
        """Append a change of the clock; it replaces changes at later ticks."""
        while self._starts and self._starts[-1] >= change.tick:
            self._starts.pop()
            self.stretches.pop()
        self.stretches.append(change)
        self._starts.append(change.tick)

    # -- reading ----------------------------------------------------------------------------------------

    def game_seconds_at(self, ticks: Sequence[int | None]) -> list[float | None]:
        """Return the displayed time in seconds at demo ticks; None if unknown."""
        return self.displayed_clock().game_seconds_at(ticks)

    def game_seconds_column(self, ticks: pa.Array) -> pa.Array:
        """As `game_seconds_at`, for a column."""
        number = pa.float64()
        known = pc.unique(ticks).sort()
        which = places_of(self._starts, known.to_pylist())
        starts = array_of([float(start) for start in self._starts], number).take(which)
        rates = array_of([self.rate if each.running else inf for each in self.stretches], number).take(which)
        stopped = array_of([each.displayed for each in self.stretches], number).take(which)
        shown = pc.add(pc.divide(pc.subtract(known.cast(number), starts), rates), stopped)
        return shown.take(pc.index_in(ticks, known))

    def displayed_clock(self) -> Clock:
        """Return the `Clock` of the displayed time; it has no stretches if the recording lacks 0:00."""
        return Clock(self.rate, tuple(self.stretches), label=GAME_TIME)


def _is_time(seconds: object) -> bool:
    return isinstance(seconds, int | float) and isfinite(seconds) and abs(seconds) < _LONGEST_TIME
