"""Ticks to seconds and back, and how seconds are shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.clock import Clock, format_seconds, parse_seconds


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
