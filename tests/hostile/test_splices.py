"""A member of another recording that its bytes give away is a problem."""

from __future__ import annotations

import pytest
from tests.samples.sc2 import events, replay

import playhead


@pytest.mark.parametrize("loops", [640, 66_400])
def test_checksums_of_another_game(loops: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sync = events.sample_sync
    with playhead.open(replay.sample_bytes()) as sound:
        assert not sound.problems
    monkeypatch.setattr(events, "sample_sync", lambda _: sync(loops))
    with playhead.open(replay.sample_bytes()) as spliced:
        (problem,) = spliced.problems
    assert "expected checksums up to about loop 6720" in problem.what
    assert (problem.where, problem.cost) == ("replay.sync.events", "the table sync")
