"""The front door on StarCraft II replays: the sample, damage of every kind, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many import many
from tests.opened import open_as
from tests.samples.blizzard import write_details, write_header, write_metadata
from tests.samples.sc2 import replay as sample
from tests.samples.sc2.replay import DETAILS, HEADER, METADATA, sample_bytes

import playhead
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.compression import ZLIB
from playhead.blizzard.mpq.crypt import decrypt, encrypt
from playhead.blizzard.mpq.layout import BLOCK_TABLE_KEY
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.errors import UnknownFormat
from playhead.io.source import open_source
from playhead.limits import Limits
from playhead.model import Options
from playhead.registry import BUILTIN_FORMATS
from playhead.sc2.replay import Sc2Replay

SAMPLE = sample_bytes()


def open_sc2(data: bytes, **options: Any) -> Sc2Replay:
    return open_as(Sc2Replay, data, **options)


def with_members(*members: NewMember) -> bytes:
    return write_archive(members, write_header(HEADER), version=1)


def test_sample(tmp_path: Path) -> None:
    path = BUILTIN_FORMATS[2].write_sample(tmp_path)
    assert path.name == sample.FILE_NAME
    assert path.read_bytes() == SAMPLE
    replay = playhead.open(path, strict=True)
    assert replay.problems == ()
    info = replay.info
    assert (info.version, info.build, info.map, info.winner_name) == (
        "5.0.14.93333",
        93333,
        "Two Rivers LE",
        "Needle",
    )
    assert info.duration_seconds == pytest.approx(300)
    assert info.complete
    assert info.end_time == DETAILS.ended
    assert info.start_time is None
    assert [
        (p.player, p.name, p.clan, p.kind, p.team, p.character, p.result, p.account) for p in replay.players
    ] == [
        (1, "Needle", "HEAD", "human", 0, "Terran", "win", "2-S2-1-1000001"),
        (2, "Spindle", None, "human", 1, "Zerg", "loss", "2-S2-1-1000002"),
    ]
    assert replay.players[0].details["mmr"] == 4321
    tables = replay.read_tables()
    assert {name: table.num_rows for name, table in tables.items()} == {
        "info": 1,
        "players": 2,
        "members": 12,
        "chat": 3,
        "pings": 1,
        "periods": 1,
        "game_events": 14,
        "message_events": 5,
        "tracker_events": 20,
        "events": 39,
        "inputs": 12,
        "event_counts": 19,
        "commands": 6,
        "selections": 3,
        "control_groups": 1,
        "camera": 2,
        "leaves": 1,
        "sync": 104,
        "resume_points": 1,
        "unit_types": 14,
        "units": 7,
        "unit_changes": 2,
        "player_series": 2,
        "upgrades": 2,
        "positions": 11,
        "build_order": 5,
        "player_stats": 2,
        "apm": 5,
        "attributes": 3,
        "slots": 2,
        "outcomes": 2,
        "cache_files": 2,
        "bases": 2,
        "boosts": 1,
        "creep": 27,
        "energy": 17,
        "engagements": 2,
        "injects": 1,
        "mules": 1,
        "production": 9,
        "scans": 1,
        "unit_counts": 297,
        "supply_blocks": 1,
        "casters": 1,
        "hatcheries": 1,
        "scouting": 1,
        "reasons": 2,
        "unit_grid": 43,
    }
    members = {row["member"]: row for row in tables["members"].to_pylist()}
    assert members["replay.details"]["compression"] == "zlib"
    assert members["replay.gamemetadata.json"]["compression"] == "bzip2"
    assert members["replay.gamemetadata.json"]["unpacked_bytes"] == len(write_metadata(METADATA))
    assert not any(row["encrypted"] or row["deleted"] for row in members.values())


def everything(data: bytes) -> Sc2Replay | None:
    """What a user may ask of a file; only `ReplayError` may come out of opening, and nothing out of the rest."""
    try:
        replay = open_sc2(data)
    except playhead.ReplayError:
        return None
    replay.read_tables()
    assert repr(replay)
    return replay


@pytest.mark.long
def test_every_truncation(step: int) -> None:
    for end in range(0, len(SAMPLE), 11 * step):
        replay = everything(SAMPLE[:end])
        if end < 16 + len(write_header(HEADER)):
            assert replay is None
            continue
        assert replay is not None
        # The header stands in front of everything, so what it tells survives.
        assert replay.info.version == "5.0.14.93333"
        assert replay.info.duration_ticks == HEADER.loops
        assert not replay.info.complete
        problem = replay.problems[0]
        assert problem.where == "archive"
        assert problem.kind == "TruncatedReplay"


def test_truncation_in_strict_mode() -> None:
    with pytest.raises(playhead.TruncatedReplay, match="archive"):
        playhead.open(SAMPLE[:-1], strict=True).info  # noqa: B018


@pytest.mark.long
@many(3)
@given(st.lists(st.tuples(st.integers(0, len(SAMPLE) - 1), st.integers(1, 255)), min_size=1, max_size=4))
def test_damaged_bytes(flips: list[tuple[int, int]]) -> None:
    damaged = bytearray(SAMPLE)
    for position, mask in flips:
        damaged[position] ^= mask
    replay = everything(bytes(damaged))
    if replay is not None:
        replay.problems  # noqa: B018


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_no_byte_of_the_archive_is_damaged_unnoticed() -> None:
    for position in range(ARCHIVE_OFFSET, len(SAMPLE), 7):
        damaged = bytearray(SAMPLE)
        damaged[position] ^= 0x10
        replay = open_sc2(bytes(damaged))
        place = position - ARCHIVE_OFFSET
        # Of the header the declared size, the 64-bit copies of what it says elsewhere, and its own digest.
        unread = 8 <= place < 12 or 32 <= place < 112 or 144 <= place < 208
        assert replay.problems or unread, hex(position)


def test_verify_counts() -> None:
    checks = {check.name: (check.passed, check.failed) for check in open_sc2(SAMPLE).verify()}
    assert checks == {
        "checksums of members": (11, 0),
        "digests of stored bytes": (12, 0),
        "streams of events": (3, 0),
    }
    archive = open_sc2(SAMPLE).recording.container.archive
    assert archive is not None
    block = archive.blocks[archive.names["replay.attributes.events"]]
    damaged = bytearray(SAMPLE)
    damaged[ARCHIVE_OFFSET + block.offset + block.stored_size + 3] ^= 1
    hurt = open_sc2(bytes(damaged))
    assert {check.name: check.failed for check in hurt.verify()}["digests of stored bytes"] == 1
    (problem,) = hurt.problems
    assert problem.where == "replay.attributes.events"
    assert "MD5" in problem.what


def test_damage_to_one_member_leaves_the_others() -> None:
    replay = open_sc2(SAMPLE)
    assert replay.recording.container.archive is not None
    block = replay.recording.container.archive.blocks[replay.recording.container.archive.names["replay.details"]]
    damaged = bytearray(SAMPLE)
    damaged[ARCHIVE_OFFSET + block.offset + 30] ^= 0xFF
    hurt = open_sc2(bytes(damaged))
    assert [player.account for player in hurt.players] == ["2-S2-1-1000001", "2-S2-1-1000002"]
    assert [player.name for player in hurt.players] == ["Needle", "Spindle"], "as the lobby has them"
    assert hurt.info.map == "Two Rivers LE"
    assert hurt.info.winner_name == replay.info.winner_name
    assert hurt.info.details["details_member"] == "replay.details.backup"
    (problem,) = hurt.problems
    assert problem.where == "replay.details"
    assert problem.cost == "names of players that the lobby lacks; the rest is in the backup"
    with pytest.raises(playhead.CorruptReplay, match=r"replay\.details"):
        playhead.open(bytes(damaged), strict=True).info  # noqa: B018


def test_a_member_shorter_than_declared_keeps_its_beginning() -> None:
    data = with_members(
        NewMember("replay.details", write_details(DETAILS)),
        NewMember("replay.gamemetadata.json", write_metadata(METADATA), method=ZLIB),
    )
    header = MpqArchive(memoryview(data), ARCHIVE_OFFSET, []).header
    start = ARCHIVE_OFFSET + header.block_table_offset
    rows = bytearray(decrypt(data[start : start + 16 * header.block_table_entries], BLOCK_TABLE_KEY))
    rows[16 + 8] += 1  # the unpacked size of block 1
    data = data[:start] + encrypt(bytes(rows), BLOCK_TABLE_KEY)
    replay = open_sc2(data)
    assert replay.recording.metadata == METADATA
    (problem,) = replay.problems
    assert problem.where == "replay.gamemetadata.json"
    assert "but the zlib data ends after" in problem.what
    with pytest.raises(playhead.CorruptReplay):
        playhead.open(data, strict=True).info  # noqa: B018


def test_no_details_at_all() -> None:
    replay = open_sc2(with_members(NewMember("replay.game.events", b"")))
    assert replay.players == ()
    problem, missing = replay.problems
    assert missing.where == "replay.game.events"
    assert "found none of them among 3 members" in problem.what
    assert problem.cost.startswith("time, map file and names of computers; ")
    assert problem.cost.endswith("Players are those of lobby, attributes, metadata and tracker")


def test_an_unknown_member_is_kept_and_named_by_the_list() -> None:
    data = with_members(
        NewMember("replay.details", write_details(DETAILS)),
        NewMember("replay.invented", b"new in some later build", method=None),
    )
    replay = open_sc2(data)
    assert replay.problems == ()
    names = replay.table("members").column("member").to_pylist()
    assert names == ["replay.details", "replay.invented", "(listfile)", "(attributes)"]
    assert replay.recording.container.read_member("replay.invented") == b"new in some later build"
    with pytest.raises(KeyError):
        replay.recording.container.read_member("replay.none")


def test_a_broken_tracker_stream() -> None:
    tracker = bytes.fromhex("030009020900 050000".replace(" ", "")) * 3
    whole = with_members(
        NewMember("replay.details", write_details(DETAILS)), NewMember("replay.tracker.events", tracker)
    )
    (problem,) = open_sc2(whole).problems
    assert problem.where == "replay.tracker.events"


def test_many_large_members_are_not_all_unpacked() -> None:
    limits = playhead.Limits(member=1000)
    replay = open_sc2(with_members(*(NewMember(f"member {i}", bytes(1000)) for i in range(5))), limits=limits)
    assert [problem.kind for problem in replay.problems] == ["CorruptReplay", "LimitExceeded", "LimitExceeded"]
    assert [problem.where for problem in replay.problems[1:]] == ["member 3", "member 4"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"MPQ\x1a" + bytes(100), "without a replay header"),
        (write_archive([NewMember("war3map.j", b"x")], b"not a replay" * 9), "user data is not a replay header"),
        (b"MPQ\x1b" + bytes(5000), "replay header"),
    ],
)
def test_mpq_archives_that_are_no_replays(data: bytes, text: str) -> None:
    with pytest.raises(playhead.ReplayError, match=text) as caught:
        playhead.open(data)
    assert caught.value.file == "<bytes>"


def test_a_damaged_header_leaves_the_archive() -> None:
    damaged = bytearray(SAMPLE)
    damaged[16 + 0x20] = 0xFF  # inside of m_version
    replay = open_sc2(bytes(damaged))
    assert replay.info.version == "5.0.14.93333"  # as the game's own summary has it
    # As far as there are events, by the clock of the games with the data that the details name.
    whole = open_sc2(SAMPLE).info
    assert replay.info.duration_ticks == max(event.tick for event in replay.events("game", "tracker"))
    assert replay.info.details["duration_from"] == "last event"
    assert replay.info.ticks_per_second == whole.ticks_per_second
    assert replay.info.map == "Two Rivers LE"
    assert [player.name for player in replay.players] == ["Needle", "Spindle"]
    assert [problem.where for problem in replay.problems] == ["replay header"]


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    playhead.open(SAMPLE, progress=lambda done, total: seen.append((done, total))).problems  # noqa: B018
    assert seen[-1] == (len(SAMPLE), len(SAMPLE))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_info_loads_neither_events_nor_states_nor_pyarrow(tmp_path: Path) -> None:
    path = tmp_path / "sample.SC2Replay"
    path.write_bytes(SAMPLE)
    code = "import sys, playhead; r = playhead.open(sys.argv[1]); r.info, r.players; print(*sys.modules)"
    env = {name: value for name, value in os.environ.items() if not name.startswith("PLAYHEAD_")}
    ran = subprocess.run([sys.executable, "-c", code, path], env=env, capture_output=True, text=True, check=True)
    loaded = ran.stdout.split()
    assert "playhead.sc2.replay" in loaded
    heavy = ("playhead.blizzard.events", "playhead.sc2.state", "playhead.sc2.tables.registry", "pyarrow")
    assert not [name for name in loaded if name.startswith(heavy)]


def test_replays_of_heroes_of_the_storm_are_refused_by_name() -> None:
    heroes = bytearray(SAMPLE)
    place = heroes.index(b"StarCraft II replay")
    heroes[place : place + 26] = b"Heroes of the Storm replay"
    with pytest.raises(UnknownFormat, match="found one of Heroes of the Storm"):
        Sc2Replay(open_source(bytes(heroes), Limits()), Options())
