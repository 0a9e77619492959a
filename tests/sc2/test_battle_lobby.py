"""``replay.server.battlelobby``: what is known of it, written and read; all else is kept and counted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.blizzard import BitPackedWriter, write_details, write_header
from tests.samples.sc2.replay import DETAILS, HEADER, sample_bytes

import playhead
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.sc2.members.battle_lobby import read_battle_lobby
from playhead.sc2.replay import Sc2Replay


def handle(kind: bytes, number: int) -> bytes:
    return kind + b"\0\0EU" + number.to_bytes(32, "big")


def written(handles: list[bytes], attributes: int, rest: bytes) -> bytes:
    """The beginning of the member as the game writes it, and something behind."""
    out = BitPackedWriter()
    out.write_int(len(handles), 6)
    for each in handles:
        out.write_blob(b"C:\\Cache\\" + each[8:].hex().encode() + b"." + each[:4], 10)
    out.write_int(len(handles), 6)
    for each in handles:
        out.write_aligned_bytes(each)
    out.write_int(attributes, 9)
    return out.to_bytes() + rest


def account(tag: str) -> bytes:
    """A BattleTag as the name of an account: program, realm, length less two."""
    name = tag.encode()
    return b"\0\0S2\0\0\0\x01" + bytes((len(name) - 2,)) + name


MAPS = [handle(b"s2ma", 1), handle(b"s2ma", 2)]
MORE = [handle(b"s2mv", 3), handle(b"s2ml", 4), handle(b"s2mh", 5)]
REST = b"\x12\x34" + MORE[0] + b"?" * 7 + MORE[1] + MORE[2] + account("Needle#1234") + account("N\xe4del#99999")


def test_what_is_known_is_read_and_the_rest_counted() -> None:
    lobby = read_battle_lobby(written(MAPS, 73, REST + account("Needle#1234")))
    assert lobby.cache_handles == tuple(MAPS)
    assert [path.rpartition(".")[2] for path in lobby.cache_paths] == ["s2ma", "s2ma"]
    assert lobby.attributes == 73
    assert lobby.more_handles == tuple(MORE)
    assert lobby.battle_tags == ("Needle#1234", "N\xe4del#99999")
    assert lobby.rest.endswith(REST + account("Needle#1234"))
    # Two bytes, seven marks, and nine bytes in front of each of three tags.
    assert lobby.unread == 2 + 7 + 3 * 9
    assert lobby.size == len(written(MAPS, 73, REST + account("Needle#1234")))


def test_what_only_looks_like_a_tag_is_none() -> None:
    wrong = account("Needle#1234").replace(bytes((9,)), bytes((7,)), 1)
    assert read_battle_lobby(written(MAPS, 1, wrong)).battle_tags == ()
    assert read_battle_lobby(written(MAPS, 1, b"Needle#1234")).battle_tags == ()


@given(st.binary(max_size=400))
def test_noise_is_refused_with_a_typed_error_or_kept(data: bytes) -> None:
    try:
        lobby = read_battle_lobby(data)
    except playhead.ReplayError:
        return
    assert 0 <= lobby.unread <= len(lobby.rest) <= lobby.size == len(data)


@pytest.mark.parametrize("cut", [0, 1, 40, 200])
def test_a_cut_member_is_refused(cut: int) -> None:
    with pytest.raises(playhead.ReplayError):
        read_battle_lobby(written(MAPS, 73, b"")[:cut])


def with_lobby(lobby: bytes | None) -> Sc2Replay:
    archive = MpqArchive(memoryview(sample_bytes()), ARCHIVE_OFFSET, member_names.KNOWN_NAMES)
    content = {name: archive.read(name) for name in archive.names if name[0] != "("}
    content[member_names.DETAILS] = write_details(replace(DETAILS, cache_handles=tuple(MAPS)))
    if lobby is not None:
        content[member_names.BATTLE_LOBBY] = lobby
    made = write_archive([NewMember(name, data) for name, data in content.items()], write_header(HEADER))
    return open_as(Sc2Replay, made)


def test_the_files_of_the_cache_are_a_table() -> None:
    rows = with_lobby(written(MAPS, 73, REST)).table("cache_files").to_pylist()
    assert [(row["file_type"], int(row["sha256"], 16)) for row in rows] == [
        ("s2ma", 1),
        ("s2ma", 2),
        ("s2mv", 3),
        ("s2ml", 4),
        ("s2mh", 5),
    ]
    assert {row["region_code"] for row in rows} == {"EU"}
    assert {row["member"] for row in rows} == {member_names.BATTLE_LOBBY}
    # Without the member, the details name the map and its mods.
    plain = with_lobby(None)
    assert plain.recording.battle_lobby is None
    assert [(row["member"], int(row["sha256"], 16)) for row in plain.table("cache_files").to_pylist()] == [
        (member_names.DETAILS, 1),
        (member_names.DETAILS, 2),
    ]


def test_a_damaged_one_costs_itself_and_says_so() -> None:
    replay = with_lobby(written(MAPS, 73, REST).replace(b"s2ma\0", b"s2mz\0"))
    assert replay.recording.battle_lobby is None
    assert [problem.cost for problem in replay.problems] == ["files that the server adds"]
    assert replay.table("cache_files").num_rows == 2
    assert replay.info.complete


def test_an_anonymized_replay_has_none(tmp_path) -> None:  # type: ignore[no-untyped-def]
    replay = with_lobby(written(MAPS, 73, REST))
    assert replay.info.details["battle_lobby"]["bytes"] == len(written(MAPS, 73, REST))
    replay.write_anonymized(tmp_path / "out.SC2Replay", salt="salt")
    copy = open_as(Sc2Replay, tmp_path / "out.SC2Replay")
    assert copy.recording.battle_lobby is None
    assert b"Needle#1234" not in (tmp_path / "out.SC2Replay").read_bytes()


def test_the_brief_facts_are_all_but_it() -> None:
    member = written(MAPS, 73, REST)
    replay, damaged = with_lobby(member), with_lobby(member.replace(b"s2ma\0", b"s2mz\0"))
    brief = replay.brief_info
    others = {name: value for name, value in replay.info.details.items() if name != "battle_lobby"}
    assert others.keys() < replay.info.details.keys()
    assert brief == replace(replay.info, details=others)
    # It is not even read.
    assert damaged.brief_info.details == others
    assert not damaged.problems_so_far
    assert damaged.info.details == others
    assert damaged.problems_so_far
