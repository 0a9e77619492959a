"""What damage took is the reason for empty tables and columns, in both games of the engine."""

from __future__ import annotations

from typing import Any

import pytest
from tests.samples.blizzard import write_header
from tests.samples.hots import replay as hots
from tests.samples.sc2 import replay as sc2

import playhead
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq.writer import NewMember, write_archive

STREAMS = {
    "game events": member_names.GAME_EVENTS,
    "message events": member_names.MESSAGE_EVENTS,
    "tracker events": member_names.TRACKER_EVENTS,
}
SAMPLES: Any = {"hots": hots, "sc2": sc2}


def _with_last(game: str, name: str) -> Any:
    """Return a replay cut within the member of this name, which its archive has last."""
    sample = SAMPLES[game]
    whole: Any = playhead.open(sample.sample_bytes())
    read = whole.recording.container.read_member
    found = [each for each in whole.recording.container.archive.names if each.startswith("replay.")]
    members = [NewMember(each, read(each), method=None) for each in sorted(found, key=lambda each: each == name)]
    data = write_archive(members, write_header(sample.HEADER))
    begins = data.find(read(name))
    assert begins > 0
    return playhead.open(data[:begins])


def _told(replay: Any) -> list[str]:
    """Return the lost parts but the battle lobby, which scanning does not recognise."""
    return [part for part in replay.info.lost_parts if "battlelobby" not in part]


@pytest.mark.parametrize("part", STREAMS)
@pytest.mark.parametrize("game", SAMPLES)
def test_a_lost_stream_is_a_lost_part_and_the_reason(game: str, part: str) -> None:
    replay = _with_last(game, STREAMS[part])
    assert _told(replay) == [f"{part}: all"]
    assert replay.table("info")["lost_parts"].to_pylist() == [replay.info.lost_parts]
    read = {"game events": "inputs", "message events": "chat", "tracker events": "units"}[part]
    assert replay.unfilled[read] == f"damage took all {part}"
    whole = playhead.open(SAMPLES[game].sample_bytes())
    assert whole.unfilled["info.lost_parts"] == "nothing is lost"
    for name in replay.unfilled.keys() - whole.unfilled.keys():
        reason = replay.unfilled[name]
        assert "damage took" in reason or "what is left" in reason or name.startswith("info."), (name, reason)
    assert not [name for name, reason in replay.unfilled.items() if "of this build reports" in reason]


@pytest.mark.parametrize("part", STREAMS)
def test_a_look_that_may_be_lost_is_no_lack_of_scouting(part: str) -> None:
    """Cameras and orders are game events; units and bases are of the tracker."""
    reasons = _with_last("sc2", STREAMS[part]).table("reasons")["reason"].to_pylist()
    assert ("did not scout" in reasons) == (part == "message events")


@pytest.mark.parametrize("game", SAMPLES)
def test_attributes_that_damage_took_are_named(game: str) -> None:
    replay = _with_last(game, member_names.GAME_ATTRIBUTES)
    assert _told(replay) == ["replay.attributes.events: all"]
    assert (
        replay.unfilled[{"hots": "info.game_speed", "sc2": "attributes"}[game]]
        == "damage took replay.attributes.events"
    )


def test_a_stream_that_breaks_off_is_the_reason_for_what_would_follow() -> None:
    whole: Any = playhead.open(hots.sample_bytes())
    read = whole.recording.container.read_member
    names = [each for each in whole.recording.container.archive.names if each.startswith("replay.")]
    tracker = read(member_names.TRACKER_EVENTS)[:400]
    held = {name: read(name) for name in names} | {member_names.TRACKER_EVENTS: tracker}
    members = [NewMember(name, data, method=None) for name, data in held.items()]
    replay: Any = playhead.open(write_archive(members, write_header(hots.HEADER)))
    (part,) = replay.info.lost_parts
    assert part.startswith("tracker events after loop ")
    assert replay.unfilled["kills"] == f"damage took the {part}"
