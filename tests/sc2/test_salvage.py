"""Replays without their tables, header or line ends: what is intact comes back, the rest is reported."""

from __future__ import annotations

import bz2
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.blizzard import write_details, write_header
from tests.samples.sc2.replay import DETAILS, HEADER, sample_bytes

import playhead
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.archive import restore_line_endings
from playhead.blizzard.mpq.compression import BZIP2, ZLIB, Damage, pack, unpack
from playhead.blizzard.mpq.layout import HEADER_SIZES
from playhead.blizzard.mpq.scan import scan
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.blizzard.repair.salvage import SalvagedArchive
from playhead.limits import Limits
from playhead.sc2.repair import Sc2MemberGuesser, guess_build
from playhead.sc2.replay import Sc2Replay

SAMPLE = sample_bytes()
WHOLE = MpqArchive(memoryview(SAMPLE), ARCHIVE_OFFSET, member_names.KNOWN_NAMES)
CONTENT = {name: WHOLE.read(name) for name in WHOLE.names}
BUILDS = (HEADER.base_build, HEADER.build)


def open_sc2(data: bytes) -> Sc2Replay:
    return open_as(Sc2Replay, data)


def without_tables(data: bytes) -> bytes:
    header = MpqArchive(memoryview(data), ARCHIVE_OFFSET, []).header
    return data[: header.offset + header.hash_table_offset]


def recovered(replay: Sc2Replay) -> dict[str, bytes]:
    assert isinstance(replay.recording.container.archive, SalvagedArchive)
    cut: list[Damage] = []
    return {
        name: replay.recording.container.archive.read(name, cut.append)
        for name in replay.recording.container.archive.names
    }


def test_every_member_comes_back_without_the_tables() -> None:
    replay = open_sc2(without_tables(SAMPLE))
    assert recovered(replay) == CONTENT
    (problem,) = replay.problems
    assert problem.where == "archive"
    assert problem.cost == "the tables of the archive; 12 of 12 members were found by scanning"
    assert not replay.info.complete
    whole = open_sc2(SAMPLE)
    assert replay.players == whole.players
    tables, originals = replay.read_tables(), whole.read_tables()
    for name, table in tables.items():
        if name not in ("info", "members"):
            assert table.equals(originals[name]), name
    assert tables["members"].column("member").to_pylist() == originals["members"].column("member").to_pylist()
    assert tables["members"].column("compression").to_pylist() == (
        originals["members"].column("compression").to_pylist()
    )


def test_mangled_tables_are_not_followed() -> None:
    header = WHOLE.header
    for start, size in ((header.hash_table_offset, 16 * 32), (header.block_table_offset, 16 * 12)):
        damaged = bytearray(SAMPLE)
        damaged[ARCHIVE_OFFSET + start : ARCHIVE_OFFSET + start + size] = random.Random(1).randbytes(size)
        replay = open_sc2(bytes(damaged))
        assert recovered(replay) == CONTENT
        assert "MD5" in replay.problems[0].what
    # Format 1 has no digests of its tables: they are read, and lead nowhere.
    old = write_archive(
        [NewMember(n, d) for n, d in CONTENT.items() if n[0] != "("], write_header(HEADER), version=1
    )
    start = ARCHIVE_OFFSET + MpqArchive(memoryview(old), ARCHIVE_OFFSET, []).header.hash_table_offset
    replay = open_sc2(old[:start] + random.Random(2).randbytes(16 * 32) + old[start + 16 * 32 :])
    assert recovered(replay).keys() >= {member_names.DETAILS, member_names.GAME_EVENTS, member_names.INIT_DATA}
    assert len(replay.players) == 2


def test_strict_reading_does_not_salvage() -> None:
    with pytest.raises(playhead.TruncatedReplay, match="table"):
        playhead.open(without_tables(SAMPLE), strict=True).info  # noqa: B018


@pytest.mark.long
def test_every_truncation_keeps_what_is_whole() -> None:
    ends = {
        name: ARCHIVE_OFFSET + WHOLE.blocks[index].offset + WHOLE.blocks[index].stored_size
        for name, index in WHOLE.names.items()
        if WHOLE.compression(index) != "stored"
    }
    assert len(ends) == 8
    most = 0
    for end in range(ARCHIVE_OFFSET + 208, len(SAMPLE), 11):
        replay = open_sc2(SAMPLE[:end])
        assert replay.problems
        found = {} if replay.recording.container.archive is None else recovered(replay)
        whole = {name for name, stop in ends.items() if stop <= end}
        assert whole <= found.keys(), end
        for name in whole:
            assert found[name] == CONTENT[name]
        # What is cut is a beginning of the original, or not there.
        for name, data in found.items():
            assert CONTENT.get(name, data).startswith(data), (end, name)
        most = max(most, len(found))
    assert most == 12


def test_a_cut_stream_keeps_its_beginning() -> None:
    index = WHOLE.names[member_names.TRACKER_EVENTS]
    block = WHOLE.blocks[index]
    whole = open_sc2(SAMPLE).table("tracker_events").num_rows
    long = sample_with_long_tracker()
    archive = MpqArchive(memoryview(long), ARCHIVE_OFFSET, member_names.KNOWN_NAMES)
    block = archive.blocks[archive.names[member_names.TRACKER_EVENTS]]
    replay = open_sc2(long[: ARCHIVE_OFFSET + block.offset + block.stored_size * 2 // 3])
    rows = replay.table("tracker_events").num_rows
    assert whole < rows < 100 * whole
    assert [problem.where for problem in replay.problems if problem.where == member_names.TRACKER_EVENTS]


def sample_with_long_tracker() -> bytes:
    tracker = CONTENT[member_names.TRACKER_EVENTS] * 100
    return write_archive(
        [
            NewMember(member_names.DETAILS, write_details(DETAILS)),
            NewMember(member_names.TRACKER_EVENTS, tracker, method=ZLIB),
        ],
        write_header(HEADER),
    )


def test_a_flipped_bit_costs_one_member() -> None:
    data = write_archive(
        [NewMember(name, body, method=BZIP2) for name, body in CONTENT.items() if name[0] != "("],
        write_header(HEADER),
    )
    archive = MpqArchive(memoryview(data), ARCHIVE_OFFSET, member_names.KNOWN_NAMES)
    block = archive.blocks[archive.names[member_names.TRACKER_EVENTS]]
    assert block.stored_size < block.unpacked_size
    damaged = bytearray(data)
    damaged[ARCHIVE_OFFSET + block.offset + block.stored_size // 2] ^= 4
    replay = open_sc2(without_tables(bytes(damaged)))
    expected = dict(CONTENT)
    del expected[member_names.TRACKER_EVENTS], expected["(attributes)"], expected["(listfile)"]
    found = recovered(replay)
    assert {name: found[name] for name in expected} == expected
    assert member_names.TRACKER_EVENTS not in found
    assert [problem.kind for problem in replay.problems] == ["TruncatedReplay", "CorruptReplay"]
    assert "bzip2" in replay.problems[1].what
    assert replay.problems[1].offset == ARCHIVE_OFFSET + block.offset


def test_sectors_are_put_together() -> None:
    noise = random.Random(3).randbytes(6000)
    events = CONTENT[member_names.TRACKER_EVENTS] * 60
    for checksums in (False, True):
        for sealed in ([], [NewMember("replay.load.info", noise, single_unit=False, sector_checksums=True)]):
            tracker = NewMember(
                member_names.TRACKER_EVENTS, events, method=ZLIB, single_unit=False, sector_checksums=checksums
            )
            data = without_tables(write_archive([*sealed, tracker], write_header(HEADER), version=1))
            found = recovered(open_sc2(data))
            assert found[member_names.TRACKER_EVENTS] == events


def test_sectors_without_their_table_are_put_together() -> None:
    # Not compressible below a sector's size alone, and every sector packed.
    events = CONTENT[member_names.TRACKER_EVENTS] * 60
    tracker = NewMember(member_names.TRACKER_EVENTS, events, method=ZLIB, single_unit=False)
    data = bytearray(without_tables(write_archive([tracker], write_header(HEADER), version=1)))
    start = ARCHIVE_OFFSET + HEADER_SIZES[1]
    data[start : start + 4] = b"\xff\xff\xff\xff"
    assert recovered(open_sc2(bytes(data)))[member_names.TRACKER_EVENTS] == events


def test_a_lost_header_leaves_the_archive() -> None:
    for front in (bytes(ARCHIVE_OFFSET), b"MPQ\x1b" + bytes(ARCHIVE_OFFSET - 4), b""):
        replay = open_sc2(front + SAMPLE[ARCHIVE_OFFSET:])
        assert replay.recording.container.header is None
        assert [player.name for player in replay.players] == ["Needle", "Spindle"]
        # The game's own summary tells the version.
        assert replay.info.version == "5.0.14.93333"
        assert replay.info.build == 93333
        assert replay.table("commands").num_rows == 6
        assert {problem.where for problem in replay.problems} == {"replay header"}
    for place in range(16):
        damaged = bytearray(SAMPLE)
        damaged[place] ^= 0x40
        replay = open_sc2(bytes(damaged))
        assert [player.name for player in replay.players] == ["Needle", "Spindle"], place
        # The room for user data is not used for anything, and their size may be larger than they are.
        assert replay.problems or 4 <= place < 8 or place >= 12


def test_the_build_is_found_by_trying() -> None:
    content = {name: data for name, data in CONTENT.items() if name[0] != "(" and name != member_names.METADATA}
    data = write_archive([NewMember(name, body) for name, body in content.items()], write_header(HEADER))
    replay = open_sc2(bytes(16) + bytes(ARCHIVE_OFFSET - 16) + without_tables(data)[ARCHIVE_OFFSET:])
    assert replay.info.version is replay.info.build is None
    assert replay.info.details["confidence"] == "inferred: reads the members"
    low, high = replay.info.details["build_range"]
    assert low <= HEADER.base_build <= high
    told = [problem for problem in replay.problems if problem.where == "builds"]
    assert [("inferred" in problem.cost, str(low) in problem.what) for problem in told] == [(True, True)]
    # The header would have told the clock.
    found, original = (open_.table("game_events").drop(["seconds"]) for open_ in (replay, open_sc2(SAMPLE)))
    assert found.equals(original)
    assert replay.recording.lobby is not None
    assert guess_build({member_names.GAME_EVENTS: CONTENT[member_names.GAME_EVENTS]}) is not None
    assert guess_build({member_names.GAME_EVENTS: b"\xff" * 100}) is None
    assert guess_build({}) is None


def test_line_ends_changed_in_transfer() -> None:
    # The game's events and the header of the sample have line feeds, whatever else has.
    assert b"\n" in SAMPLE
    clean = SAMPLE
    while b"\r\n" in clean:
        clean = clean.replace(b"\r\n", b"\r\r")  # such a file is not touched by who changes the others
    mangled = clean.replace(b"\n", b"\r\n")
    assert restore_line_endings(memoryview(clean)) is None
    restored = restore_line_endings(memoryview(mangled))
    assert restored is not None
    assert bytes(restored) == clean
    replay = open_sc2(mangled)
    original = open_sc2(clean)
    assert [problem.as_dict() for problem in replay.problems[1:]] == [
        problem.as_dict() for problem in original.problems
    ]
    assert "CR LF" in replay.problems[0].what
    assert replay.players == original.players
    assert replay.recording.container.header == original.recording.container.header
    assert replay.info.complete == original.info.complete
    with pytest.raises(playhead.CorruptReplay):
        playhead.open(mangled, strict=True).info  # noqa: B018


@pytest.mark.parametrize("name", sorted(CONTENT))
def test_every_member_is_recognised(name: str) -> None:
    assert Sc2MemberGuesser(BUILDS, Limits()).name(CONTENT[name]) == name


@given(st.binary(max_size=200))
def test_noise_is_hardly_ever_recognised_and_never_breaks(data: bytes) -> None:
    Sc2MemberGuesser(BUILDS, Limits()).name(data)
    for _ in Sc2MemberGuesser(None, Limits()).splits(data):
        pass


@given(st.binary(max_size=64), st.integers(0, 300), st.integers(0, 255))
def test_scanning_noise(noise: bytes, place: int, value: int) -> None:
    units = pack(bytes(3000), BZIP2) + noise + pack(b"abc" * 500, ZLIB) + noise
    damaged = bytearray(units)
    damaged[place % len(units)] ^= value
    for data in (units, bytes(damaged)):
        for md5 in (True, False):
            found = scan(memoryview(data), 0, len(data), sector_size=4096, md5=md5, most=100_000)
            for one in found:
                assert 0 <= one.start < one.end <= len(data)
    assert {bytes(3000), b"abc" * 500} <= {
        one.data for one in scan(memoryview(units), 0, len(units), sector_size=4096, md5=False, most=100_000)
    }


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_a_scan_has_limits() -> None:
    bomb = pack(bytes(5_000_000), BZIP2)
    (found,) = scan(memoryview(bomb), 0, len(bomb), sector_size=4096, md5=False, most=1000)
    assert isinstance(found.error, playhead.LimitExceeded)
    assert found.data == b""
    marks = b"\x10BZh9\x31\x41\x59\x26\x53\x59" * 30_000
    assert len(scan(memoryview(marks), 0, len(marks), sector_size=4096, md5=False, most=1000)) < 5000


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_blocks_around_a_damaged_one_are_kept() -> None:
    data = random.Random(4).randbytes(2_000_000).translate(bytes(range(64)) * 4)
    unit = bytearray(pack(data, BZIP2))
    assert unpack(bytes(unit), len(data)) == data
    unit[len(unit) * 2 // 3] ^= 1
    with pytest.raises(playhead.CorruptReplay, match="bzip2"):
        unpack(bytes(unit), len(data))
    told: list[Damage] = []
    kept = unpack(bytes(unit), len(data), told.append)
    (gap,) = told
    assert gap.end is not None
    assert 899_000 < gap.start < 900_001
    assert 899_000 < gap.end - gap.start < 900_001
    assert kept == data[: gap.start] + bytes(gap.end - gap.start) + data[gap.end :]
    assert bz2.compress(b"x")[4:10] == b"\x31\x41\x59\x26\x53\x59"
