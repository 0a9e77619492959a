"""MPQ archives: written, read, damaged."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many import many

from playhead.blizzard.mpq import MpqArchive, UserData
from playhead.blizzard.mpq.attributes import NO_CHECKSUMS, Checksums, read_checksums
from playhead.blizzard.mpq.compression import BZIP2, ZLIB, pack, unpack
from playhead.blizzard.mpq.crypt import decrypt, encrypt
from playhead.blizzard.mpq.layout import (
    BLOCK_TABLE_KEY,
    ENTRY_SIZE,
    FLAG_ENCRYPTED,
    FLAG_IMPLODE,
    MAX_LISTFILE,
    read_listfile,
)
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnsupportedVersion
from playhead.limits import Limits

NAMES = ["replay.details", "replay.initData", "replay.game.events", "folder\\Some.txt", "ä"]


def open_archive(data: bytes, names: list[str], limits: Limits | None = None) -> MpqArchive:
    view = memoryview(data)
    user_data = UserData.read(view)
    return MpqArchive(view, user_data.archive_offset, names, limits)


def with_block(data: bytes, index: int, **changes: int) -> bytes:
    """`data` with fields of a block table row changed (format 1, which has no digests)."""
    header = open_archive(data, []).header
    start = header.offset + header.block_table_offset
    raw = bytearray(decrypt(data[start : start + header.block_table_entries * ENTRY_SIZE], BLOCK_TABLE_KEY))
    fields = dict(
        zip(("offset", "stored", "unpacked", "flags"), struct.unpack_from("<4I", raw, index * 16), strict=True)
    )
    struct.pack_into("<4I", raw, index * 16, *(fields | changes).values())
    return data[:start] + encrypt(bytes(raw), BLOCK_TABLE_KEY) + data[start + len(raw) :]


members = st.builds(
    NewMember,
    name=st.sampled_from(NAMES),
    data=st.one_of(
        st.binary(max_size=300),
        st.builds(lambda unit, times: unit * times, st.binary(min_size=1, max_size=5), st.integers(1, 9000)),
    ),
    method=st.sampled_from([None, ZLIB, BZIP2]),
    single_unit=st.booleans(),
    sector_checksums=st.booleans(),
    encrypted=st.booleans(),
    fix_key=st.booleans(),
)


@many(1.5)
@given(st.lists(members, max_size=5, unique_by=lambda m: m.name), st.sampled_from([1, 3]), st.binary(max_size=512))
def test_round_trip(written: list[NewMember], version: int, user_data: bytes) -> None:
    data = write_archive(written, user_data, version=version)
    assert bytes(UserData.read(memoryview(data)).content) == user_data
    archive = open_archive(data, [*NAMES, "(listfile)", "(attributes)"])
    assert set(archive.names) == {member.name for member in written} | {"(listfile)", "(attributes)"}
    checksums = read_checksums(archive.read("(attributes)"), len(archive.blocks))
    for member in written:
        assert archive.read(member.name) == member.data
        assert checksums[archive.names[member.name]] == Checksums.of(member.data)
    assert archive.read("(listfile)").decode().split() == [member.name for member in written]
    assert data == write_archive(written, user_data, version=version)


def test_a_block_without_known_name_is_listed_and_read() -> None:
    archive = open_archive(write_archive([NewMember("secret.bin", b"abc" * 50)], b""), NAMES)
    assert "secret.bin" not in archive.names
    assert archive.read_block(0) == b"abc" * 50
    archive.learn_names(["SECRET.BIN"])
    assert archive.names == {"SECRET.BIN": 0}
    with pytest.raises(KeyError):
        archive.read("replay.details")


def test_an_encrypted_block_needs_its_name() -> None:
    archive = open_archive(write_archive([NewMember("secret.bin", b"abc" * 50, encrypted=True)], b""), NAMES)
    assert archive.blocks[0].flags & FLAG_ENCRYPTED
    with pytest.raises(CorruptReplay, match="known name"):
        archive.read_block(0)
    assert archive.read_block(0, "secret.bin") == b"abc" * 50
    assert archive.compression(0) is None
    assert archive.compression(0, "secret.bin") == "bzip2"


@pytest.mark.parametrize("single_unit", [True, False])
@pytest.mark.parametrize(("method", "name"), [(None, "stored"), (ZLIB, "zlib"), (BZIP2, "bzip2")])
def test_compression(method: int | None, name: str, single_unit: bool) -> None:
    data = write_archive([NewMember("x", b"x" * 9000, method=method, single_unit=single_unit)], b"")
    assert open_archive(data, ["x"]).compression(0) == name


def test_names_must_differ() -> None:
    with pytest.raises(ValueError, match="same name"):
        write_archive([NewMember("a", b""), NewMember("A", b"")], b"")


def test_limit_on_a_member() -> None:
    data = write_archive([NewMember("x", bytes(100_000))], b"")
    assert len(open_archive(data, ["x"]).read("x")) == 100_000
    with pytest.raises(LimitExceeded):
        open_archive(data, ["x"], Limits(member=99_999)).read("x")


def test_limit_on_the_tables() -> None:
    with pytest.raises(LimitExceeded):
        open_archive(write_archive([], b""), [], Limits(elements=1))


def test_a_list_of_names_has_a_limit() -> None:
    assert read_listfile(b"a\r\n\xff\r\n") == ["a", "\ufffd", ""]
    with pytest.raises(LimitExceeded):
        read_listfile(bytes(MAX_LISTFILE + 1))


@pytest.mark.parametrize("method", [ZLIB, BZIP2])
def test_a_unit_gives_no_more_than_it_declares(method: int) -> None:
    bomb = pack(bytes(50_000_000), method)
    with pytest.raises(CorruptReplay, match="goes on"):
        unpack(bomb, 1000)
    told: list[ReplayError] = []
    with pytest.raises(CorruptReplay, match="goes on"):
        unpack(bomb, 1000, told.append)
    assert told == []


@pytest.mark.parametrize("method", [ZLIB, BZIP2])
def test_a_unit_gives_less_than_it_declares(method: int) -> None:
    unit = pack(b"hello", method)
    with pytest.raises(CorruptReplay, match="ends after 5"):
        unpack(unit, 6)
    told: list[ReplayError] = []
    assert unpack(unit, 6, told.append) == b"hello"
    assert "ends after 5" in str(told[0])
    with pytest.raises(TruncatedReplay):
        unpack(unit[:4], 5)
    with pytest.raises(ReplayError):
        unpack(unit[:1] + b"\xff" * 20, 5)


def test_methods_that_no_replay_uses() -> None:
    with pytest.raises(UnsupportedVersion, match="0x08"):
        unpack(b"\x08abc", 10)
    with pytest.raises(TruncatedReplay):
        unpack(b"", 10)
    data = write_archive([NewMember("x", bytes(100))], b"", version=1)
    flags = open_archive(data, []).blocks[0].flags
    with pytest.raises(UnsupportedVersion, match="implode"):
        open_archive(with_block(data, 0, flags=flags | FLAG_IMPLODE), ["x"]).read("x")


def test_a_damaged_sector_is_found_by_its_checksum() -> None:
    noise = bytes(range(256)) * 40
    data = write_archive([NewMember("x", noise, method=ZLIB, single_unit=False, sector_checksums=True)], b"")
    good = open_archive(data, ["x"])
    last = good.header.offset + good.blocks[0].offset + 200
    damaged = bytearray(data)
    damaged[last] ^= 1
    with pytest.raises(CorruptReplay, match="checksum"):
        open_archive(bytes(damaged), ["x"]).read("x")


def test_a_damaged_table_is_found_by_its_digest() -> None:
    data = bytearray(write_archive([NewMember("x", b"abc")], b""))
    data[-1] ^= 1
    with pytest.raises(CorruptReplay, match="MD5"):
        open_archive(bytes(data), ["x"])


def test_a_deleted_block() -> None:
    data = with_block(write_archive([NewMember("x", b"abc" * 50)], b"", version=1), 0, flags=0x01000200)
    archive = open_archive(data, ["x"])
    assert archive.names == {}
    assert archive.dangling == {"x": 0}
    assert not archive.blocks[0].exists
    with pytest.raises(CorruptReplay, match="deleted"):
        archive.read_block(0)


def test_data_behind_the_end() -> None:
    data = with_block(write_archive([NewMember("x", b"abc" * 50)], b"", version=1), 0, offset=0xFFFFFFF0)
    with pytest.raises(TruncatedReplay) as caught:
        open_archive(data, ["x"]).read("x")
    assert caught.value.where == "x"


@pytest.mark.parametrize("stored", [1, 3, 7, 11, 40])
def test_sectors_that_do_not_fit(stored: int) -> None:
    member = NewMember("x", b"abc" * 6000, single_unit=False)
    data = write_archive([member], b"", version=1)
    with pytest.raises(ReplayError):
        open_archive(with_block(data, 0, stored=stored), ["x"]).read("x")


def test_the_archive_header_is_checked() -> None:
    data = bytearray(write_archive([], b"", version=1))
    with pytest.raises(TruncatedReplay):
        open_archive(bytes(data[: ARCHIVE_OFFSET + 10]), [])
    for place, value in ((0, 0), (4, 45), (12, 2), (14, 21), (24, 0)):
        changed = bytearray(data)
        changed[ARCHIVE_OFFSET + place] = value
        with pytest.raises(CorruptReplay):
            open_archive(bytes(changed), [])


def test_checksums_are_checked() -> None:
    data = open_archive(write_archive([NewMember("x", b"abc")], b""), ["(attributes)"]).read("(attributes)")
    (abc, _, own) = read_checksums(data, 3)
    assert abc.crc32 == zlib.crc32(b"abc")
    abc.check(b"abc")
    own.check(b"anything")
    for other in (abc, Checksums(0, abc.md5)):
        with pytest.raises(CorruptReplay):
            other.check(b"abd")
    assert read_checksums(struct.pack("<II", 100, 0), 3) == [NO_CHECKSUMS] * 3
    with_times = struct.pack("<II3I3Q", 100, 3, 1, 2, 3, 7, 7, 7)
    assert [block.crc32 for block in read_checksums(with_times, 3)] == [1, 2, 3]
    for wrong in (b"", data[:-1], data + b"\0", b"\x65" + data[1:], data[:4] + b"\x0f" + data[5:]):
        with pytest.raises(CorruptReplay):
            read_checksums(wrong, 3)
