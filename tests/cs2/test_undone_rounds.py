"""A later recording of a match that begins with an earlier round undoes rounds of that match alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.samples.source2.cs2_match import plan
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.plan import RoundPlan
from tests.samples.source2.cs2_match.state import T

import playhead
from playhead.cs2.replay import Cs2Replay
from playhead.limits import Limits
from playhead.runtime.records import replace
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


def test_steps_of_undone_rounds_stay_unknown(tmp_path: Path) -> None:
    """A model takes neighbouring steps for neighbouring times."""
    rounds = [RoundPlan("live", number, 1, 0, T, 0, plan.T_WIN, number == 1) for number in (1, 2)]
    played = [rounds[0], replace(rounds[1], undone=True), replace(rounds[1], restores=True)]
    (tmp_path / "match.dem").write_bytes(write_cs2_match(0.3, plan=[RoundPlan("warmup", 0), *played]).data)
    corpus = playhead.scan(tmp_path, jobs=0)
    corpus.export(tmp_path / "lake", tables="player_series")
    undone = next(row for row in corpus.table("rounds").to_pylist() if row["round_num"] and not row["counts"])
    start, end = undone["start_tick"] / 64, undone["official_end_tick"] / 64
    for many in corpus, playhead.open_lake(tmp_path / "lake"):
        (game,) = many.series(fields=["x", "health"]).numpy()
        assert np.diff(game.seconds).tolist() == [1.0] * (len(game.seconds) - 1)
        within = (game.seconds > start) & (game.seconds < end)
        assert within.sum() > 1
        assert not game.mask[:, within].any()
        assert game.mask[:, ~within].any(axis=(0, 2)).all()
    (pairs,) = corpus.pairs(fields="x", actions="shots")
    times = np.array(pairs["seconds"].to_pylist())
    assert len(times)
    assert np.max(times - np.array(pairs["state_seconds"].to_pylist())) <= 1.0
