"""The game's clock, from rules entities whose truth the test knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.source2.dota2 import LAST_TICK

from playhead.dota2.sources import game_clock
from playhead.dota2.sources.game_clock import GameClock, state_name

RATE = 30
SERVER_AHEAD = 1000


@pytest.fixture(scope="module", autouse=True)
def watch_of_fakes() -> Iterator[None]:
    """A watch of fields reads entities alone; of the fake ones every update is passed on, as it may be."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game_clock, "FieldWatch", lambda _names, handler: handler)
        yield


class FakePlayback:
    """Calls a clock's handlers as a playback would."""

    def __init__(self) -> None:
        self.entities = self
        self.rules_handlers: list[Callable[..., None]] = []
        self.packet_handlers: list[Callable[..., None]] = []
        self.rules: dict[str, Any] = {}
        self.tick = -1
        self.server_tick_offset = 0

    def on_entity(self, handler: Callable[..., None], class_name: str, op: int) -> None:
        assert class_name == "CDOTAGamerulesProxy"
        self.rules_handlers.append(handler)

    def after_packet(self, handler: Callable[..., None]) -> None:
        self.packet_handlers.append(handler)

    def call_after(self, tick: int, handler: Callable[..., None]) -> None:
        self.call = tick, handler

    def get(self, name: str, default: Any = None) -> Any:
        return self.rules.get(name.removeprefix("m_pGameRules."), default)

    def packet(self, tick: int, **rules: Any) -> None:
        if self.call[0] < tick:
            self.call[1](tick)
        self.tick, self.server_tick_offset = tick, SERVER_AHEAD
        if rules:
            self.rules.update(rules)
            for handler in self.rules_handlers:
                handler(self, 2)
            for handler in self.packet_handlers:
                handler(tick)


def clock_and_playback() -> tuple[GameClock, FakePlayback]:
    clock, playback = GameClock(float(RATE)), FakePlayback()
    clock.attach(playback)  # type: ignore[arg-type]
    return clock, playback


def play(clock_of: str, pauses: list[tuple[int, int]], late: int, last: int) -> GameClock:
    """A game whose horn is at tick 300, with pauses (first tick, length), told `late` ticks after they happen."""
    clock, playback = clock_and_playback()
    horn = (300 - paused_before(pauses, 300) + SERVER_AHEAD) / RATE
    for tick in range(0, last, 2):
        rules: dict[str, Any] = {}
        known = [(begin, length) for begin, length in pauses if begin + late <= tick]
        paused = bool(known) and tick < sum(known[-1]) + late
        if clock_of == "old":
            rules["m_fGameTime"] = (tick - paused_before(pauses, tick) + SERVER_AHEAD) / RATE
        else:
            rules["m_nPauseStartTick"] = known[-1][0] + SERVER_AHEAD if paused else 0
            rules["m_nTotalPausedTicks"] = sum(length for _, length in (known[:-1] if paused else known))
        rules |= {"m_bGamePaused": paused, "m_nGameState": 5 if tick >= 300 else 4}
        rules |= {"m_flGameStartTime": horn if tick >= 300 else 0.0, "m_flStateTransitionTime": horn}
        playback.packet(
            tick, **{name: value for name, value in rules.items() if playback.rules.get(name) != value}
        )
    return clock


def paused_before(pauses: list[tuple[int, int]], tick: int) -> int:
    return sum(max(0, min(tick, begin + length) - begin) for begin, length in pauses)


@pytest.mark.parametrize("form", ["new", "old"])
def test_pauses_stop_the_clock(form: str) -> None:
    pauses = [(600, 90), (1200, 30)]
    clock = play(form, pauses, 0, 2000)
    assert [(pause.start, pause.end) for pause in clock.pauses] == [(600, 690), (1200, 1230)]
    for tick in (0, 300, 599, 600, 640, 690, 691, 1199, 1215, 1231, 1990):
        expected = (tick - paused_before(pauses, tick) - 300) / RATE
        assert clock.game_seconds(tick) == pytest.approx(expected, abs=1e-4)


@given(
    gaps=st.lists(st.tuples(st.integers(12, 300), st.integers(12, 200)), max_size=4),
    late=st.integers(0, 5),
)
def test_any_pauses_even_if_told_late(gaps: list[tuple[int, int]], late: int) -> None:
    pauses, at = [], 310
    for gap, length in gaps:
        pauses.append((at + gap, length))
        at += gap + length
    clock = play("new", pauses, late, at + 60)
    assert [(pause.start, pause.end) for pause in clock.pauses] == [(begin, begin + n) for begin, n in pauses]
    for tick in range(0, at + 58, 7):
        expected = (tick - paused_before(pauses, tick) - 300) / RATE
        assert clock.game_seconds(tick) == pytest.approx(expected, abs=1e-4)


def test_before_the_horn_it_counts_down() -> None:
    clock = play("new", [], 0, 200)
    assert clock.start_time is None
    assert clock.game_seconds(0) == pytest.approx(-10.0)


def test_a_pause_that_does_not_end() -> None:
    clock = play("new", [(400, 10_000)], 0, 600)
    assert [(pause.start, pause.end) for pause in clock.pauses] == [(400, None)]
    assert clock.game_seconds(590) == clock.game_seconds(400) == pytest.approx(100 / RATE)
    assert clock.tick_at(50.0) is None


def test_nothing_is_made_up() -> None:
    clock, playback = clock_and_playback()
    playback.packet(10)
    assert clock.game_seconds(10) is None
    playback.packet(20, m_nGameState=2, m_bGamePaused=False, m_nTotalPausedTicks=0)
    assert clock.game_seconds(20) is None  # no horn in sight
    assert clock.server_seconds(20) == pytest.approx((20 + SERVER_AHEAD) / RATE)
    assert clock.server_seconds(10) is None
    assert clock.tick_at(0.0) is None


def test_ticks_of_game_times() -> None:
    clock = play("new", [(600, 90)], 0, 2000)
    for tick in (0, 299, 300, 599, 600, 691, 1500):
        time = clock.game_seconds(tick)
        assert time is not None
        assert clock.tick_at(time) == (600 if 600 <= tick <= 690 else tick)


def test_a_horn_before_the_recording_is_not_in_it() -> None:
    clock, playback = clock_and_playback()
    playback.packet(20, m_nGameState=5, m_bGamePaused=False, m_flGameStartTime=10.0)
    assert clock.game_seconds(20) == pytest.approx((20 + SERVER_AHEAD) / RATE - 10)
    assert clock.horn_tick is None
    assert play("new", [], 0, 400).horn_tick == 300


def test_unknown_states_keep_their_number() -> None:
    assert (state_name(5), state_name(99), state_name(-1)) == ("GAME_IN_PROGRESS", "99", "-1")


def test_the_clock_of_a_replay(sample: Any) -> None:
    clock = sample.replay.clock
    periods = sample.replay.table("periods").to_pylist()
    (pause,) = (row for row in periods if row["kind"] == "pause")
    states = [row for row in periods if row["kind"] != "pause"]
    for row, following in pairwise(states):
        assert row["end_tick"] == following["tick"]
    (game,) = (row for row in states if row["kind"] == "game")
    assert (game["state"], game["number"], game["end_tick"]) == ("GAME_IN_PROGRESS", 1, LAST_TICK)
    assert states[-1]["kind"] == "post_game"
    shown = [clock.displayed_seconds(pause[column]) for column in ("tick", "end_tick")]
    assert shown == pytest.approx([pause["game_seconds"]] * 2, abs=1e-3)
    tick = clock.tick_displayed(60.0)
    assert tick == sample.replay.to_tick("1:00")
    assert clock.displayed_seconds(tick) == pytest.approx(60.0, abs=1 / RATE)
    rules = sample.replay.at(tick).entities.find_by_class_name("CDOTAGamerulesProxy")
    assert rules["m_pGameRules.m_bGamePaused"] is False
