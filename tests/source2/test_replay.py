"""The public interface on a synthetic demo: facts, tables, and effects of damage."""

from __future__ import annotations

import gc
import weakref
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.many import many
from tests.opened import open_as
from tests.samples.source2.engine import sample_demo

import playhead
from playhead import ReplayError, TruncatedReplay
from playhead.io.source import open_source
from playhead.model import Options
from playhead.source2.container.demo_stream import DemoStream
from playhead.source2.container.frames import iterate_frames
from playhead.source2.messages import wire
from playhead.source2.replay import Source2Replay
from playhead.source2.writing.demo import DemoWriter
from playhead.tables.shared import CHAT

pytestmark = pytest.mark.slow_interpreted

TICK = wire.encode("CNETMsg_Tick", {"tick": 1})
SAMPLE = sample_demo()
FRAMES = list(iterate_frames(memoryview(SAMPLE), playhead.Limits()))


def test_info() -> None:
    info = playhead.open(SAMPLE).info
    assert (info.format, info.game, info.version, info.build, info.map) == (
        "source2",
        "dota2",
        "47",
        10000,
        "start",
    )
    assert (info.duration_ticks, info.ticks_per_second, info.duration_seconds) == (900, 30.0, 30.0)
    assert (info.winner_side, info.complete) == ("radiant", True)
    assert info.end_time == datetime(2026, 1, 1, tzinfo=UTC)
    assert info.details["match"]["match_id"] == 7000000001
    assert len(info.details["match"]["picks_bans"]) == 14
    assert info.details["server_info"]["max_classes"] == 10


def test_a_played_replay_is_released_at_once() -> None:
    gc.disable()  # a cycle would then stay alive
    try:
        replay = open_as(Source2Replay, SAMPLE)
        playback = replay.playback(None)
        playback.on_message("DOTA_UM_ChatEvent", lambda tick, payload: None)
        playback.run()
        gone = [weakref.ref(each) for each in (replay, replay.recording, playback)]
        del replay, playback
        assert [each() for each in gone] == [None] * 3
    finally:
        gc.enable()


def test_a_replay_with_all_tables_is_released_at_once() -> None:
    gc.disable()
    try:
        replay = playhead.open(SAMPLE)
        replay.read_tables()
        gone = weakref.ref(replay)
        del replay
        assert gone() is None
    finally:
        gc.enable()


def test_tables_in_turn_are_those_of_one_call_and_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is released before the next is made, except those that table events is made of. Less of them waits
    uncompressed.
    """
    replay = playhead.open(SAMPLE)
    names = list(replay.tables)
    together = playhead.open(SAMPLE).read_tables(names)
    monkeypatch.setattr("playhead.tables.packed.SMALL_ROOM", 0)
    left: dict[str, weakref.ref[Any]] = {}
    found = []
    for built in replay.tables_in_turn(names):
        alive = {name for name, table in left.items() if table() is not None}
        assert not alive & {"frames", "user_messages", "combat_log"}
        for name in built:
            found.append(name)
            assert built[name].equals(together[name]), name
            left[name] = weakref.ref(built[name])
        del built
    assert sorted(found) == sorted(names)
    assert len(replay.tables_so_far) == 0


def test_a_pass_compares_the_frames_with_each_other() -> None:
    """`problems_so_far` reads nothing; in strict mode the pass raises, each time."""
    out = DemoWriter({"game_directory": "dota"})
    for tick in (20, 5):
        out.packet(tick, [])
    data = out.finish(30, {"playback_ticks": 30})
    replay = open_as(Source2Replay, data)
    len(replay.recording.frames)
    assert replay.problems_so_far == ()
    replay.table("user_messages")
    assert [problem.what for problem in replay.problems_so_far] == [
        "expected frames in the order of their ticks, found 20 before 5"
    ]
    strict = open_as(Source2Replay, data, strict=True)
    for _ in range(2):
        with pytest.raises(ReplayError, match="in the order of their ticks"):
            strict.table("user_messages")


def test_a_recording_without_its_strict_replay_raises() -> None:
    recording = Source2Replay(open_source(SAMPLE[:-100], playhead.Limits()), Options(strict=True)).recording
    with pytest.raises(TruncatedReplay):
        len(recording.frames)
    recording = Source2Replay(open_source(SAMPLE[:-100], playhead.Limits()), Options()).recording
    assert len(recording.frames) < len(FRAMES)


def test_players() -> None:
    players = playhead.open(SAMPLE).players
    assert [p.player for p in players] == list(range(10))
    assert [p.side for p in players] == ["radiant"] * 5 + ["dire"] * 5
    assert [p.result for p in players] == ["win"] * 5 + ["loss"] * 5
    assert players[7].name == "Hazel"
    assert players[7].character == "npc_dota_hero_kunkka"
    assert players[7].account == "76561197960266735"


def test_players_from_userinfo_where_file_info_has_none() -> None:
    writer = DemoWriter({"game": "csgo"})
    proxy = {"name": "GOTV", "fakeplayer": True, "ishltv": True}
    items = [
        {"str": str(slot), "data": wire.encode("CMsgPlayerInfo", entry) if entry else b""}
        for slot, entry in enumerate(
            [{"name": "Ann", "xuid": 76561}, {}, {"name": "Bot", "fakeplayer": True}, proxy]
        )
    ]
    writer.string_tables([{"table_name": "other", "items": []}, {"table_name": "userinfo", "items": items}])
    players = playhead.open(writer.finish(1, {"playback_ticks": 1})).players
    assert [(p.player, p.name, p.kind, p.account) for p in players] == [
        (0, "Ann", "human", "76561"),
        (2, "Bot", "computer", None),
        (3, "GOTV", "observer", None),
    ]


def test_chat() -> None:
    rows = playhead.open(SAMPLE).table("chat").to_pylist()
    assert {name: rows[0][name] for name in CHAT.column_names} == {
        "tick": 2,
        "seconds": pytest.approx(2 / 30),
        "player": 9,
        "name": "Juniper",
        "channel": "DOTA_Chat_All",
        "text": "can everybody hear me?",
    }
    assert [(r["tick"], r["player"], r["channel"], r["text"]) for r in rows[1:3]] == [
        (60, 0, "all", "glhf"),
        (64, 6, "all", "gl hf, have fun"),
    ]
    assert {r["channel"] for r in rows} == {"DOTA_Chat_All", "all", "team"}


def test_frames_and_messages_tables_agree() -> None:
    replay = playhead.open(SAMPLE)
    built = replay.read_tables(["frames", "messages"])
    frames, messages = built["frames"].to_pylist(), built["messages"].to_pylist()
    walked = list(iterate_frames(memoryview(SAMPLE), replay.options.limits))
    assert [(f["offset"], f["command_id"], f["tick"], f["stored_bytes"]) for f in frames] == [
        (f.offset, f.command, f.tick, f.size) for f in walked
    ]
    assert frames[0]["command"] == "DEM_FileHeader"
    assert frames[0]["seconds"] is None
    assert {m["frame"] for m in messages} == set(range(len(frames)))
    ticks = [m for m in messages if m["message"] == "net_Tick"]
    assert len(ticks) == 452  # one per packet, and one in each full packet
    assert all(m["message_id"] == 4 for m in ticks)
    whole = [m for m in messages if m["message_id"] is None]
    assert [m["bytes"] for m in whole] == [frames[m["frame"]]["raw_bytes"] for m in whole]


def test_unknown_messages_are_kept_and_counted() -> None:
    writer = DemoWriter({"game": "dota"})
    writer.packet(1, [(4, TICK), (3999, b"new"), (3999, b"newer")])
    writer.frame(45, 2, b"a command from the future")
    replay = playhead.open(writer.finish(2, {}))
    rows = [row for row in replay.table("messages").to_pylist() if row["message_id"] == 3999]
    assert [(row["message"], row["bytes"]) for row in rows] == [(None, 3), (None, 5)]
    assert replay.message_counts() == {"3999": 2, "net_Tick": 1}
    (future,) = [row for row in replay.table("frames").to_pylist() if row["command_id"] == 45]
    assert future["command"] is None
    (problem,) = replay.problems
    assert (problem.kind, problem.tick) == ("FactError", 1)
    assert problem.what.endswith("found 2 messages of the unknown number 3999, 4 bytes each")


def test_a_filler_message_is_nothing() -> None:
    writer = DemoWriter({})
    writer.packet(1, [(0, b""), (4, TICK), (0, b"")])
    replay = playhead.open(writer.finish(1, {}))
    assert replay.message_counts() == {"net_Tick": 1}
    assert replay.problems == ()


def test_file_info_is_found_without_the_offset_in_the_head() -> None:
    for offset in (0, 16, 17, 2**31 - 1):
        data = SAMPLE[:8] + offset.to_bytes(4, "little") + SAMPLE[12:]
        replay = playhead.open(data)
        assert replay.info.winner_side == "radiant"
        problems = replay.problems
        assert len(problems) == (0 if offset == 0 else 1)
        assert all(problem.where == "head" for problem in problems)


@pytest.mark.parametrize("interval", [0.0, -1.0, 1e30, float("nan"), float("inf")])
def test_an_impossible_tick_interval_is_a_problem(interval: float) -> None:
    writer = DemoWriter({"game": "dota"})
    writer.signon([(40, wire.encode("CSVCMsg_ServerInfo", {"tick_interval": interval}))])
    writer.packet(5, [(4, TICK)])
    replay = playhead.open(writer.finish(5, {"playback_ticks": 5}))
    assert replay.info.duration_seconds is None
    assert replay.table("messages").column("seconds").null_count == replay.table("messages").num_rows
    assert [problem.where for problem in replay.problems] == ["ServerInfo"]


def test_a_damaged_packet_costs_only_itself() -> None:
    writer = DemoWriter({"game": "dota"})
    writer.packet(1, [(4, TICK)])
    writer.frame(7, 2, wire.encode("CDemoPacket", {"data": b"\xff\xff\xff"}))
    writer.packet(3, [(4, TICK)])
    replay = playhead.open(writer.finish(3, {}))
    assert replay.table("messages").column("tick").to_pylist()[1:3] == [1, 3]
    (problem,) = replay.problems
    assert (problem.where, problem.tick, problem.cost) == ("packet", 2, "the rest of the packet in frame 2")
    with pytest.raises(playhead.TruncatedReplay, match="tick 2"):
        playhead.open(replay.source.data, strict=True).table("messages")


def test_a_damaged_snappy_block_costs_only_its_frame() -> None:
    frames = list(iterate_frames(memoryview(SAMPLE), playhead.Limits()))
    victim = next(f for f in frames if f.command == 6)
    data = bytearray(SAMPLE)
    data[victim.payload : victim.payload + 4] = b"\xff\xff\xff\x01"
    replay = playhead.open(bytes(data))
    built = replay.table("frames").to_pylist()
    assert len(built) == len(frames)
    assert [i for i, row in enumerate(built) if row["raw_bytes"] is None] == [frames.index(victim)]
    assert [problem.where for problem in replay.problems] == ["frame"]


@pytest.mark.long
def test_every_truncation_gives_the_good_part_and_one_problem(step: int) -> None:
    whole = playhead.open(SAMPLE).table("frames").to_pylist()
    frames = list(iterate_frames(memoryview(SAMPLE), playhead.Limits()))
    first_end = frames[0].payload + frames[0].size
    cuts = [*range(first_end, first_end + 400), *range(len(SAMPLE) - 400, len(SAMPLE))]
    for size in cuts[::step]:
        replay = playhead.open(SAMPLE[:size])
        good = [f for f in frames if f.payload + f.size <= size]
        assert replay.table("frames").to_pylist() == whole[: len(good)], size
        assert len(replay.problems) == 1, (size, replay.problems)
        assert replay.problems[0].kind == "TruncatedReplay", size
        assert not replay.info.complete
        assert replay.info.map == "start"


def _small_demo() -> bytes:
    writer = DemoWriter({"game": "dota", "map_name": "start"})
    writer.signon([(40, wire.encode("CSVCMsg_ServerInfo", {"tick_interval": 1 / 30}))])
    writer.string_tables([{"table_name": "userinfo", "items": []}])
    writer.sync_tick()
    writer.full_packet(1, [], [(4, b"\x08\x01")])
    line = wire.encode("CDOTAUserMsg_ChatMessage", {"source_player_id": 1, "message_text": "again " * 20})
    for tick in range(1, 8):
        writer.packet(tick, [(4, b"\x08\x01"), (612, line)])
    return writer.finish(8, {"playback_ticks": 8, "playback_time": 8 / 30})


def test_every_cut_of_a_small_demo(step: int) -> None:
    data = _small_demo()
    whole = playhead.open(data).read_tables(["frames", "messages", "chat"])
    assert playhead.open(data).problems == ()
    frames = list(iterate_frames(memoryview(data), playhead.Limits()))
    for size in range(frames[1].offset, len(data), step):
        replay = playhead.open(data[:size])
        part = replay.read_tables(["frames", "messages", "chat"])
        good = sum(frame.payload + frame.size <= size for frame in frames)
        assert part["frames"].num_rows == good, size
        for name, table in part.items():
            assert table.to_pylist() == whole[name].slice(0, table.num_rows).to_pylist(), (size, name)
        (problem,) = replay.problems
        assert (problem.kind, problem.where) == ("TruncatedReplay", "frame"), size
        assert problem.offset is not None, size
        assert replay.info.complete is False


# -- losses that show without building a table: `problems` alone must find each --------------------------


def _only_problem(data: bytes) -> playhead.Problem:
    (problem,) = playhead.open(data).problems
    # Building everything first finds the same problems, once.
    replay = playhead.open(data)
    replay.read_tables()
    assert replay.problems == (problem,)
    return problem


def test_a_broken_chat_message_is_a_problem() -> None:
    writer = DemoWriter({"game": "dota"})
    line = wire.encode("CDOTAUserMsg_ChatMessage", {"source_player_id": 2, "message_text": "fine"})
    writer.packet(5, [(612, b"\xff\xff"), (612, line)])
    data = writer.finish(5, {})
    problem = _only_problem(data)
    assert (problem.where, problem.tick, problem.cost) == ("DOTA_UM_ChatMessage", 5, "the fields of one message")
    assert playhead.open(data).table("chat").column("text").to_pylist() == ["fine"]


def test_a_broken_server_info_is_a_problem() -> None:
    writer = DemoWriter({"game": "dota"})
    writer.signon([(4, TICK), (40, b"\xff\xff\xff")])
    problem = _only_problem(writer.finish(1, {}))
    assert (problem.where, problem.tick) == ("ServerInfo", -1)
    assert problem.offset is not None


def test_a_packet_whose_data_is_no_byte_string_is_a_problem() -> None:
    writer = DemoWriter({"game": "dota"})
    writer.frame(7, 3, b"\x18\x05")
    problem = _only_problem(writer.finish(3, {}))
    assert (problem.where, problem.tick, problem.kind) == ("packet", 3, "CorruptReplay")


def test_a_broken_userinfo_entry_costs_one_player() -> None:
    writer = DemoWriter({"game": "csgo"})
    ann, bo = (wire.encode("CMsgPlayerInfo", {"name": name, "xuid": 5}) for name in ("Ann", "Bo"))
    items = [{"str": str(slot), "data": data} for slot, data in enumerate((ann, b"\xff", bo))]
    writer.string_tables([{"table_name": "userinfo", "items": items}])
    data = writer.finish(1, {})
    assert [(p.player, p.name) for p in playhead.open(data).players] == [(0, "Ann"), (2, "Bo")]
    assert _only_problem(data).cost == "the player in slot 1"


def test_a_negative_length_is_a_problem_and_the_last_tick_counts() -> None:
    writer = DemoWriter({"game": "dota"})
    writer.packet(7, [(4, TICK)])
    data = writer.finish(8, {"playback_ticks": -5})
    assert playhead.open(data).info.duration_ticks == 8
    assert _only_problem(data).where == "FileInfo"


def test_no_length_where_only_sign_on_was_recorded() -> None:
    writer = DemoWriter({"game": "dota"})
    writer.sync_tick()
    data = writer.finish(0, {})
    stop = next(f.offset for f in iterate_frames(memoryview(data), playhead.Limits()) if f.command == 0)
    assert playhead.open(data[:stop]).info.duration_ticks is None


@pytest.mark.parametrize(
    ("file_info", "rate"),
    [
        ({"playback_ticks": 812, "playback_time": 27.066667556762695}, 30.0),
        ({"playback_ticks": 185, "playback_time": 2.890625}, 64.0),
        ({"playback_ticks": 812}, None),
        ({"playback_ticks": 0, "playback_time": 1.0}, None),
        ({"playback_ticks": 812, "playback_time": float("nan")}, None),
        ({"playback_ticks": 812, "playback_time": -27.0}, None),
    ],
)
def test_the_rate_without_server_info(file_info: dict[str, float], rate: float | None) -> None:
    data = DemoWriter({"game": "dota"}).finish(1, file_info)
    assert playhead.open(data).info.ticks_per_second == rate


def test_truncation_inside_the_head_and_header_is_typed() -> None:
    frames = list(iterate_frames(memoryview(SAMPLE), playhead.Limits()))
    for size in range(8, frames[1].offset):
        try:
            replay = playhead.open(SAMPLE[:size])
        except ReplayError:
            assert size <= 16
        else:
            assert len(replay.problems) >= 1
            assert not replay.info.complete


@pytest.mark.long
@many(3)
@given(st.lists(st.tuples(st.integers(8, len(SAMPLE) - 1), st.integers(0, 255)), min_size=1, max_size=8))
@example([(20, 255)])
def test_flipped_bytes_only_ever_raise_replay_errors(flips: list[tuple[int, int]]) -> None:
    data = bytearray(SAMPLE)
    for position, value in flips:
        data[position] = value
    try:
        replay = playhead.open(bytes(data), limits=playhead.Limits(frame=1 << 20))
        built = replay.read_tables()
    except ReplayError:
        return
    for table in built.values():
        table.validate(full=True)
    # Nothing is skipped silently: the frames tile the file, or a problem says where they end.
    assert isinstance(replay, Source2Replay)
    starts = [frame.offset for frame in replay.recording.frames]
    ends = [frame.payload + frame.size for frame in replay.recording.frames]
    expected = [16, *ends[:-1]][: len(starts)]
    for number, offset in replay.recording.frames.gaps.items():
        assert any(problem.where == "frame" for problem in replay.problems)
        if number < len(starts):
            assert offset < starts[number]
            expected[number] = starts[number]
    assert starts == expected
    assert replay.problems or ends[-1] == len(data)


def test_gem_dota_reads_the_same_frames() -> None:
    gem = pytest.importorskip("gem.binary.stream", reason="gem-dota is not installed: nothing to compare with")
    ours = list(DemoStream(SAMPLE))
    theirs = [(tick, int(kind), data) for tick, kind, data in gem.DemoStream(SAMPLE)]
    # gem-dota ends at Stop; SpawnGroups and FileInfo follow it.
    assert theirs == ours[: len(theirs)]
    assert len(theirs) >= len(ours) - 3
