"""Ticks to seconds and back, and how seconds are shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.clock import Clock, Stretch, format_seconds, parse_seconds, plain_when, when_played


@pytest.mark.long
@given(st.integers(-(2**31), 2**31), st.sampled_from([16.0, 22.4, 30.0, 50.0, 64.0]))
def test_a_tick_survives_the_way_to_seconds_and_back(tick: int, rate: float) -> None:
    clock = Clock(rate)
    assert clock.tick(clock.seconds(tick) + 0.5 / rate) == tick


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "00:00"), (75.9, "01:15"), (3600, "1:00:00"), (45296, "12:34:56"), (-90, "-01:30")]
)
def test_display(seconds: float, shown: str) -> None:
    assert format_seconds(seconds) == shown


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("843", 843), ("14:03", 843), ("14:03.5", 843.5), ("1:14:03", 4443), (" 5:00 ", 300)],
)
def test_seconds_from_text(text: str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "x", "-1", "1:2:3:4", "4:60", "60:00:60", "1::2", "1.5:00", "1:", "٣"])
def test_text_that_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_seconds(text)


PAUSED = Clock(10.0, (Stretch(50, -5.0, True), Stretch(130, 3.0, False), Stretch(200, 3.0, True)))


@pytest.mark.parametrize(
    ("tick", "shown"), [(49, None), (50, "-0:05"), (100, "0:00"), (130, "0:03"), (199, "0:03"), (220, "0:05")]
)
def test_the_time_that_the_game_shows_stands_in_a_pause(tick: int, shown: str | None) -> None:
    assert PAUSED.displayed(tick) == shown
    assert Clock(10.0).displayed(tick) == f"0:{tick // 10:02}"
    assert Clock(10.0, ()).displayed(tick) is None


@pytest.mark.parametrize(
    ("when", "tick"),
    [
        ("-0:05", 50),
        ("0:00", 100),
        ("0:03", 130),
        ("0:03.1", 201),
        ("0:05", 220),
        (2.0, 20),
        ("2s", 20),
        ("2.5s", 25),
        ("7t", 7),
        (7, 7),
    ],
)
def test_a_tick_from_what_people_write(when: float | str, tick: int) -> None:
    assert PAUSED.tick_at(when) == tick
    assert PAUSED.tick_at(tick) == tick


@pytest.mark.parametrize("when", ["750", "-5", "2.5"])
def test_a_bare_number_in_text_is_no_time(when: str) -> None:
    with pytest.raises(ValueError, match=rf"{when}s for seconds.* for a tick"):
        PAUSED.tick_at(when)


@pytest.mark.parametrize("when", ["-1:00", "soon", ""])
def test_a_time_that_was_never_shown(when: str) -> None:
    with pytest.raises(ValueError, match="expected a time"):
        PAUSED.tick_at(when)
    with pytest.raises(ValueError, match="expected a time"):
        Clock(10.0).tick_at(when)
    with pytest.raises(ValueError, match="expected a time"):
        Clock(10.0, ()).tick_at("0:01")


def test_wall_seconds() -> None:
    assert Clock(16.0, wall_ticks_per_second=22.4).wall_seconds(224) == 10.0
    assert Clock(16.0).wall_seconds(32) == 2.0


def test_a_recording_that_begins_within_a_second_has_that_second() -> None:
    begun = Clock(10.0, (Stretch(0, 3.3, True),))
    assert begun.displayed(0) == "0:03"
    assert begun.tick_at("0:03") == 0
    for earlier in ("0:02", "0:00", "-0:03"):
        with pytest.raises(ValueError, match="that the game displays, not"):
            begun.tick_at(earlier)


def test_which_clock_is_shown() -> None:
    assert Clock(10.0).label == "recording time"
    assert Clock(10.0).game_seconds(20) is None
    assert Clock(10.0, label="game time").game_seconds(20) == 2.0


@pytest.mark.parametrize("rate", [10.0, 16.0, 22.4, 30.0, 50.0, 64.0])
def test_a_shown_time_leads_to_a_tick_that_shows_it(rate: float) -> None:
    clock = Clock(rate)
    for tick in range(2000):
        shown = clock.displayed(tick)
        assert shown is not None
        there = clock.tick_at(shown)
        assert (clock.displayed(there), there <= tick) == (shown, True)
        assert there == 0 or clock.displayed(there - 1) != shown


@pytest.mark.parametrize("rate", [16.0, 30.0, 64.0])
def test_a_time_before_the_start_leads_to_a_tick_that_shows_it(rate: float) -> None:
    clock = Clock(rate, (Stretch(3, -47.31, True),))
    for tick in range(3, 3 + int(60 * rate)):
        shown = clock.displayed(tick)
        assert shown is not None
        if shown.startswith("-") or tick > 3 + 48 * rate:
            assert clock.displayed(clock.tick_at(shown)) == shown


@pytest.mark.parametrize(
    ("when", "plain"),
    [
        (np.int32(7), 7),
        (np.uint64(7), 7),
        (np.float32(2.5), 2.5),
        (timedelta(minutes=1), 60.0),
        (" 7t ", 7),
        ("0:30", "0:30"),
    ],
)
def test_numbers_of_other_libraries_are_points_in_time(when: object, plain: float | str) -> None:
    found = plain_when(when)
    assert (found, type(found)) == (plain, type(plain))


@pytest.mark.parametrize("when", [None, True, b"0:30", [1]])
def test_what_is_no_point_in_time_is_a_type_error(when: object) -> None:
    with pytest.raises(TypeError, match="expected a tick"):
        plain_when(when)


@pytest.mark.parametrize("when", [float("nan"), float("inf")])
def test_seconds_are_finite(when: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        plain_when(when)


def test_when_it_was_played_is_one_of_three_times() -> None:
    start, end = datetime(2026, 5, 31, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
    assert when_played(start, end, 60.0) == (start, "start")
    assert when_played(None, end, 60.0) == (end - timedelta(minutes=1), "end_less_duration")
    for unknown in (None, -1.0, 1e300, float("nan")):
        assert when_played(None, end, unknown) == (end, "end")
    assert when_played(None, None, 60.0) == (None, None)
