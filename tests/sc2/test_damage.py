"""Damage at every place: what is sound comes back, what is not is told, and never twice."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.blizzard import VersionedWriter, write_header
from tests.samples.sc2.replay import DETAILS, HEADER, METADATA, sample_bytes

import playhead
from playhead.blizzard.encoding.versioned import VersionedReader
from playhead.blizzard.members import member_names
from playhead.blizzard.members.header import ReplayHeader
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.compression import BZIP2, ZLIB, Damage, pack, sound_blocks
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.blizzard.protocol.tables import GAME, ID_BITS, TRACKER
from playhead.blizzard.repair.resume import StreamEncoding, resume
from playhead.sc2.protocol.tables import event_program
from playhead.sc2.replay import Sc2Replay

SAMPLE = sample_bytes()
ARCHIVE = MpqArchive(memoryview(SAMPLE), ARCHIVE_OFFSET, member_names.KNOWN_NAMES)
CONTENT = {name: ARCHIVE.read(name) for name in ARCHIVE.names if name[0] != "("}
STREAMS = ("game_events", "message_events", "tracker_events")
SECTOR = 4096


def open_sc2(data: bytes) -> Sc2Replay:
    return open_as(Sc2Replay, data)


def without(*names: str) -> bytes:
    """The sample without some members."""
    content = {name: data for name, data in CONTENT.items() if name not in names}
    return write_archive([NewMember(name, data) for name, data in content.items()], write_header(HEADER))


def in_sectors(name: str, data: bytes, header: ReplayHeader = HEADER) -> tuple[bytearray, list[tuple[int, int]]]:
    """A replay of format 1 with `data` in sectors, and where in the file each of them is."""
    made = bytearray(
        write_archive([NewMember(name, data, method=ZLIB, single_unit=False)], write_header(header), version=1)
    )
    archive = MpqArchive(memoryview(bytes(made)), ARCHIVE_OFFSET, [name])
    block = archive.blocks[archive.names[name]]
    start = ARCHIVE_OFFSET + block.offset
    count = -(-len(data) // SECTOR) + 1
    offsets = [int.from_bytes(made[start + 4 * i : start + 4 * i + 4], "little") for i in range(count)]
    return made, [(start + a, start + b) for a, b in itertools.pairwise(offsets)]


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data, place: data[:place], id="cut"),
        pytest.param(lambda data, place: data[:place] + bytes((data[place] ^ 16,)) + data[place + 1 :], id="flip"),
        pytest.param(lambda data, place: (data[:place] + bytes(64) + data[place + 64 :])[: len(data)], id="zero"),
    ],
)
def test_damage_at_every_nth_place_is_told(damage: Callable[[bytes, int], bytes]) -> None:
    whole = open_sc2(SAMPLE)
    events = {name: whole.table(name).drop(["seconds"]) for name in STREAMS}
    lost = 0
    for place in range(ARCHIVE_OFFSET, len(SAMPLE), 37):
        hurt = open_sc2(damage(SAMPLE, place))
        gone = [not hurt.table(name).drop(["seconds"]).equals(events[name]) for name in STREAMS]
        lost += any(gone)
        assert hurt.problems or not any(gone), place
        assert not (hurt.info.complete and any(gone)), place
        told = [(problem.where, problem.offset, problem.what) for problem in hurt.problems]
        assert len(told) == len(set(told)), place
    assert lost > 5


def test_complete_is_no_where_a_stream_is_missing() -> None:
    assert open_sc2(without()).info.complete
    assert not open_sc2(without(member_names.GAME_EVENTS)).info.complete


def test_a_stream_that_breaks_off_is_lost_and_the_replay_incomplete() -> None:
    """Its checksums fit: the game itself wrote it so."""
    for name, member in ((GAME, member_names.GAME_EVENTS), (TRACKER, member_names.TRACKER_EVENTS)):
        whole = open_sc2(SAMPLE)
        cut = NewMember(member, whole.recording.container.read_member(member)[:-3], method=None)
        rest = [
            NewMember(each, whole.recording.container.read_member(each), method=None)
            for each in whole.recording.container.archive.names  # type: ignore[union-attr]
            if each.startswith("replay.") and each != member
        ]
        info = open_sc2(write_archive([*rest, cut], write_header(HEADER))).info
        assert not info.complete
        assert [each.startswith(f"{name} events after loop") for each in info.details["lost_parts"]] == [True]


def test_a_cut_file_has_lost_its_tracker() -> None:
    """It was recorded; the cut took it."""
    for share in (0.3, 0.4):
        replay = open_sc2(SAMPLE[: int(len(SAMPLE) * share)])
        assert "not_recorded" not in replay.info.details
        assert "tracker events: all" in replay.info.details["lost_parts"]
        assert not replay.info.complete


def test_what_a_replay_without_tracker_cannot_tell() -> None:
    assert open_sc2(SAMPLE).info.details["tracker"] is True
    assert "not_recorded" not in open_sc2(SAMPLE).info.details
    replay = open_sc2(without(member_names.TRACKER_EVENTS))
    assert replay.info.details["tracker"] is False
    assert "lost_parts" not in replay.info.details
    empty = replay.info.details["not_recorded"]
    assert {"units", "player_series", "upgrades", "tracker_events", "reasons"} <= set(empty)
    whole = open_sc2(SAMPLE)
    assert all(replay.table(name).num_rows == 0 for name in empty)
    assert any(whole.table(name).num_rows for name in empty)
    (problem,) = replay.problems
    assert "found an archive without it" in problem.what, "a pack of Blizzard's lacks messages and checksums too"


def test_a_bad_sector_costs_that_sector() -> None:
    noise = random.Random(5).randbytes(6 * SECTOR - 100).translate(bytes(range(16)) * 16)
    made, places = in_sectors(member_names.SYNC_HISTORY, noise)
    made[sum(places[2]) // 2] ^= 4
    archive = MpqArchive(memoryview(bytes(made)), ARCHIVE_OFFSET, [member_names.SYNC_HISTORY])
    with pytest.raises(playhead.CorruptReplay):
        archive.read(member_names.SYNC_HISTORY)
    told: list[Damage] = []
    got = archive.read(member_names.SYNC_HISTORY, told.append)
    assert [(gap.start, gap.end) for gap in told] == [(2 * SECTOR, 3 * SECTOR)]
    assert got == noise[: 2 * SECTOR] + bytes(SECTOR) + noise[3 * SECTOR :]
    # The last sector bad too: the data end before it.
    made[sum(places[5]) // 2] ^= 4
    archive = MpqArchive(memoryview(bytes(made)), ARCHIVE_OFFSET, [member_names.SYNC_HISTORY])
    assert archive.read(member_names.SYNC_HISTORY, told.append) == got[: 5 * SECTOR]
    assert told[-1].cost == f"its bytes {5 * SECTOR} to {len(noise)}"


def test_a_damaged_sector_table_costs_the_sectors_that_it_leads_to() -> None:
    noise = random.Random(6).randbytes(4 * SECTOR).translate(bytes(range(16)) * 16)
    made, places = in_sectors(member_names.SYNC_HISTORY, noise)
    table = places[0][0] - 4 * 5
    made[table + 4 * 2 + 3] = 0xFF
    archive = MpqArchive(memoryview(bytes(made)), ARCHIVE_OFFSET, [member_names.SYNC_HISTORY])
    told: list[Damage] = []
    got = archive.read(member_names.SYNC_HISTORY, told.append)
    assert [(gap.start, gap.end) for gap in told] == [(SECTOR, 2 * SECTOR), (2 * SECTOR, 3 * SECTOR)]
    assert got == noise[:SECTOR] + bytes(2 * SECTOR) + noise[3 * SECTOR :]


def test_events_before_a_gap_are_kept() -> None:
    events = CONTENT[member_names.GAME_EVENTS] * 200
    made, places = in_sectors(member_names.GAME_EVENTS, events)
    whole = open_sc2(bytes(made)).table("game_events")
    number = len(places) // 2
    made[sum(places[number]) // 2] ^= 4
    replay = open_sc2(bytes(made))
    found = replay.table("game_events")
    assert found.equals(whole.slice(0, found.num_rows))
    assert 0.4 < found.num_rows / whole.num_rows < 0.6
    gap = f"its bytes {number * SECTOR} to {(number + 1) * SECTOR}"
    assert [problem.cost for problem in replay.problems if problem.where == member_names.GAME_EVENTS] == [
        gap,
        "game events from here on",
    ]
    assert not replay.info.complete


def long_events(count: int) -> tuple[bytes, int]:
    """Game events of the sample again and again, and how many loops all of it takes."""
    encoding = StreamEncoding(event_program(HEADER.base_build, HEADER.build, GAME), False, ID_BITS[GAME])
    once = CONTENT[member_names.GAME_EVENTS]
    *_, (_, loops) = encoding.events(once)
    return once * count, loops * count


def test_events_go_on_behind_a_gap() -> None:
    events, loops = long_events(200)
    made, places = in_sectors(member_names.GAME_EVENTS, events, replace(HEADER, loops=loops))
    whole = open_sc2(bytes(made))
    assert whole.recording.stream(GAME) is not None
    number = len(places) // 2
    made[sum(places[number]) // 2] ^= 4
    replay = open_sc2(bytes(made))
    before, after = (each.table("game_events") for each in (whole, replay))
    (gap,) = [problem for problem in replay.problems if "counted back" in problem.cost]
    told = replay.info.details["gaps"]["game"]
    assert not replay.info.complete
    first = sum(tick <= told["last_tick"] for tick in after["tick"].to_pylist())
    rest = after.num_rows - first
    # No more is lost than the sector and what is shorter than the longest event.
    assert 0 < before.num_rows - after.num_rows < 2 * SECTOR / len(events) * before.num_rows
    assert after.slice(0, first).equals(before.slice(0, first))
    # The last event is at the end of the recording, so that all loops are right.
    assert after.slice(first).equals(before.slice(before.num_rows - rest))
    assert told["next_tick"] == after["tick"][first].as_py()
    assert gap.tick == told["last_tick"]
    # One by one they are the same.
    assert [event.tick for event in replay.events("game")] == after["tick"].to_pylist()
    # Nothing is made up where the end of the recording is not known.
    made[16:ARCHIVE_OFFSET] = bytes(ARCHIVE_OFFSET - 16)
    bare = open_sc2(bytes(made))
    stream = bare.recording.stream(GAME)
    assert stream is not None
    assert len(stream) == first
    assert any("from here on" in problem.cost for problem in bare.problems)


@pytest.mark.long
@given(st.data())
def test_a_stream_is_taken_up_where_an_event_begins(data: st.DataObject) -> None:
    tracker = data.draw(st.booleans())
    name = TRACKER if tracker else GAME
    encoding = StreamEncoding(event_program(HEADER.base_build, HEADER.build, name), tracker, ID_BITS[name])
    once = CONTENT[member_names.TRACKER_EVENTS if tracker else member_names.GAME_EVENTS]
    events = once * 20
    ends = [0, *(end for end, _ in encoding.events(events))]
    last = [loop for _, loop in encoding.events(events)][-1]
    start = data.draw(st.integers(1, len(events) // 2))
    stop = data.draw(st.integers(start + 1, len(events) // 2 + 1))
    found = resume(events[:start], events[stop:], stop - start, encoding, last)
    assert found is not None
    here = [loop for _, loop in encoding.events(found.data)]
    whole = [loop for _, loop in encoding.events(events)]
    kept = sum(end <= start for end in ends[1:])
    assert here[:kept] == whole[:kept]
    assert here[kept:] == whole[len(whole) - (len(here) - kept) :]
    assert found.lost_bytes == len(events) - (ends[kept] + len(events) - ends[len(whole) - (len(here) - kept)])


def test_noise_behind_a_gap_is_no_event() -> None:
    encoding = StreamEncoding(event_program(HEADER.base_build, HEADER.build, GAME), False, ID_BITS[GAME])
    events = CONTENT[member_names.GAME_EVENTS]
    assert resume(events, random.Random(9).randbytes(3000), 100, encoding, 1 << 20) is None
    assert resume(events, b"", 100, encoding, 1 << 20) is None
    assert resume(events, events * 3, 100, encoding, 10) is None, "more loops than the recording has"


@pytest.mark.long
@pytest.mark.parametrize("bad", [0, 1, 2])
def test_blocks_of_bzip2_are_read_one_by_one(bad: int) -> None:
    data = random.Random(7).randbytes(2_500_000).translate(bytes(range(4)) * 64)
    packed = bytearray(pack(data, BZIP2)[1:])
    packed[(2 * bad + 1) * len(packed) // 6] ^= 1
    behind = sound_blocks(bytes(packed), 0, len(data))
    assert data.endswith(behind)
    assert len(behind) // 100_000 == (16, 7, 0)[bad]
    assert sound_blocks(bytes(packed[:-10]), 0, len(data)) == b""
    assert sound_blocks(b"BZh9" + random.Random(8).randbytes(1000), 0, 1000) == b""


def test_players_of_lobby_and_summary() -> None:
    whole = open_sc2(SAMPLE)
    replay = open_sc2(without(member_names.DETAILS, member_names.DETAILS_BACKUP))
    assert replay.recording.details is None
    for mine, theirs in zip(replay.players, whole.players, strict=True):
        assert (mine.player, mine.name, mine.team, mine.kind) == (
            theirs.player,
            theirs.name,
            theirs.team,
            theirs.kind,
        )
        assert mine.result == theirs.result
    assert replay.info.map == METADATA.title
    assert replay.info.ticks_per_second == whole.info.ticks_per_second
    assert "time" in replay.problems[0].cost
    # Without a lobby nobody has a name.
    bare = open_sc2(without(member_names.DETAILS, member_names.DETAILS_BACKUP, member_names.INIT_DATA))
    assert [player.name for player in bare.players] == [None] * len(DETAILS.players)
    assert [player.result for player in bare.players] == [player.result for player in whole.players]


def test_details_without_players_are_a_problem() -> None:
    """The lobby and the tracker still have them."""
    values = VersionedReader(CONTENT[member_names.DETAILS]).read_value()
    assert isinstance(values, dict)
    writer = VersionedWriter()
    writer.write_value({number: value for number, value in values.items() if number != 0})
    content = {**CONTENT, member_names.DETAILS: writer.to_bytes()}
    members = [NewMember(name, data) for name, data in content.items()]
    replay = open_sc2(write_archive(members, write_header(HEADER)))
    assert [player.name for player in replay.players] == [player.name for player in open_sc2(SAMPLE).players]
    assert replay.table("outcomes").num_rows == open_sc2(SAMPLE).table("outcomes").num_rows
    (problem,) = replay.problems
    assert str(problem).startswith("replay.details: expected the players, found none")


def test_names_of_the_lobby_stand_in_for_those_of_the_details() -> None:
    replay = open_sc2(without(member_names.DETAILS))
    assert [player.name for player in replay.players] == ["Needle", "Spindle"]
    assert replay.info.details["details_member"] == member_names.DETAILS_BACKUP


def test_an_archive_without_a_lobby_is_told() -> None:
    names = (member_names.INIT_DATA, member_names.INIT_DATA_BACKUP, member_names.GAME_EVENTS)
    missing = {each.what.split()[1].rstrip(","): each.cost for each in open_sc2(without(*names)).problems}
    assert missing == {member_names.GAME_EVENTS: "all game events", member_names.INIT_DATA: "the lobby"}


@pytest.mark.parametrize("name", [member_names.SYNC_EVENTS, member_names.GAME_ATTRIBUTES])
def test_a_member_that_every_replay_has_is_missed(name: str) -> None:
    replay = open_sc2(without(name))
    assert [(each.what.split()[1], each.cost[:9]) for each in replay.problems] == [(f"{name},", "the table")]
    assert not replay.info.complete


def test_a_replay_without_a_lobby_is_not_complete() -> None:
    others = (member_names.MESSAGE_EVENTS, member_names.TRACKER_EVENTS, member_names.SYNC_EVENTS)
    replay = open_sc2(without(*others, member_names.INIT_DATA, member_names.INIT_DATA_BACKUP))
    assert [each.cost for each in replay.problems] == ["the lobby"]
    assert not replay.info.complete


def test_a_lost_hash_entry_is_found_by_content() -> None:
    plain = write_archive([NewMember(n, d) for n, d in CONTENT.items()], write_header(HEADER), version=1)
    archive = MpqArchive(memoryview(plain), ARCHIVE_OFFSET, member_names.KNOWN_NAMES)
    lost = 0
    for place in range(archive.header.hash_table_entries):
        start = ARCHIVE_OFFSET + archive.header.hash_table_offset + 16 * place
        hurt = open_sc2(plain[:start] + bytes(8) + plain[start + 8 :])
        names = {
            where
            for where in CONTENT
            if hurt.recording.container.archive is not None and where not in hurt.recording.container.archive
        }
        assert not names & {member_names.GAME_EVENTS, member_names.MESSAGE_EVENTS}
        assert not names or (hurt.problems and not hurt.info.complete), names
        assert [player.name for player in hurt.players] == ["Needle", "Spindle"]
        if any("recognised" in problem.cost for problem in hurt.problems):
            lost += 1
            with pytest.raises(playhead.CorruptReplay, match="expected the hash table to lead to"):
                playhead.open(plain[:start] + bytes(8) + plain[start + 8 :], strict=True).read_tables(["chat"])
    assert lost >= 2


def test_a_short_game_without_any_event_is_told() -> None:
    """The last event of players may be long before the end, but there is one."""
    short = replace(HEADER, loops=500)
    empty = {**CONTENT, member_names.GAME_EVENTS: b""}
    data = write_archive([NewMember(n, d) for n, d in empty.items()], write_header(short))
    problems = [each for each in open_sc2(data).problems if each.where == member_names.GAME_EVENTS]
    assert [each.what for each in problems] == ["expected events of the game stream, found a member without any"]
    with pytest.raises(playhead.TruncatedReplay, match="without any"):
        playhead.open(data, strict=True).read_tables(["commands"])


@pytest.mark.parametrize("name", [member_names.SYNC_EVENTS, member_names.RESUMABLE, member_names.GAME_ATTRIBUTES])
def test_a_small_member_that_expands_to_millions_of_records_is_not_decoded(name: str) -> None:
    packed = write_archive(
        [NewMember(n, d) for n, d in {**CONTENT, name: bytes(5 << 20)}.items()], write_header(HEADER)
    )
    told = [(each.where, each.kind) for each in open_sc2(packed).problems]
    assert told == [(name, "LimitExceeded")]
