"""A later recording of a match that begins with an earlier round undoes rounds of that match alone."""

from __future__ import annotations

import pytest
from tests.samples.source2.cs2_match import plan
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.plan import RoundPlan
from tests.samples.source2.cs2_match.state import T

import playhead
from playhead.cs2.replay import Cs2Replay
from playhead.limits import Limits
from playhead.source2.container.frames import PACKET, iterate_frames

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(scope="module")
def two_matches() -> bytes:
    """Two matches of three rounds; both end."""
    rounds = [RoundPlan("live", number, 1, 0, T, 0, plan.T_WIN, number == 1) for number in (1, 2, 3)]
    return write_cs2_match(0.3, plan=[*rounds, RoundPlan("warmup", 0), *rounds]).data


def counted(data: bytes, undone_from: int | None) -> list[tuple[int, int]]:
    """Return match and number of the rounds that count."""
    replay = playhead.open(data)
    assert isinstance(replay, Cs2Replay)
    replay.undone_from = undone_from
    rows = replay.table("rounds").to_pylist()
    return [(row["match_num"], row["round_num"]) for row in rows if row["counts"]]


def test_rounds_of_a_match_that_ended_stay(two_matches: bytes) -> None:
    both = [(match, number) for match in (1, 2) for number in (1, 2, 3)]
    assert counted(two_matches, None) == both
    assert counted(two_matches, 2) == both


@pytest.mark.parametrize(("undone_from", "kept"), [(None, 3), (1, 0), (2, 1), (3, 2), (4, 3)])
def test_rounds_of_the_match_that_goes_on_are_undone(
    two_matches: bytes, undone_from: int | None, kept: int
) -> None:
    """The recording ends within the last round, before the match does."""
    packets = [frame for frame in iterate_frames(memoryview(two_matches), Limits()) if frame.command == PACKET]
    ticks = playhead.open(two_matches).table("rounds")["start_tick"].to_pylist()
    last = next(frame for frame in packets if frame.tick > ticks[-1] + 64)
    cut = two_matches[: last.payload + last.size]
    expected = [(1, 1), (1, 2), (1, 3), *((2, number) for number in range(1, kept + 1))]
    assert counted(cut, undone_from) == expected
