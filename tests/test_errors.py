"""One tree, and texts that say where."""

from __future__ import annotations

import pytest

import playhead
from playhead import Problem


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (playhead.UnknownFormat, ValueError),
        (playhead.UnsupportedVersion, ValueError),
        (playhead.CorruptReplay, ValueError),
        (playhead.TruncatedReplay, EOFError),
        (playhead.LimitExceeded, ValueError),
    ],
)
def test_every_error_is_a_replay_error_and_a_builtin(
    error: type[playhead.ReplayError], builtin: type[Exception]
) -> None:
    assert issubclass(error, playhead.ReplayError)
    assert issubclass(error, builtin)


def test_a_truncated_replay_is_a_corrupt_one() -> None:
    assert issubclass(playhead.TruncatedReplay, playhead.CorruptReplay)


def test_text_names_the_place() -> None:
    error = playhead.CorruptReplay("expected x, found y", offset=16)
    assert str(error) == "offset 0x10: expected x, found y"
    error.locate(file="a.dem", where="frame", offset=99, tick=7)
    assert str(error) == "a.dem, frame, offset 0x10, tick 7: expected x, found y"
    assert error.offset == 16


def test_a_problem_keeps_what_the_error_knew() -> None:
    error = playhead.TruncatedReplay("expected 4 bytes", offset=3, tick=9)
    problem = Problem.from_error(error, cost="the rest", where="stream")
    assert problem == Problem("stream", 3, 9, "expected 4 bytes", "the rest", "TruncatedReplay")
    assert str(problem) == "stream, offset 0x3, tick 9: expected 4 bytes (the rest)"
    assert problem.as_dict()["cost"] == "the rest"


def test_a_message_is_no_longer_than_people_read() -> None:
    """A damaged schema quoted a type of 500 kB once for each problem."""
    error = playhead.CorruptReplay("expected a name, got " + "x" * 100_000)
    assert len(str(error)) == len(Problem.from_error(error, cost="").what) == 1000
