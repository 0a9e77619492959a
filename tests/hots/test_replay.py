"""The synthetic replay of Heroes of the Storm, sound and damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.samples.hots.battle_lobby import lobby_record
from tests.samples.hots.replay import BUILD, HEADER, sample_bytes
from tests.samples.sc2.replay import sample_bytes as sc2_bytes

import playhead
from playhead.blizzard.events.tracker import ScoreResultEvent, StatGameEvent
from playhead.blizzard.members.header import read_header
from playhead.blizzard.members.member_names import TRACKER_EVENTS
from playhead.blizzard.mpq import MpqArchive, UserData
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, rewrite_archive
from playhead.blizzard.recording.container import Container
from playhead.blizzard.writing.rewriter import rewrite_replay
from playhead.errors import TruncatedReplay, UnknownFormat
from playhead.hots.members.battle_lobby import LobbyPerson, read_people
from playhead.hots.protocol import PROTOCOLS
from playhead.hots.recording.recording import HEROES
from playhead.hots.replay import HotsReplay
from playhead.io.source import open_source
from playhead.limits import Limits
from playhead.model import Options

SAMPLE = sample_bytes()


def test_sample() -> None:
    replay = playhead.open(SAMPLE, strict=True)
    assert isinstance(replay, HotsReplay)
    assert replay.problems == ()
    assert all(check.failed == 0 for check in replay.verify())
    info = replay.info
    assert (info.game, info.version, info.map, info.mode) == ("hots", "2.55.4.91418", "Two Rivers", "Quick Match")
    assert (info.winner_team, info.winner_side, info.winner_name) == (1, "blue", "Needle, Bobbin")
    assert (info.confidence, info.complete, info.duration_seconds) == ("exact", True, 300.0)
    assert info.map_english == replay.table("info")["map_english"][0].as_py() == "TwoRivers"
    assert [each.hero_shown for each in replay.players] == ["Jaina", "Muradin", "Walla", "Rehgar"]
    assert [(each.player, each.side, each.character, each.user) for each in replay.players] == [
        (1, "blue", "Jaina", 0),
        (2, "blue", "Muradin", 1),
        (3, "red", "Valla", 2),
        (4, "red", "Rehgar", 3),
    ]
    assert read_header(UserData.read(memoryview(SAMPLE)).content, HEROES) == HEADER


def test_the_clock_begins_when_the_gates_open() -> None:
    clock = playhead.open(SAMPLE).clock
    assert clock is not None
    assert (clock.game_seconds(610), clock.game_seconds(0)) == (0.0, -38.125)


def test_reports_of_the_map_have_their_values_by_key() -> None:
    replay = playhead.open(SAMPLE)
    reports = {each.statistic: each for each in replay.events(StatGameEvent)}  # type: ignore[call-overload]
    death = reports["PlayerDeath"]
    assert (death.numbers, death.fractions) == (
        {"PlayerID": (3,), "KillingPlayer": (1, 2)},
        {"PositionX": 120.0, "PositionY": 104.0},
    )
    assert reports["TalentChosen"].texts == {"PurchaseName": "RehgarColossalTotem"}
    (scores,) = replay.events(ScoreResultEvent)  # type: ignore[call-overload]
    assert scores.scores["HeroDamage"][:5] == (2500, 900, 1800, 300, None)
    assert [event.text for event in replay.events("chat_sent")] == ["gl hf", "gg"]
    kinds = list(replay.table("events")["kind"].to_pylist())
    assert kinds == [event.kind for event in replay.events()]


def test_a_report_without_a_key_takes_no_other_rows() -> None:
    archive = MpqArchive(memoryview(SAMPLE), ARCHIVE_OFFSET, [TRACKER_EVENTS])
    tracker = archive.read(TRACKER_EVENTS)
    odd = tracker.replace(b"\x05\x02\x00\x02\x10PlayerID", b"\x05\x02\x0e\x02\x10PlayerID", 1)
    assert odd != tracker
    replay = playhead.open(rewrite_archive(memoryview(SAMPLE), archive, {TRACKER_EVENTS: odd}))
    assert replay.table("kills").num_rows == playhead.open(SAMPLE).table("kills").num_rows
    replay.at(0)
    (problem,) = replay.problems
    assert problem.what.startswith("expected all fields of SStatGameEvent in the type table")


def test_a_level_without_its_number_ends_no_moment() -> None:
    archive = MpqArchive(memoryview(SAMPLE), ARCHIVE_OFFSET, [TRACKER_EVENTS])
    tracker = archive.read(TRACKER_EVENTS)
    odd = tracker.replace(b"\x0aLevel", b"\x0aLevex")
    assert odd != tracker
    replay = playhead.open(rewrite_archive(memoryview(SAMPLE), archive, {TRACKER_EVENTS: odd}))
    held = replay.at(replay.info.duration_ticks).players
    assert [each["level"] for each in held] == [None] * len(replay.players)


def test_a_newer_build_takes_the_nearest_lower_table_and_says_so() -> None:
    assert PROTOCOLS.table(97039, 97039).confidence == "nearest lower build 96477"
    assert PROTOCOLS.table(BUILD, BUILD).confidence == "exact"
    assert len(PROTOCOLS.known_builds()) == 390


@pytest.mark.parametrize("cut", [200, 1100, len(SAMPLE) // 2, len(SAMPLE) - 40])
def test_a_cut_file_ends_in_problems(cut: int) -> None:
    try:
        replay = playhead.open(SAMPLE[:cut])
        replay.read_tables()
        assert replay.problems
        assert not replay.info.complete
    except TruncatedReplay:
        assert cut < 1200


def test_members_are_found_without_the_tables_of_the_archive() -> None:
    data = bytearray(SAMPLE)
    archive = UserData.read(memoryview(SAMPLE)).archive_offset
    data[archive + 16 : archive + 32] = b"\xff" * 16  # where the hash and the block table are, and their sizes
    replay: Any = playhead.open(bytes(data))
    names = set(replay.recording.container.archive.names)
    assert {"replay.details", "replay.initData", "replay.tracker.events"} <= names
    assert replay.problems
    assert [player.name for player in replay.players] == ["Needle", "Bobbin", "Spindle", "Thimble"]


def test_games_refuse_each_other_by_name() -> None:
    with pytest.raises(UnknownFormat, match=r"expected a Heroes of the Storm replay, found one of StarCraft II"):
        HotsReplay(open_source(sc2_bytes(), Limits()), Options())


def test_a_replay_is_written_again_without_a_member(tmp_path: Path) -> None:
    replay: Any = playhead.open(SAMPLE)
    container: Container = replay.recording.container
    data = rewrite_replay(container, remove=["replay.message.events"])
    again: Any = playhead.open(data)
    assert "replay.message.events" not in again.recording.container.archive.names
    assert again.table("tracker_events").equals(replay.table("tracker_events"))


def test_the_battle_lobby_is_read_within_its_bounds() -> None:
    data = b"junk" + lobby_record(1, "Needle#1234", 77) + lobby_record(2, "Bobbin#99999", None)
    names = {"Needle", "Bobbin"}
    people = read_people(data, names, build=BUILD, with_computers=False)
    assert people == (LobbyPerson("Needle#1234", 77, True), LobbyPerson("Bobbin#99999", None, True))
    for size in range(len(data)):
        assert len(read_people(data[:size], names, build=BUILD, with_computers=False)) <= 2
    assert read_people(data, (), build=BUILD, with_computers=False) == ()
