"""Many small things in few bytes: more than a recording of that size can have end at a budget."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from random import Random

import pytest
from tests.samples.sc2 import replay as sc2
from tests.samples.sc2.events import sample_streams
from tests.samples.source2.engine import file_info, sample_demo

import playhead
from playhead import LimitExceeded, Limits, Replay, TruncatedReplay
from playhead.blizzard.protocol.tables import TRACKER
from playhead.sc2.protocol.tables import protocol_table
from playhead.source2.container.frames import FULL_PACKET, PACKET, SIGNON_PACKET
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.replay import Source2Replay
from playhead.source2.string_tables.tables import BYTES_AN_ENTRY, MOST_TABLES, StringTables, handle_create
from playhead.source2.writing.demo import DemoWriter, InnerMessage, create_string_table

ENTRIES = 4096


def repeated(number: int, count: int = ENTRIES) -> InnerMessage:
    """Return a message that touches entries of a string table without changing them: three bits each."""
    data = int("001" * 8, 2).to_bytes(3, "little") * -(-count // 8)
    message = {"table_id": number, "num_changed_entries": count, "string_data": data}
    return Engine.UPDATE_STRING_TABLE, wire.encode("CSVCMsg_UpdateStringTable", message)


def demo(*packets: list[InnerMessage]) -> bytes:
    """Return a demo of these packets, after one that creates a string table."""
    writer = DemoWriter({})
    server = {"max_classes": 2, "tick_interval": 0.5, "map_name": "start"}
    writer.signon([(Engine.SERVER_INFO, wire.encode("CSVCMsg_ServerInfo", server)), create_string_table("t", [])])
    writer.sync_tick()
    for tick, messages in enumerate(packets):
        writer.packet(tick, messages)
    return writer.finish(len(packets), {"playback_ticks": len(packets)})


def lost(replay: playhead.Replay, word: str) -> list[str]:
    """Return the places of limit problems whose text has that word."""
    found = [problem for problem in replay.problems if word in problem.what]
    assert {problem.kind for problem in found} <= {"LimitExceeded"}
    return [problem.where for problem in found]


def test_entries_of_string_tables_have_a_budget() -> None:
    data = demo(*([repeated(0)] for _ in range(10)))
    whole = playhead.open(data)
    assert whole.table("string_tables").num_rows == 10 * ENTRIES
    small = playhead.open(data, limits=Limits(rows=3 * ENTRIES))
    rows = small.table("string_tables").num_rows
    assert 3 * ENTRIES <= rows <= 3 * ENTRIES + len(data) // BYTES_AN_ENTRY
    assert set(lost(small, "entries of string tables")) == {"string tables"}
    with pytest.raises(LimitExceeded, match="entries of string tables"):
        playhead.open(data, limits=Limits(rows=ENTRIES), strict=True).table("string_tables")


def test_the_bytes_of_a_recording_pay_for_its_entries() -> None:
    random = Random(1)
    entries = [(i, b"a name %d" % i, random.randbytes(40)) for i in range(2000)]
    data = demo([create_string_table("paid", entries, compress=False)])
    replay = playhead.open(data, limits=Limits(rows=0))
    assert (replay.table("string_tables").num_rows, replay.problems) == (2000, ())


def test_a_broken_count_costs_no_budget() -> None:
    tables = StringTables(Limits(rows=100))
    known = {"name": "t", "string_data": bytes(10)}
    with pytest.raises(TruncatedReplay):
        handle_create({**known, "num_entries": 1 << 30}, tables)
    assert 0 < tables.entries_read < 20
    handle_create({**known, "name": "u", "num_entries": -1}, tables)
    assert 0 < tables.entries_read < 20


def test_dumps_of_full_packets_have_the_same_budget() -> None:
    items = [{"str": "", "data": b""}] * ENTRIES
    writer = DemoWriter({})
    writer.signon([create_string_table("t", [])])
    writer.sync_tick()
    for tick in range(10):
        writer.full_packet(tick, [{"table_name": "t", "items": items}], [])
    data = writer.finish(10, file_info())
    small = playhead.open(data, limits=Limits(rows=2 * ENTRIES))
    small.table("string_tables")
    assert len(lost(small, "entries of string tables")) >= 7


@pytest.mark.slow_interpreted
def test_entries_of_a_dump_are_counted_before_they_are_made() -> None:
    tables = StringTables(Limits(rows=100))
    flood = wire.encode("CDemoStringTables", {"tables": [{"table_name": "t", "items": [{}] * 400_000}]})
    tracemalloc.start()
    try:
        with pytest.raises(LimitExceeded, match="at most 100 entries"):
            tables.read_dump(flood)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(flood)
    finally:
        tracemalloc.stop()
    assert tables.entries_read == 0
    fits = wire.encode("CDemoStringTables", {"tables": [{"table_name": "t", "items": [{}] * 100}]})
    tables.read_dump(fits)
    assert tables.entries_read == 100


def test_a_damaged_full_packet_is_a_problem() -> None:
    writer = DemoWriter({})
    writer.signon([create_string_table("t", [])])
    writer.sync_tick()
    writer.stored_frame(FULL_PACKET, 1, b"\x0b\x0b")
    writer.full_packet(2, [{"table_name": "t", "items": []}], [])
    replay = playhead.open(writer.finish(2, file_info()))
    assert "found wire type 3" in replay.problems[0].what
    assert replay.table("string_tables").num_rows == 0


def test_there_are_not_endlessly_many_string_tables() -> None:
    data = demo([create_string_table(f"t{number}", []) for number in range(MOST_TABLES + 9)])
    replay = playhead.open(data)
    assert replay.read_tables(["string_tables"])
    assert lost(replay, "string tables, found more") == ["string tables"]


def tracker_flood(count: int) -> bytes:
    """Return a replay with that many tracker events of an unknown number."""
    streams = sample_streams(protocol_table(sc2.HEADER.base_build, sc2.HEADER.build))
    unknown = bytes((3, 0, 9, 0, 9, 0x9E, 1, 5, 0))
    return sc2.archive(sc2.HEADER, {**streams, TRACKER: streams[TRACKER] + unknown * count})


def test_events_of_a_stream_have_a_limit() -> None:
    data = tracker_flood(10_000)
    whole = playhead.open(data)
    known = whole.table("game_events").num_rows
    assert not whole.problems
    small = playhead.open(data, limits=Limits(events=3000))
    assert sum(1 for _ in small.events("tracker")) == 3000
    assert small.table("game_events").num_rows == known
    assert set(lost(small, "at most 3000 events")) == {"replay.tracker.events"}
    with pytest.raises(LimitExceeded, match="3000 events"):
        list(playhead.open(data, limits=Limits(events=3000), strict=True).events("tracker"))


def test_problems_have_a_limit() -> None:
    writer = DemoWriter({})
    writer.sync_tick()
    for tick in range(300):
        writer.stored_frame(PACKET, tick, b"\xff\xff")
    data = writer.finish(300, file_info())
    assert len(playhead.open(data).problems) >= 300
    few = playhead.open(data, limits=Limits(problems=20)).problems
    assert len(few) == 21
    assert (few[-1].kind, few[-1].what) == ("LimitExceeded", "there are more problems than the limit of 20")


def test_a_recording_without_server_info_is_verified_as_far_as_it_goes() -> None:
    data = sample_demo()
    whole = playhead.open(data)
    signon = next(frame for frame in whole.recording.frames if frame.command == SIGNON_PACKET)
    replay = playhead.open(data[: signon.offset] + data[signon.payload + signon.size :])
    replay.verify()
    assert any("number of classes" in problem.what for problem in replay.problems)
    assert operations(replay) == operations(whole)


@pytest.mark.parametrize("change", [16, -16])
def test_a_sign_on_of_another_size_costs_itself(change: int) -> None:
    data = sample_demo()
    whole = playhead.open(data)
    frame = next(frame for frame in whole.recording.frames if frame.command == SIGNON_PACKET)
    place = frame.payload + frame.size // 2
    replay = playhead.open(data[: place + max(0, change)] + data[place + max(0, -change) :])
    assert len(replay.recording.frames) >= len(whole.recording.frames) - 1
    assert operations(replay) == operations(whole)
    assert replay.problems


def operations(replay: Replay) -> Counter[tuple[int, int, int]]:
    """Count operations on entities by tick, entity and operation."""
    found: Counter[tuple[int, int, int]] = Counter()
    assert isinstance(replay, Source2Replay)
    playback = replay.playback()
    playback.entities.on_entity(lambda entity, op: found.update([(playback.tick, entity.index, int(op))]))
    playback.run()
    return found
