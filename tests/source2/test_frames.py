"""The outer stream: frames round-trip, invalid heads are refused by name, and sizes are checked."""

from __future__ import annotations

import contextlib
import struct
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.source2.dota2 import write_sample
from tests.samples.source2.engine import sample_demo

import playhead
from playhead import CorruptReplay, LimitExceeded, Limits, ReplayError, TruncatedReplay, UnsupportedVersion
from playhead.source2.container.demo_stream import DemoStream
from playhead.source2.container.frames import (
    _CHAIN,
    COMPRESSED,
    FULL_PACKET,
    HEAD_SIZE,
    MAGIC,
    PACKET,
    SYNC_TICK,
    USER_COMMAND,
    Frame,
    FrameIndex,
    command_counts,
    frame_data,
    iterate_frames,
    packet_ticks,
    read_head,
)
from playhead.source2.writing.demo import DemoWriter

LIMITS = Limits()
FRAMES = st.lists(
    st.tuples(st.integers(3, 30), st.integers(-1, 2**31 - 1), st.binary(max_size=60) | st.just(b"ab" * 300))
)


@given(FRAMES, st.booleans())
def test_frames_round_trip(frames: list[tuple[int, int, bytes]], compress: bool) -> None:
    writer = DemoWriter({"map_name": "x"}, compress=compress)
    frames = [(3, -1, b""), *frames]
    for command, tick, payload in frames:
        writer.frame(command, tick, payload)
    data = writer.finish(9, {"playback_ticks": 9})
    got = list(DemoStream(data))
    assert got[0][1] == 1
    assert got[1:-3] == [(max(tick, 0), command, payload) for command, tick, payload in frames]
    assert [command for _, command, _ in got[-3:]] == [0, 15, 2]
    walked = list(iterate_frames(memoryview(data), LIMITS))
    assert [frame.tick for frame in walked[1:-3]] == [tick for _, tick, _ in frames]
    assert read_head(memoryview(data)) == (walked[-1].offset, walked[-2].offset)
    assert walked[-1].payload + walked[-1].size == len(data)


@pytest.mark.parametrize("first", [3, 7, 13])
def test_signon_frames_have_tick_minus_one_regardless_of_the_file(first: int) -> None:
    writer = DemoWriter({})
    for command, tick in ((8, 4005), (5, 4018), (first, 0), (6, 0), (7, 2)):
        writer.frame(command, tick, b"")
    data = writer.finish(2, {})
    expected = [-1, -1, -1, 0, 0, 2]
    index = FrameIndex()
    index.read(memoryview(data), LIMITS)
    assert [frame.tick for frame in index][:6] == expected
    pieces, start = FrameIndex(), HEAD_SIZE
    while start < len(data):
        start = pieces.read(memoryview(data), LIMITS, start=start, stop=start + 1)
    assert list(pieces) == list(index)
    assert [frame.tick for frame in iterate_frames(memoryview(data), LIMITS)][:6] == expected
    assert [tick for tick, _, _ in DemoStream(data)][:6] == [0, 0, 0, 0, 0, 2]


def test_compression_is_used_where_it_pays() -> None:
    writer = DemoWriter({})
    writer.frame(7, 1, b"a" * 1000)
    writer.frame(7, 2, b"a")
    data = memoryview(writer.finish(2, {}))
    first, second = list(iterate_frames(data, LIMITS))[1:3]
    assert (first.compressed, second.compressed) == (True, False)
    assert first.size < 100
    assert frame_data(data, first, LIMITS) == b"a" * 1000


def test_a_with_statement_closes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sample.dem"
    path.write_bytes(sample_demo())
    with DemoStream(path) as stream:
        frames = list(stream)
    assert frames == list(DemoStream(path))
    with pytest.raises(ValueError, match="closed"):
        iter(stream)
    assert stream.head.file_info > 0


def test_closing_ends_an_iteration_under_way() -> None:
    stream = DemoStream(sample_demo())
    frames = iter(stream)
    next(frames)
    stream.close()
    with pytest.raises(ValueError, match="closed during"):
        next(frames)


def test_frames_after_stop_are_yielded() -> None:
    commands = [command for _, command, _ in DemoStream(sample_demo())]
    assert commands[-3:] == [0, 15, 2]


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (b"PBUFDEM\0" + bytes(40), UnsupportedVersion, "Source 1"),
        (b"HL2DEMO\0" + bytes(40), UnsupportedVersion, "Source 1"),
        (MAGIC + struct.pack("<i", 99) + b"\x01\x00\x02ab" + b"\x07\x00\x00" * 8, UnsupportedVersion, "2014"),
        (MAGIC, TruncatedReplay, "integer of 4 bytes"),
        (MAGIC + bytes(8), TruncatedReplay, "FileHeader"),
        (MAGIC + bytes(8) + b"\x09\x00\x00", CorruptReplay, "FileHeader"),
        (b"not a demo at all", CorruptReplay, "magic"),
    ],
)
def test_heads_that_are_refused(data: bytes, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        DemoStream(data)


def _frame(command: int, tick: int, size: int, payload: bytes) -> bytes:
    writer = DemoWriter({})
    writer.frame(command, tick, payload, compress=False)
    data = bytearray(writer.finish(0, {}))
    at = next(f for f in iterate_frames(memoryview(bytes(data)), LIMITS) if f.command == command).offset
    from playhead.bits import ByteWriter

    head = ByteWriter()
    for value in (command, tick, size):
        head.write_varuint32(value)
    return bytes(data[:at]) + head.to_bytes() + payload


def test_a_frame_larger_than_the_limit_is_not_read() -> None:
    data = memoryview(_frame(9, 5, 300 << 20, b"x"))
    with pytest.raises(LimitExceeded, match="over the limit") as caught:
        list(iterate_frames(data, LIMITS))
    assert caught.value.tick == 5


def test_a_frame_larger_than_the_file_is_truncated() -> None:
    with pytest.raises(TruncatedReplay, match="only 1 are left") as caught:
        list(iterate_frames(memoryview(_frame(9, 5, 1000, b"x")), LIMITS))
    assert caught.value.tick == 5


def test_a_bad_block_names_its_frame() -> None:
    data = memoryview(sample_demo())
    frame = Frame(HEAD_SIZE, 7, 42, True, HEAD_SIZE, 3)
    with pytest.raises(CorruptReplay) as caught:
        frame_data(data, frame, LIMITS)
    assert (caught.value.offset, caught.value.tick) == (HEAD_SIZE, 42)


def test_written_to_a_file_as_frames_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playhead.source2.writing.demo._MOST_KEPT", 1 << 14)

    def write(writer: DemoWriter) -> bytes:
        for tick in range(1, 60):
            writer.packet(tick, [(4, bytes((tick,)) * 700), (40, tick.to_bytes(700, "big"))])
        return writer.finish(60, {"playback_ticks": 60})

    path = tmp_path / "written.dem"
    with path.open("wb") as file:
        assert write(DemoWriter({"map_name": "x"}, compress=False, file=file)) == b""
    assert path.read_bytes() == write(DemoWriter({"map_name": "x"}, compress=False))


def _frames(data: bytes) -> list[tuple[int, int, int]]:
    return [(frame.command, frame.tick, frame.size) for frame in playhead.open(data).recording.frames]


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a recording of a minute, with full packets."""
    return write_sample(tmp_path_factory.mktemp("match")).read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("change", [16, 1, -16, -1])
@pytest.mark.parametrize("part", range(1, 8))
def test_frames_are_found_after_inserted_or_removed_bytes(match: bytes, change: int, part: int) -> None:
    place = len(match) * part // 8 + 300  # the last 16 bytes of the frame in the middle read as a frame
    replay = playhead.open(match[:place] + match[place : place + change] + match[place - min(change, 0) :])
    expected, found = (
        [(frame.command, frame.tick, frame.size) for frame in each.recording.frames]
        for each in (playhead.open(match), replay)
    )
    ((number, offset),) = replay.recording.frames.gaps.items()
    assert 0 < number < len(found)
    assert offset - 16 <= place < replay.recording.frames[number].offset  # the place is in the inserted bytes
    assert found[:number] == expected[:number]
    assert found[number:] == expected[number - len(found) :]
    assert len(expected) - len(found) <= 2


@pytest.mark.slow_interpreted
def test_entities_return_at_the_full_packet_after_a_gap(match: bytes) -> None:
    intact = playhead.open(match)
    full = [frame for frame in intact.recording.frames if frame.command == FULL_PACKET]
    place = full[1].offset - 20_000
    damaged = match[:place] + match[place + 5 :]
    replay = playhead.open(damaged)
    (number,) = replay.recording.frames.gaps
    last, again = replay.recording.frames[number - 1].tick, full[1].tick
    assert last < again
    rows, left = (
        [
            row
            for row in each.entity_table("CDOTAPlayer*", every="30 ticks").to_pylist()
            if not last < row["tick"] < again
        ]
        for each in (intact, replay)
    )
    assert rows
    assert left == rows
    tick = again + 20
    assert {e.index for e in replay.at(tick).entities} == {e.index for e in intact.at(tick).entities}
    (cost,) = (each.cost for each in replay.problems if each.where == "frame")
    assert cost.endswith(f" bytes before frame {number}; entities up to the next full packet")
    with pytest.raises(ReplayError):
        playhead.open(damaged, strict=True).verify()


@given(st.binary(max_size=4000), st.integers(0, 40))
def test_no_frames_are_found_in_noise(noise: bytes, zeros: int) -> None:
    writer = DemoWriter({})
    writer.frame(7, 5, b"a packet")
    data = writer.finish(5, {})
    begin = data[: list(iterate_frames(memoryview(data), LIMITS))[2].offset]
    index = FrameIndex()
    broken = memoryview(begin + b"\x7f" + bytes(zeros) + noise + b"\xff" * 6)
    with contextlib.suppress(ReplayError):
        index.read(broken, LIMITS)
    if index.find_again(broken, LIMITS) is not None:
        assert len(index) <= 2 + _CHAIN


def test_searches_for_frames_are_bounded() -> None:
    """Hundreds of lost frames, each followed by valid ones."""
    writer = DemoWriter({})
    for tick in range(20 * 500):
        writer.frame(7, tick, b"a packet")
    data = writer.finish(10_000, {})
    frames = list(iterate_frames(memoryview(data), LIMITS))
    cut = {frame.offset + 4 for frame in frames[20:-20:20]}
    index = playhead.open(bytes(byte for at, byte in enumerate(data) if at not in cut)).recording.frames
    assert len(index.gaps) == 64
    assert len(index) > 64 * 15


def test_the_order_of_the_ticks_of_packets() -> None:
    frames = [
        (SYNC_TICK, 0),
        (PACKET, 5),
        (FULL_PACKET | COMPRESSED, 9),
        (USER_COMMAND, 90),
        (PACKET, 7),
        (PACKET, 8),
    ]
    commands, ticks = (array("q", column) for column in zip(*frames, strict=True))
    sizes = array("q", [1, 2, 3, 4, 0, 0])
    assert packet_ticks(commands, ticks, sizes) == (9, (9, 7), 7)
    assert packet_ticks(commands[:4], ticks[:4], sizes) == (9, None, None)
    assert packet_ticks(commands[:1], ticks[:1], sizes) == (-1, None, None)
    assert command_counts(commands) == {SYNC_TICK: 1, PACKET: 3, USER_COMMAND: 1, FULL_PACKET: 1}
