"""Archives written again: what changes, what stays, and that others read them."""

from __future__ import annotations

import io
import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many import many
from tests.opened import open_as
from tests.samples.sc2.replay import sample_bytes

import playhead
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.compression import BZIP2, ZLIB
from playhead.blizzard.mpq.crypt import decrypt, encrypt
from playhead.blizzard.mpq.layout import BLOCK_TABLE_KEY, ENTRY_SIZE
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, rewrite_archive, write_archive
from playhead.blizzard.writing.rewriter import rewrite_replay
from playhead.sc2.replay import Sc2Replay

SAMPLE = sample_bytes()
NAMES = ["a.bin", "b.bin", "c.bin", "d.bin"]
LISTED = [*NAMES, "(listfile)", "(attributes)"]


def open_archive(data: bytes, names: list[str] = LISTED) -> MpqArchive:
    return MpqArchive(memoryview(data), ARCHIVE_OFFSET, names)


def open_sc2(data: bytes) -> Sc2Replay:
    return open_as(Sc2Replay, data)


new_members = st.lists(
    st.builds(
        NewMember,
        name=st.sampled_from(NAMES),
        data=st.builds(lambda unit, times: unit * times, st.binary(max_size=40), st.integers(0, 900)),
        method=st.sampled_from([None, ZLIB, BZIP2]),
        single_unit=st.booleans(),
        sector_checksums=st.booleans(),
        encrypted=st.booleans(),
        fix_key=st.booleans(),
    ),
    min_size=1,
    unique_by=lambda member: member.name,
)


@many(1)
@given(new_members, st.sampled_from([1, 3]), st.data())
def test_round_trip(written: list[NewMember], version: int, draw: st.DataObject) -> None:
    data = write_archive(written, b"user data", version=version)
    before = open_archive(data)
    assert rewrite_archive(memoryview(data), before, {}) == data
    names = [member.name for member in written]
    replace = draw.draw(st.dictionaries(st.sampled_from(names), st.binary(max_size=9000)))
    remove = draw.draw(st.sets(st.sampled_from(names))) - replace.keys()
    out = rewrite_archive(memoryview(data), before, replace, remove)
    assert out[:ARCHIVE_OFFSET] == data[:ARCHIVE_OFFSET]
    after = open_archive(out)
    expected = {member.name: member.data for member in written} | replace
    for name in remove:
        del expected[name]
        assert name not in after
        assert name not in after.dangling
    assert {name: after.read(name) for name in expected} == expected
    for member in written:
        if member.name in expected and member.name not in replace and not member.fix_key:
            old, new = (a.stored(a.blocks[a.names[member.name]]) for a in (before, after))
            assert bytes(old) == bytes(new)
    listed = after.read("(listfile)").decode().split()
    assert listed == [name for name in names if name not in remove]
    again = rewrite_archive(memoryview(out), after, {})
    assert again == out


def test_checksums_follow() -> None:
    out = rewrite_replay(
        open_sc2(SAMPLE).recording.container, {member_names.MESSAGE_EVENTS: b""}, [member_names.SYNC_EVENTS]
    )
    replay = open_sc2(out)
    assert [each.cost for each in replay.problems] == ["the table sync"]
    assert replay.table("chat").num_rows == replay.table("sync").num_rows == 0
    assert replay.table("units").equals(open_sc2(SAMPLE).table("units"))
    whole = open_sc2(SAMPLE)
    assert whole.recording.container.archive is not None
    block = whole.recording.container.archive.blocks[whole.recording.container.archive.names[member_names.DETAILS]]
    flipped = bytearray(out)
    flipped[ARCHIVE_OFFSET + block.offset + 50] ^= 1
    assert open_sc2(bytes(flipped)).problems


def test_a_member_that_nobody_knows_is_kept() -> None:
    data = write_archive([NewMember("secret.bin", b"abc" * 50), NewMember("a.bin", b"x" * 90)], b"")
    archive = open_archive(data, ["a.bin"])
    out = rewrite_archive(memoryview(data), archive, {"a.bin": random.Random(1).randbytes(900)})
    assert open_archive(out, ["secret.bin"]).read("secret.bin") == b"abc" * 50


def test_names_have_to_be_there() -> None:
    replay = open_sc2(SAMPLE)
    with pytest.raises(KeyError):
        rewrite_replay(replay.recording.container, {"replay.none": b""})
    with pytest.raises(KeyError):
        rewrite_replay(replay.recording.container, remove=["replay.none"])


def test_a_salvaged_replay_gets_new_tables() -> None:
    whole = open_sc2(SAMPLE)
    salvaged = open_sc2(SAMPLE[:-300])
    assert salvaged.problems
    with pytest.raises(KeyError):
        rewrite_replay(salvaged.recording.container, {"replay.none": b""})
    out = rewrite_replay(salvaged.recording.container, {member_names.RESUMABLE: b""})
    replay = open_sc2(out)
    assert replay.problems == ()
    assert replay.info.complete
    assert replay.players == whole.players
    for name in ("game_events", "message_events", "tracker_events", "sync", "attributes", "slots"):
        assert replay.table(name).equals(whole.table(name))
    assert replay.table("resume_points").num_rows == 0
    with pytest.raises(playhead.CorruptReplay, match="none"):
        rewrite_replay(open_sc2(SAMPLE[: ARCHIVE_OFFSET + 240]).recording.container)


def test_a_damaged_way_to_the_archive_is_mended() -> None:
    for place in (0, 9):
        damaged = bytearray(SAMPLE)
        damaged[place] ^= 0x20
        replay = open_sc2(bytes(damaged))
        assert replay.problems
        assert rewrite_replay(replay.recording.container) == SAMPLE
    headless = open_sc2(SAMPLE[ARCHIVE_OFFSET:])
    assert rewrite_replay(headless.recording.container) == SAMPLE[ARCHIVE_OFFSET:]


def test_a_block_far_behind_the_end_takes_no_memory() -> None:
    members = [NewMember("a.bin", b"content" * 50)]
    data = bytearray(write_archive(members, b"", version=1))
    begin = ARCHIVE_OFFSET + open_archive(bytes(data)).header.block_table_offset
    rows = bytearray(decrypt(bytes(data[begin:]), BLOCK_TABLE_KEY))
    for row in range(0, len(rows), ENTRY_SIZE):
        rows[row + 2 : row + 4] = b"\0\xf0"  # the upper half of its offset: four gigabytes
    data[begin:] = encrypt(bytes(rows), BLOCK_TABLE_KEY)
    tracemalloc.start()
    try:
        archive = MpqArchive(memoryview(bytes(data)), ARCHIVE_OFFSET, LISTED)
        with pytest.raises(playhead.ReplayError):
            rewrite_archive(memoryview(data), archive, {})
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


def test_mpyq_reads_it() -> None:
    mpyq = pytest.importorskip("mpyq", reason="mpyq is not installed")
    replay = open_sc2(SAMPLE)
    out = rewrite_replay(
        replay.recording.container, {member_names.TRACKER_EVENTS: b"changed" * 3000}, [member_names.SYNC_EVENTS]
    )
    archive = mpyq.MPQArchive(io.BytesIO(out))
    assert archive.read_file(member_names.TRACKER_EVENTS) == b"changed" * 3000
    assert archive.read_file(member_names.DETAILS) == replay.recording.container.read_member(member_names.DETAILS)
    assert member_names.SYNC_EVENTS.encode() not in archive.files
