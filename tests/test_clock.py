"""Ticks to seconds and back, and how seconds are shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.clock import Clock, format_seconds


@given(st.integers(-(2**31), 2**31), st.sampled_from([16.0, 22.4, 30.0, 50.0, 64.0]))
def test_a_tick_survives_the_way_to_seconds_and_back(tick: int, rate: float) -> None:
    clock = Clock(rate)
    assert clock.tick(clock.seconds(tick) + 0.5 / rate) == tick


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "00:00"), (75.9, "01:15"), (3600, "1:00:00"), (45296, "12:34:56"), (-90, "-01:30")]
)
def test_display(seconds: float, shown: str) -> None:
    assert format_seconds(seconds) == shown
