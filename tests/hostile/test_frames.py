"""Damaged and countless frames: moments after a damaged full packet are read, and a file pays for its frames."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path

import pytest

import playhead
from playhead.source2.container.frames import FULL_PACKET, PACKET, SIGNON_PACKET
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.writing.demo import encode_packet

CLEAR = Engine.CLEAR_ALL_STRING_TABLES


def test_moments_after_a_damaged_full_packet(samples: Mapping[str, Path]) -> None:
    data = samples["source2"].read_bytes()
    sound = playhead.open(data)
    frames = sound.recording.frames
    _, damaged, last = (frames[number] for number in frames.numbers_of(FULL_PACKET))
    declared = bytes([data[damaged.payload] ^ 1])  # the size of the Snappy block
    hurt = data[: damaged.payload] + declared + data[damaged.payload + 1 :]
    replay = playhead.open(hurt)
    assert replay.at(last.tick).as_dict() == sound.at(last.tick).as_dict()
    assert [(each.where, each.offset) for each in replay.problems_so_far] == [("frame", damaged.offset)]
    assert len(replay.problems) == 1
    with pytest.raises(playhead.CorruptReplay, match="<bytes>, frame"):
        playhead.open(hurt, strict=True).at(last.tick)


def test_a_moment_at_a_damaged_full_packet(samples: Mapping[str, Path]) -> None:
    data = samples["source2"].read_bytes()
    sound = playhead.open(data)
    frames = sound.recording.frames
    damaged = frames[frames.numbers_of(FULL_PACKET)[1]]
    declared = bytes([data[damaged.payload] ^ 1])  # the size of the Snappy block
    replay = playhead.open(data[: damaged.payload] + declared + data[damaged.payload + 1 :])
    for tick in (damaged.tick, damaged.tick + 1):
        assert replay.at(tick).players
        assert replay.at(tick).as_dict() == sound.at(tick).as_dict()
    assert [(each.where, each.offset) for each in replay.problems] == [("frame", damaged.offset)]


@pytest.mark.parametrize("cleared", [False, True])
def test_a_sign_on_without_string_tables_is_a_problem(samples: Mapping[str, Path], cleared: bool) -> None:
    data = samples["source2"].read_bytes()
    frames = playhead.open(data).recording.frames
    if cleared:
        start, packet = frames[frames.numbers_of(PACKET)[0]].offset, encode_packet([(CLEAR, b"")])
        content = wire.encode("CDemoPacket", {"data": packet})
        data = data[:start] + bytes((SIGNON_PACKET, 0, len(content))) + content + data[start:]
    for number in () if cleared else reversed(frames.numbers_of(SIGNON_PACKET)):
        data = data[: frames[number].offset] + data[frames[number + 1].offset :]
    told = [each.what for each in playhead.open(data).problems]
    assert "expected string tables in the packets of the sign-on, found none" in told


def test_a_compressed_demo_pays_for_its_frames(
    samples: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three zeros are a frame, and a million of them compress to some hundred bytes."""
    monkeypatch.setattr("playhead.source2.container.demo.FREE_FRAMES", 1000)
    data = samples["source2"].read_bytes()
    start = playhead.open(data).recording.frames[10].offset
    packed = gzip.compress(data[:start] + bytes(3_000_000))
    replay = playhead.open(packed)
    assert len(replay.recording.frames) == 1000 + len(packed)
    assert [each.kind for each in replay.problems if "more frames than the limit" in each.what] == [
        "LimitExceeded"
    ]
    with pytest.raises(playhead.LimitExceeded, match="more frames than the limit"):
        playhead.open(packed, strict=True).read_tables(["frames"])
