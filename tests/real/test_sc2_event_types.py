"""Typed events of real replays: all of them, each of its class, in time order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.opened import open_as
from tests.real.sc2_index import sc2_rows

from playhead.blizzard.events import Event
from playhead.sc2.replay import Sc2Replay

#: Every 23rd file by default; all 330 were run once, with 3,919,839 events.
STEP = 23
#: The tracker of this resumed game starts over at loop 0, and its order is kept.
STARTS_OVER = "2.1.3.30508/2.1.3.28667__Habitation_Station_LE__54_.SC2Replay"


@pytest.mark.slow_interpreted
def test_every_event_is_typed_and_none_is_lost(corpus: Path) -> None:
    files = [row["file"] for row in sc2_rows(corpus / "sc2")]
    kinds: Counter[str] = Counter()
    for name in [*files[::STEP], STARTS_OVER]:
        replay = open_as(Sc2Replay, corpus / "sc2" / name)
        loop, found = 0, Counter[tuple[str, int]]()
        for event in replay.events():
            assert type(event) is not Event, (name, event)
            assert event.tick >= loop or name == STARTS_OVER
            loop = event.tick
            found[event.name, event.number] += 1
            kinds[event.kind] += 1
        counts = replay.table("event_counts").to_pylist()
        assert found == {(row["event"], row["event_type_id"]): row["count"] for row in counts}, name
    assert len(kinds) > 30
    assert kinds["command_given"] > 10_000
