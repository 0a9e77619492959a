"""The sample, and the writer behind it, against independent readers: mpyq and Blizzard's s2protocol."""

from __future__ import annotations

import io
from typing import Any

import pytest

from playhead.sc2.mpq.compression import BZIP2, ZLIB
from playhead.sc2.mpq.writer import NewMember, write_archive
from playhead.sc2.sample import DETAILS, HEADER, sample_bytes

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
