"""Typed events of real replays: all of them, each of its class, in time order."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

import playhead
from playhead.sc2.events import Event
from playhead.sc2.replay import Sc2Replay

#: Every 23rd file by default; all 330 were run once, with 3,919,839 events.
STEP = 23
#: The tracker of this resumed game starts over at loop 0, and its order is kept.
STARTS_OVER = "2.1.3.30508/2.1.3.28667__Habitation_Station_LE__54_.SC2Replay"


@pytest.mark.slow_interpreted
def test_every_event_is_typed_and_none_is_lost(corpus: Path) -> None:
    with (corpus / "sc2" / "INDEX.csv").open(encoding="utf-8", newline="") as file:
        files = [row["file"] for row in csv.DictReader(file)]
    kinds: Counter[str] = Counter()
    for name in [*files[::STEP], STARTS_OVER]:
        replay = playhead.open(corpus / "sc2" / name)
        assert isinstance(replay, Sc2Replay)
        loop, found = 0, Counter[tuple[str, int]]()
        for event in replay.events():
            assert type(event) is not Event, (name, event)
            assert event.loop >= loop or name == STARTS_OVER
            loop = event.loop
            found[event.name, event.number] += 1
            kinds[event.kind] += 1
        counts = replay.table("event_counts").to_pylist()
        assert found == {(row["event"], row["number"]): row["count"] for row in counts}, name
    assert len(kinds) > 30
    assert kinds["command"] > 10_000
