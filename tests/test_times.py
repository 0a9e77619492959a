"""One grammar of time in every format, and moments that a recording does not have."""

from __future__ import annotations

from pathlib import Path

import pytest

import playhead

FORMATS = ["source2", "sc2", "teehistorian"]


@pytest.mark.parametrize("format", FORMATS)
def test_one_grammar(samples: dict[str, Path], format: str) -> None:
    replay = playhead.open(samples[format])
    clock = replay.info.clock
    assert clock is not None
    assert replay.to_tick("22t") == replay.to_tick(22) == 22
    assert replay.to_tick("2.5s") == replay.to_tick(2.5) == clock.tick(2.5)
    shown = replay.clock.displayed(100) if replay.clock is not None else None
    if shown is not None:
        assert abs(replay.to_tick(shown) - 100) <= clock.ticks_per_second
    for bare in ("7", "7.5", "-7"):
        with pytest.raises(ValueError, match="for a tick"):
            replay.to_tick(bare)


@pytest.mark.parametrize("format", FORMATS)
def test_a_moment_that_is_not_there_is_refused_with_the_range(samples: dict[str, Path], format: str) -> None:
    replay = playhead.open(samples[format])
    last = replay.info.duration_ticks
    assert last is not None
    assert replay.at(last).tick == last
    for when in (10**7, f"{10**7}t", 1e6, -5):
        with pytest.raises(ValueError, match=rf"from tick (0|-1) to {last} \(.* time .* to .*\), got"):
            replay.at(when)
