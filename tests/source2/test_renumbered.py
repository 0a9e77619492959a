"""Messages under numbers that no definition names: counted, recognised where that is safe, and read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.opened import open_as
from tests.renumbered import renumber
from tests.samples.source2.cs2_match.demo import write_cs2_match

import playhead
from playhead.errors import FactError
from playhead.source2.messages import wire
from playhead.source2.messages.renumbered import Shapes
from playhead.source2.replay import Source2Replay
from playhead.source2.writing.demo import DemoWriter

GAME_EVENT, SAY_TEXT_2, NEW = 207, 118, 1240
CHAT = {"entityindex": 3, "chat": True, "messagename": "Cstrike_Chat_All", "param1": "ann", "param2": "gg"}


@pytest.fixture(scope="module")
def match() -> Source2Replay:
    return open_as(Source2Replay, write_cs2_match(1).data)


@pytest.fixture(scope="module")
def moved(match: Source2Replay) -> bytes:
    return renumber(match.recording, {GAME_EVENT: NEW})


def test_a_message_that_moved_is_read(match: Source2Replay, moved: bytes) -> None:
    replay = playhead.open(moved)
    assert len(replay.table("kills")) > 0
    for name in ("kills", "damage", "shots", "game_events", "player_stats"):
        assert replay.table(name).equals(match.table(name)), name
    (problem,) = replay.problems
    assert problem.what.startswith("expected GE_Source1LegacyGameEvent under number 207, found ")
    assert problem.what.endswith(f"such messages under {NEW}")
    assert problem.cost.startswith("nothing")
    assert replay.info.details["moved_messages"] == {"GE_Source1LegacyGameEvent": NEW}


def test_the_facts_of_a_match_name_what_moved_whichever_is_read_first(moved: bytes) -> None:
    replay = playhead.open(moved)
    assert replay.brief_info.details.keys() == playhead.open(moved).brief_info.details.keys()
    replay.problems  # noqa: B018
    for info in (replay.info, replay.brief_info):
        assert info.details["moved_messages"] == {"GE_Source1LegacyGameEvent": NEW}


def test_playing_from_the_middle_reads_what_moved(match: Source2Replay, moved: bytes) -> None:
    tick = match.to_tick(20.0)
    assert playhead.open(moved).at(tick).as_dict() == match.at(tick).as_dict()
    events = [event.tick for event in open_as(Source2Replay, moved).game_events()]
    assert events == [event.tick for event in match.game_events()] != []


def test_without_unknown_numbers_nothing_is_searched(match: Source2Replay) -> None:
    assert match.problems == ()
    assert match.recording.numbers.census is None
    assert "moved_messages" not in match.info.details


def test_strict_reading_raises(moved: bytes) -> None:
    with pytest.raises(FactError, match="under number 207"):
        playhead.open(moved, strict=True).table("kills")


def _demo(messages: list[tuple[int, bytes]], game: str = "dota") -> bytes:
    writer = DemoWriter({"game": game})
    for tick in range(20):
        writer.packet(tick, [(4, b"\x08%c" % tick), *messages])
    return writer.finish(20, {})


def test_a_message_that_is_not_recognised_is_counted_and_doubts_empty_tables() -> None:
    chat = {"source_player_id": 3, "channel_type": 11, "message_text": "gg"}
    line = wire.encode("CDOTAUserMsg_ChatMessage", chat)
    replay = playhead.open(_demo([(NEW, line), (NEW + 1, b"\xff" * 1200)]))
    (problem,) = (each for each in replay.problems if each.kind == "FactError")
    assert problem.what == (
        "expected messages that a definition names, found 20 messages of the unknown number 1240, "
        f"{len(line)} bytes each; 20 messages of the unknown number 1241, 1.2 kB each"
    )
    assert (problem.where, problem.tick) == ("packet", 0)
    reason = replay.unfilled["chat"]
    assert "20 messages of the unknown number 1240" in reason
    assert "which may be DOTA_UM_ChatMessage; or the recording has no chat line" in reason
    assert not replay.unfilled["particles"].startswith("values may be missing")


def test_lost_packets_doubt_empty_tables() -> None:
    data = bytearray(_demo([]))
    del data[-40:]
    replay = playhead.open(bytes(data))
    assert replay.unfilled["chat"].startswith("values may be missing: expected ")


def test_a_single_message_is_not_taken_for_that_of_every_packet() -> None:
    writer = DemoWriter({"game": "csgo"})
    writer.packet(1, [(NEW, b"\x08\x07")])
    replay = open_as(Source2Replay, writer.finish(1, {}))
    assert replay.message_counts() == {str(NEW): 1}
    assert not replay.recording.numbers.moved


def test_the_numbers_of_a_hostile_recording_are_bounded() -> None:
    replay = open_as(Source2Replay, _demo([(number, b"\x08\x01" * 50) for number in range(1000, 4000)]))
    (problem,) = (each for each in replay.problems if each.kind == "FactError")
    assert problem.what.endswith("; 56 more numbers; 58720 messages of further numbers")
    assert not replay.recording.numbers.moved


def test_a_followed_recording_names_unknown_numbers_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "match.dem"
    path.write_bytes(_demo([(NEW, b"")]))
    replay = open_as(Source2Replay, path, follow=playhead.Follow(idle_seconds=0, interval=0.01))
    assert len(list(replay.messages(NEW))) == 20
    (problem,) = (each for each in replay.problems_so_far if each.kind == "FactError")
    assert problem.what == "expected messages that a definition names, found the unknown number 1240"


@pytest.mark.parametrize(
    ("payload", "weight"),
    [
        (wire.encode("CUserMessageSayText2", CHAT), 4.0),
        (b"", 0.0),
        (b"\x10\x02", None),  # a bool of 2
        (b"\x12\x01a", None),  # another wire type
        (b"\x10\x01\x08\x01", None),  # another order
        (b"\x08\x01\x08\x01", None),  # a field twice
        (b"\x1a\x01\xff", None),  # no text
        (b"\xf8\x07\x01", None),  # an unknown field
        (b"\x1a\x09a", None),  # a cut one
    ],
)
def test_how_bytes_fit_a_definition(payload: bytes, weight: float | None) -> None:
    fit = Shapes("").fit("CUserMessageSayText2", [payload])
    assert (None if fit is None else fit.weight) == weight


def test_few_messages_may_have_new_values_of_an_enumeration() -> None:
    known, new = (wire.encode("CDOTAUserMsg_ChatEvent", {"type": kind, "value": 1}) for kind in (1, 9999))
    assert Shapes("dota2").fit("CDOTAUserMsg_ChatEvent", [known] * 9 + [new]) is not None
    assert Shapes("dota2").fit("CDOTAUserMsg_ChatEvent", [known] * 8 + [new]) is None
