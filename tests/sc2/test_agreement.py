"""The sample, and the writers behind it, against independent readers: mpyq, Blizzard's s2protocol, sc2reader."""

from __future__ import annotations

import io
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.sc2.replay import DETAILS, HEADER, sample_bytes

import playhead
from playhead.blizzard.mpq.compression import BZIP2, ZLIB
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.blizzard.writing.rewriter import rewrite_replay
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.writing import anonymize

mpyq = pytest.importorskip("mpyq", reason="mpyq is not installed")


@pytest.mark.parametrize("version", [1, 3])
def test_mpyq_reads_what_we_write(version: int) -> None:
    written = [
        NewMember("replay.details", b"details" * 40, method=ZLIB),
        NewMember("replay.initData", bytes(range(256)), method=BZIP2),
        NewMember("replay.game.events", b"events" * 9000, method=BZIP2, single_unit=False),
        NewMember("replay.sync.events", b"sync" * 9000, method=ZLIB, single_unit=False, sector_checksums=True),
        NewMember("replay.load.info", b"as it is", method=None),
        NewMember("replay.message.events", b""),
    ]
    archive = mpyq.MPQArchive(io.BytesIO(write_archive(written, b"user data", version=version)))
    assert archive.header["user_data_header"]["content"] == b"user data"
    assert archive.files == [member.name.encode() for member in written]
    for member in written:
        assert archive.read_file(member.name) == (member.data or None)


def test_s2protocol_decodes_the_sample() -> None:
    versions: Any = pytest.importorskip("s2protocol.versions", reason="s2protocol is not installed")
    archive = mpyq.MPQArchive(io.BytesIO(sample_bytes()))
    header = versions.latest().decode_replay_header(archive.header["user_data_header"]["content"])
    assert header["m_elapsedGameLoops"] == HEADER.loops
    assert header["m_useScaledTime"] is True
    assert header["m_version"]["m_baseBuild"] == HEADER.base_build
    details = versions.build(HEADER.base_build).decode_replay_details(archive.read_file("replay.details"))
    assert details["m_title"].decode() == DETAILS.title
    assert details["m_timeUTC"] == DETAILS.time_utc
    assert details["m_cacheHandles"] == list(DETAILS.cache_handles)
    assert [player["m_toon"]["m_id"] for player in details["m_playerList"]] == [1000001, 1000002]
    assert [player["m_result"] for player in details["m_playerList"]] == [1, 2]
    assert [player["m_workingSetSlotId"] for player in details["m_playerList"]] == [0, 1]


@pytest.mark.filterwarnings("ignore")
def test_sc2reader_loads_the_sample_and_what_becomes_of_it() -> None:
    sc2reader: Any = pytest.importorskip("sc2reader", reason="sc2reader is not installed")
    replay = open_as(Sc2Replay, sample_bytes())
    events = sum(replay.table(f"{name}_events").num_rows for name in ("game", "message", "tracker"))
    files = (
        sample_bytes(),
        rewrite_replay(replay.recording.container, {}, ["replay.sync.events"]),
        anonymize(replay.recording).data,
    )
    names = []
    for data in files:
        theirs = sc2reader.load_replay(io.BytesIO(data), load_level=4)
        assert theirs.expansion == "LotV"
        assert theirs.speed == "Faster"
        assert theirs.frames == HEADER.loops
        assert theirs.map_name == DETAILS.title
        assert len(theirs.events) == events
        assert [player.play_race for player in theirs.players] == ["Terran", "Zerg"]
        assert [player.mmr for player in theirs.players] == [4321, 4300]
        assert theirs.winner.number == 1
        names.append([player.name for player in theirs.players])
    assert names[0] == names[1] == ["Needle", "Spindle"]
    assert names[2] == [player.name for player in playhead.open(files[2]).players]
