"""Selections of real replays: the order of bits and of units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.real.sc2_index import sc2_replays

from playhead.blizzard.events.commands import ControlGroupUpdateEvent, SelectionDeltaEvent
from playhead.sc2.state.selections.timeline import SelectionTimeline

pytestmark = pytest.mark.slow_interpreted

#: Every 7th file by default; all 330 were run once.
STEP = 7


def test_no_change_speaks_of_a_place_outside_the_selection(corpus: Path, step: int) -> None:
    changes = 0
    for file, replay in sc2_replays(corpus / "sc2", STEP * step):
        stream = replay.recording.stream("game")
        if stream is None:
            continue
        timeline = SelectionTimeline(stream)
        changes += sum(1 for _ in timeline.changes())
        assert not any(held.misfits for held in timeline.at(1 << 31).values()), file
    assert changes > 50_000 // step


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_a_mask_ends_with_the_last_unit_that_it_removes(corpus: Path) -> None:
    long = wide = 0
    for file, replay in sc2_replays(corpus / "sc2", STEP):
        event: Any
        for event in replay.events(SelectionDeltaEvent, ControlGroupUpdateEvent):
            raw = event.raw.get("m_mask") or event.raw.get("m_delta", {}).get("m_removeMask")
            mask = raw.get("Mask") if isinstance(raw, dict) else raw
            if mask is None or not mask[0]:
                continue
            assert event.remove_indices[-1] == mask[0] - 1, (file, event)
            long, wide = long + (mask[0] > 8), wide + (mask[0] > 32)
    assert long > 500
    assert wide > 50


def test_units_that_die_leave_the_selection(corpus: Path, step: int) -> None:
    """Sixteen loops after its death, no unit is selected any longer: deaths are among the changes."""
    selected = dead = 0
    for _, replay in sc2_replays(corpus / "sc2", STEP * step):
        if replay.recording.stream("tracker") is None or replay.recording.stream("game") is None:
            continue
        # Not in resumed games, whose tracker begins in the middle, and not after the end of a stream.
        died: dict[int, int] = {
            event.unit: event.tick  # type: ignore[attr-defined]
            for event in replay.events("unit_killed")
        }
        for loop in range(0, replay.info.duration_ticks or 0, 1600):
            for user in replay.at(loop).selections.values():
                tags = user.units()
                selected += len(tags)
                dead += sum(died.get(tag, loop) < loop - 16 for tag in tags)
    assert selected > 1000 // step
    assert dead / selected < 0.01
