"""Broadcasts: fragments round-trip through the writer, rebuild the recording, and losses are bounded and
reported.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Mapping
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.source2.dota2 import SampleMessages
from tests.samples.source2.match_demo import match_demo

import playhead
from playhead import CorruptReplay, Follow, LimitExceeded, Limits, ReplayError, TruncatedReplay, UnknownFormat
from playhead.io.source import open_source
from playhead.source2 import stretches
from playhead.source2.container import broadcast
from playhead.source2.container.broadcast import BroadcastDemo, FragmentFrame, fragment_frames
from playhead.source2.container.demo_stream import DemoStream
from playhead.source2.container.frames import FULL_PACKET, PACKET, SPAWN_GROUPS, STOP, SYNC_TICK, iterate_frames
from playhead.source2.container.snappy import compress
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import server_tick, state_messages
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.replay import Source2Replay
from playhead.source2.writing.broadcast import FragmentWriter, broadcast_parts

LIMITS = Limits()
MINUTES = 0.4  # 720 ticks: 8 fragments of 3 seconds, and the end
LAST = 720

# Tables of a broadcast that equal those of the file: all that do not depend on FileInfo or the frames.
SAME = (
    "chat",
    "combat_log",
    "kills",
    "positions",
    "string_tables",
    "user_messages",
    "game_events",
    "player_series",
)


@pytest.fixture(scope="module")
def demo() -> bytes:
    return match_demo(MINUTES, messages=SampleMessages())[0]


@pytest.fixture(scope="module")
def parts(demo: bytes) -> Mapping[str, bytes]:
    recording = Recording(open_source(demo, LIMITS))
    return dict(broadcast_parts(recording, Playback(recording, tables=None)))


@pytest.fixture
def folder(parts: Mapping[str, bytes], tmp_path: Path) -> Path:
    path = tmp_path / "broadcast"
    for name, data in parts.items():
        target = path / (f"{name}.json" if name == "sync" else f"{name}.bin")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return path


def opened(path: Path, **options: object) -> Source2Replay:
    return open_as(Source2Replay, path, **options)


def state(replay: Source2Replay, tick: int) -> list[tuple[int, dict[str, object]]]:
    entities = replay.at(tick).entities
    return [(entity.index, entity.to_dict()) for entity in entities]


FRAMES = st.lists(
    st.tuples(st.integers(1, 0x3F), st.integers(0, 2**32 - 1), st.binary(max_size=50)).filter(
        lambda f: f[0] != STOP
    )
)


@given(FRAMES, st.booleans())
def test_frames_round_trip(frames: list[tuple[int, int, bytes]], ends: bool) -> None:
    writer = FragmentWriter()
    for frame in frames:
        writer.frame(*frame)
    if ends:
        writer.stop()
    found = list(fragment_frames(writer.to_bytes(), LIMITS))
    assert [(frame.command, frame.tick, frame.payload) for frame in found] == [
        *frames,
        *([(STOP, 0, b"")] if ends else []),
    ]


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (b"\x07\x01\0\0\0\0\x05\0\0\0abc", TruncatedReplay, "5 bytes"),
        (b"\x07\x01\0\0", TruncatedReplay, "4 bytes"),
        (b"\x07\x01\0\0\0\x09\0\0\0\0", CorruptReplay, "then 9"),
        (b"\x80\x01\x01\0\0\0\0\0\0\0\0", CorruptReplay, "command 128"),
        (b"\x07\x01\0\0\0\0\0\0\0\x7f", LimitExceeded, "over the limit"),
    ],
)
def test_invalid_frames(data: bytes, error: type[Exception], words: str) -> None:
    before = FragmentWriter()
    before.frame(4, 1, b"x")
    found: list[FragmentFrame] = []
    with pytest.raises(error, match=words) as caught:
        found.extend(fragment_frames(before.to_bytes() + data, LIMITS))
    assert caught.value.offset == len(before.to_bytes())  # type: ignore[attr-defined]


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_a_broadcast_equals_the_recording(demo: bytes, folder: Path) -> None:
    replay, whole = opened(folder, strict=True), playhead.open(demo)
    assert type(replay) is type(whole)
    ours, theirs = replay.read_tables(SAME), whole.read_tables(SAME)
    for name in SAME:
        assert ours[name].num_rows > 0 or theirs[name].num_rows == 0, name
        unsaid = ["name"] if name == "chat" else []  # only FileInfo has the names
        assert ours[name].drop(unsaid) == theirs[name].drop(unsaid), name
    assert replay.table("entities:CDOTA_Unit_Hero_*", every="1s") == whole.table(
        "entities:CDOTA_Unit_Hero_*", every="1s"
    )
    assert replay.info.complete
    assert (replay.info.duration_ticks, replay.info.map) == (LAST, "start")
    assert replay.info.details["joined_at_tick"] == 0
    assert replay.problems == ()


@pytest.mark.long
def test_its_fulls_are_the_very_states(folder: Path) -> None:
    checks = {check.name: check for check in opened(folder).verify()}
    assert (checks["full packets"].passed, checks["full packets"].failed) == (8, 0)
    assert all(check.failed == 0 for check in checks.values())


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("tick", [0, 89, 90, 91, 500, LAST])
def test_seeking_leads_where_playing_leads(folder: Path, demo: bytes, tick: int) -> None:
    replay = opened(folder)
    assert state(replay, tick) == state(opened(demo), tick)  # type: ignore[arg-type]
    played = replay.playback(None)
    played.advance(tick)
    sought = replay.playback(None)
    sought.seek(LAST)
    sought.seek(tick)
    assert not list(played.entities.differences(sought.entities))
    assert {t.name: t.items for t in played.string_tables} == {t.name: t.items for t in sought.string_tables}


@pytest.mark.slow_interpreted
def test_processes_share_the_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "SMALLEST", 0)
    replay = opened(folder)
    one = replay.entity_table("CDOTA_Unit_Hero_Axe", ["m_iHealth"])
    assert one.num_rows > 0
    assert replay.entity_table("CDOTA_Unit_Hero_Axe", ["m_iHealth"], jobs=2) == one


@pytest.mark.slow_interpreted
def test_joined_in_the_middle(folder: Path, demo: bytes) -> None:
    for number in (1, 2, 3):
        shutil.rmtree(folder / str(number))
    replay = opened(folder, strict=True)
    assert replay.problems == ()
    assert replay.info.details["joined_at_tick"] == 270
    assert state(replay, 400) == state(opened(demo), 400)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="from tick 270 to 720"):
        replay.at(100)
    with pytest.raises(ValueError, match="from tick 270 to 720"):
        replay.write_slice(folder / "out.dem", 269, 300)


@pytest.mark.slow_interpreted
def test_a_slice_of_it_is_a_demo(folder: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        shutil.rmtree(folder / str(number))
    replay = opened(folder)
    replay.write_slice(tmp_path / "out.dem", 180, LAST)
    cut = opened(tmp_path / "out.dem", strict=True)
    assert cut.problems == ()
    assert cut.recording.game == "dota2"
    assert cut.recording.file_header["game_directory"] == replay.recording.server_info["game_dir"]
    assert cut.recording.file_header["build_num"] == int(
        replay.recording.server_info["game_dir"].partition("_v")[2].partition("/")[0]
    )
    commands = [frame.command for frame in cut.recording.frames]
    assert commands.index(SYNC_TICK) == commands.index(PACKET) - 1
    assert commands.count(SYNC_TICK) == 1
    assert cut.recording.file_info["playback_frames"] == commands.count(PACKET)
    for tick in (180, 500, LAST):
        assert state(cut, tick) == state(replay, tick)


# -- damage -----------------------------------------------------------------------------------------------


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("emptied", [False, True])
def test_a_missing_fragment_costs_that_fragment(folder: Path, demo: bytes, emptied: bool) -> None:
    if emptied:
        (folder / "4" / "delta.bin").write_bytes(b"")
    else:
        (folder / "4" / "delta.bin").unlink()
    replay, whole = opened(folder), opened(demo)  # type: ignore[arg-type]
    (problem,) = replay.problems
    assert (problem.where, problem.kind) == ("4/delta", "TruncatedReplay")
    ticks = {frame.tick for frame in whole.recording.frames if frame.command == PACKET}
    assert ticks - {frame.tick for frame in replay.recording.frames} == set(range(272, 360, 2))
    assert state(replay, 360) == state(whole, 360)
    assert state(replay, LAST) == state(whole, LAST)
    with pytest.raises(TruncatedReplay, match="expected a fragment") as caught:
        opened(folder, strict=True)
    assert caught.value.where == "4/delta"


@pytest.mark.long
def test_fragments_of_two_broadcasts_are_told(folder: Path) -> None:
    for path in (folder / str(number) / "delta.bin" for number in range(1, 10)):
        data, writer = path.read_bytes(), FragmentWriter()
        tick = next(fragment_frames(data, LIMITS)).tick
        ahead = 1604 if path.parent.name != "5" else 1810
        writer.packet(tick, [(Engine.NET_TICK, wire.encode("CNETMsg_Tick", {"tick": tick + ahead}))])
        path.write_bytes(writer.to_bytes() + data)
    found = [(problem.where, str(problem)) for problem in opened(folder).problems]
    assert [where for where, _ in found] == ["5/delta", "6/delta"]
    assert all("of two broadcasts" in said for _, said in found)


@pytest.mark.long
def test_without_a_later_full_nothing_is_made_up(folder: Path, demo: bytes) -> None:
    for path in folder.glob("*/full.bin"):
        if path.parent.name != "1":
            path.unlink()
    (folder / "4" / "delta.bin").unlink()
    replay = opened(folder)
    assert [(problem.where, problem.kind) for problem in replay.problems] == [
        ("4/delta", "TruncatedReplay"),
        ("entities in 5/delta", "CorruptReplay"),
    ]
    playback = replay.playback(None, on_problem=lambda *_: None)
    playback.advance(268)
    assert playback.entities.valid
    playback.run()
    assert not playback.entities.valid
    ticks = set(replay.table("user_messages")["tick"].to_pylist())
    assert max(ticks) > 360  # events after the gap are decoded
    rows = replay.table("entities:CDOTA_Unit_Hero_*", fields=["m_iHealth"])
    assert max(rows["tick"].to_pylist()) < 270


@pytest.mark.slow_interpreted
@pytest.mark.parametrize(
    ("damage", "kind", "where", "offset"),
    [
        (lambda data: data[: len(data) // 2], "TruncatedReplay", "5/delta", True),
        (lambda data: b"\x07\0\0\0\0\x09" + data[6:], "CorruptReplay", "5/delta", True),
        (lambda data: gzip.compress(data)[:-100], "TruncatedReplay", "5/delta", False),
    ],
)
def test_a_damaged_fragment_costs_its_rest(
    folder: Path, demo: bytes, damage: Callable[[bytes], bytes], kind: str, where: str, offset: bool
) -> None:
    path = folder / "5" / "delta.bin"
    data = path.read_bytes()
    path.write_bytes(damage(data))
    replay = opened(folder)
    problem = replay.problems[0]
    assert problem.kind == kind
    assert problem.where == where
    assert (problem.offset is not None) == offset
    assert "5/delta" in problem.cost
    assert state(replay, LAST) == state(opened(demo), LAST)  # type: ignore[arg-type]


@pytest.mark.slow_interpreted
def test_damage_inside_a_packet_names_its_fragment(folder: Path) -> None:
    path = folder / "3" / "delta.bin"
    data = bytearray(path.read_bytes())
    frames = list(fragment_frames(bytes(data), LIMITS))
    at = frames[10].offset
    data[at + 10 : at + 14] = b"\xff\xff\xff\xff"  # the first message of that packet
    path.write_bytes(bytes(data))
    places = {(problem.where.rpartition(" in ")[2], problem.offset) for problem in opened(folder).problems}
    assert ("3/delta", at) in places


def test_without_the_signon_there_are_still_messages(folder: Path) -> None:
    (folder / "0" / "start.bin").unlink()
    replay = opened(folder)
    assert replay.problems[0].where == "0/start"
    assert replay.table("messages").num_rows > 700


@pytest.mark.slow_interpreted
def test_the_description_may_be_missing(folder: Path, parts: Mapping[str, bytes]) -> None:
    (folder / "sync.json").unlink()
    replay = opened(folder)
    assert replay.problems == ()
    assert replay.info.map == "start"  # from ServerInfo
    assert playhead.open(folder, stream=True).info.duration_ticks == LAST


@pytest.mark.slow_interpreted
def test_file_names_of_a_mirror(folder: Path) -> None:
    for path in [*folder.glob("*/*.bin"), folder / "sync.json"]:
        path.write_bytes(gzip.compress(path.read_bytes()))
        path.rename(path.with_suffix(""))
    assert opened(folder).problems == ()


@pytest.mark.parametrize(
    "content", [b"", b"not JSON", b"[]", b'{"fragment": "x"}', b'{"fragment": -1}', b"[" * 9999]
)
def test_an_invalid_description(folder: Path, content: bytes) -> None:
    (folder / "sync.json").write_bytes(content)
    with pytest.raises(CorruptReplay, match="description of a broadcast"):
        playhead.open(folder)


def test_other_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "sync.json").write_text("{}")
    (tmp_path / "7").mkdir()
    with pytest.raises(UnknownFormat, match="directory"):
        playhead.open(tmp_path)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(fragment=10_000), "larger than the limit of 10000"),
        (Limits(frame=1000), "over the limit of 1000"),
    ],
)
def test_sizes_are_checked(folder: Path, limits: Limits, words: str) -> None:
    replay = opened(folder, limits=limits)
    assert any(words in problem.what for problem in replay.problems_so_far)


def test_the_whole_is_bounded(folder: Path) -> None:
    with pytest.raises(LimitExceeded, match="larger than the limit of 100000 bytes"):
        playhead.open(folder, limits=Limits(decompressed_input=100_000))
    with pytest.raises(LimitExceeded, match="more frames than the limit of 100"):
        playhead.open(folder, limits=Limits(frames=100))


def test_a_bomb_stops_at_the_limit(folder: Path) -> None:
    (folder / "2" / "delta.bin").write_bytes(gzip.compress(bytes(3_000_000)))
    problems = opened(folder, limits=Limits(fragment=2_000_000)).problems_so_far
    assert [(problem.where, problem.kind) for problem in problems] == [("2/delta", "LimitExceeded")]


@pytest.mark.long
def test_a_broadcast_of_bombs_ends_at_its_expansion(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = FragmentWriter()
    writer.frame(PACKET | 0x40, 9, compress(bytes(1 << 20)))
    (folder / "2" / "delta.bin").write_bytes(gzip.compress(writer.to_bytes() * 20))
    monkeypatch.setattr(broadcast, "ALWAYS_ALLOWED", 1 << 20)
    with pytest.raises(LimitExceeded, match="the broadcast expands to more than 20 times its size"):
        playhead.open(folder, limits=Limits(expansion=20))


class InMemory:
    """Fragments in memory."""

    name = "<fragments>"
    follow: Follow | None = None
    whole_on_arrival = True
    trouble = ""

    def __init__(self, parts: Mapping[str, bytes]) -> None:
        self._parts = parts
        self.received = sum(map(len, parts.values()))

    def describe(self) -> Mapping[str, object]:
        seen: Mapping[str, object] = json.loads(self._parts["sync"])
        return seen

    def part(self, number: int, kind: str) -> bytes | None:
        return self._parts.get(f"{number}/{kind}")

    def has_all(self) -> bool:
        return True

    def newest(self) -> int | None:
        return max(int(name.partition("/")[0]) for name in self._parts if "/" in name)


def demo_of(parts: Mapping[str, bytes], limits: Limits = LIMITS) -> tuple[BroadcastDemo, list[ReplayError]]:
    """Return the demo of some parts, not built yet, and the list of its losses."""
    problems: list[ReplayError] = []
    demo = BroadcastDemo(
        InMemory(parts),
        limits,
        state_messages,
        server_tick,
        lambda error, _cost: problems.append(error),
    )
    return demo, problems


def made_of(parts: Mapping[str, bytes], limits: Limits = LIMITS) -> tuple[bytes, list[ReplayError]]:
    """Return the bytes of the demo of some parts, and the losses."""
    demo, problems = demo_of(parts, limits)
    return b"".join(takewhile(bool, demo.pieces())), problems


PLACE = st.integers(0, 1 << 20)


@given(PLACE, st.lists(st.tuples(PLACE, st.integers(0, 255)), max_size=3), PLACE | st.none())
@example(2, [(1, 0)], None)
def test_any_damage_gives_a_demo_and_problems(
    parts: Mapping[str, bytes], which: int, changes: list[tuple[int, int]], cut: int | None
) -> None:
    names = [name for name in parts if name != "sync"]
    name = names[which % len(names)]
    content = bytearray(parts[name])
    for at, value in changes:
        content[at % len(content)] = value
    if cut is not None:
        del content[cut % len(content) :]
    demo, problems = made_of({**parts, name: bytes(content)})
    # The next fragment shows that the tick of a frame has changed.
    after = f"{int(name.partition('/')[0]) + 1}/delta"
    assert {problem.where for problem in problems} <= {name, after}
    assert list(iterate_frames(memoryview(demo), LIMITS))


class Endless(InMemory):
    """A relay that keeps a reader busy for ever: the next fragment always exists and is empty."""

    def __init__(self, parts: Mapping[str, bytes], delta: bytes | None) -> None:
        super().__init__({name: parts[name] for name in ("sync", "0/start", "1/full")})
        self._delta = delta
        self._asked = 0

    def part(self, number: int, kind: str) -> bytes | None:
        self._asked = max(self._asked, number)
        return self._delta if kind == "delta" else super().part(number, kind)

    def newest(self) -> int | None:
        return self._asked + 1


@pytest.mark.parametrize("delta", [None, b""])
def test_nothing_for_ever(parts: Mapping[str, bytes], delta: bytes | None) -> None:
    demo = BroadcastDemo(Endless(parts, delta), LIMITS, state_messages, server_tick, lambda *_: None)
    with pytest.raises(LimitExceeded, match="missing or empty"):
        list(demo.pieces())


def test_many_missing_fragments_are_one_problem(parts: Mapping[str, bytes]) -> None:
    moved = {name: data for name, data in parts.items() if name[:1] in "s0123"}
    moved |= {f"{int(name[0]) + 1000}{name[1:]}": data for name, data in parts.items() if name[:1] in "45678"}
    moved["1009/delta"] = parts["9/delta"]
    demo, problems = made_of(moved)
    assert len(problems) < 70
    assert "5 to 944" in [problem.where for problem in problems]
    assert max(frame.tick for frame in iterate_frames(memoryview(demo), LIMITS)) == LAST


def test_compressed_frames(parts: Mapping[str, bytes]) -> None:
    packed = FragmentWriter()
    for frame in fragment_frames(parts["2/delta"], LIMITS):
        packed.frame(frame.command | 0x40, frame.tick, compress(frame.payload))
    assert made_of({**parts, "2/delta": packed.to_bytes()}) == made_of(parts)


def test_other_frames_are_kept(parts: Mapping[str, bytes]) -> None:
    full = FragmentWriter()
    full.frame(SPAWN_GROUPS, 0, b"groups")
    content = full.to_bytes() + parts["1/full"]
    later = full.to_bytes() + parts["2/full"]
    demo, problems = made_of({**parts, "1/full": content, "2/full": later})
    assert not problems
    frames = list(DemoStream(demo))
    # not those of the repeated state
    assert [frame[2] for frame in frames if frame[1] == SPAWN_GROUPS] == [b"groups"]
    assert sum(frame[1] == FULL_PACKET for frame in frames) == 8


def test_a_client_s_recording_makes_no_broadcast(corpus: Path) -> None:
    path = corpus / "source2" / "dota2_pov.dem"
    if not path.exists():
        pytest.skip("no dota2_pov.dem in the corpus")
    recording = Recording(open_source(path, LIMITS))
    with pytest.raises(ValueError, match="earlier states"):
        list(broadcast_parts(recording, Playback(recording, tables=None)))


def test_an_end_before_the_last_fragment_is_told(folder: Path) -> None:
    (folder / "2" / "delta.bin").write_bytes(bytes(6))
    (problem,) = playhead.open(folder).problems
    assert (problem.where, problem.cost[:15]) == ("2/delta", "fragments 3 to ")
