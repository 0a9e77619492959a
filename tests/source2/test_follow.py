"""Recordings that are still being written."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.samples.source2.engine import sample_demo

import playhead
from playhead import Follow, Limits

SAMPLE = sample_demo()


class Recorder:
    """Writes a file piece by piece, whenever the reader waits."""

    def __init__(self, path: Path, data: bytes, pieces: int) -> None:
        self._path = path
        size = -(-len(data) // pieces)
        self._left = [data[at : at + size] for at in range(0, len(data), size)]
        path.write_bytes(self._left.pop(0))
        self.waits = 0

    def __call__(self, _seconds: float) -> None:
        self.waits += 1
        if self._left:
            with self._path.open("ab") as file:
                file.write(self._left.pop(0))


@pytest.mark.parametrize("pieces", [2, 17])
def test_frames_come_as_they_are_written(tmp_path: Path, pieces: int) -> None:
    path = tmp_path / "live.dem"
    # The head of an incomplete file has no offsets yet.
    recorder = Recorder(path, SAMPLE[:8] + bytes(8) + SAMPLE[16:], pieces)
    replay = playhead.open(path, follow=Follow(idle_seconds=60, sleep=recorder))
    whole = playhead.open(SAMPLE)
    frames = []
    for frame in replay.recording.frames:
        frames.append((frame, bytes(replay.recording.payload(frame)), recorder.waits))
    assert [entry[:2] for entry in frames] == [
        (frame, bytes(whole.recording.payload(frame))) for frame in whole.recording.frames
    ]
    assert frames[0][2] < frames[-1][2]  # the first frames arrived before the last were written
    assert replay.problems == ()
    assert replay.table("chat") == whole.table("chat")


def test_state_of_a_growing_recording(tmp_path: Path) -> None:
    path = tmp_path / "live.dem"
    recorder = Recorder(path, SAMPLE, 30)
    replay = playhead.open(path, follow=Follow(idle_seconds=60, sleep=recorder))
    playback = replay.playback()
    seen = []
    playback.on_tick(lambda tick: seen.append((tick, recorder.waits)))
    playback.run()
    assert [tick for tick, _ in seen if tick >= 0] == sorted(tick for tick, _ in seen if tick >= 0)
    assert seen[0][1] < seen[-1][1]


def test_the_writer_dies(tmp_path: Path) -> None:
    path = tmp_path / "live.dem"
    recorder = Recorder(path, SAMPLE[: len(SAMPLE) // 2], 5)
    replay = playhead.open(path, follow=Follow(idle_seconds=1, interval=0.25, sleep=recorder))
    frames = list(replay.recording.frames)
    assert 5 < len(frames) < len(playhead.open(SAMPLE).recording.frames)
    assert [(problem.kind, problem.where) for problem in replay.problems] == [("TruncatedReplay", "frame")]
    assert recorder.waits < 12  # it waits only for the requested time


@pytest.mark.parametrize("limits", [Limits(frames=20), Limits(decompressed_input=2000)])
def test_an_endless_file_ends_at_the_limits(tmp_path: Path, limits: Limits) -> None:
    path = tmp_path / "live.dem"
    recorder = Recorder(path, SAMPLE, 40)
    replay = playhead.open(path, follow=Follow(idle_seconds=60, sleep=recorder), limits=limits)
    count = len(replay.recording.frames)
    assert 5 < count <= 20
    assert [problem.kind for problem in replay.problems] == ["LimitExceeded"]
    assert recorder.waits < 39


def test_damage_ends_the_following(tmp_path: Path) -> None:
    path = tmp_path / "live.dem"
    frames = playhead.open(SAMPLE).recording.frames
    at = frames[20].offset
    path.write_bytes(SAMPLE[:at] + b"\xff\xff\xff\xff\x7f" + SAMPLE[at + 5 :])
    replay = playhead.open(path, follow=Follow(idle_seconds=0, sleep=lambda _: None))
    assert len(replay.recording.frames) == 20
    assert replay.problems[0].offset == at


def test_a_streamed_demo_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "sample.dem"
    path.write_bytes(SAMPLE)
    assert playhead.open(path, stream=True).table("chat").num_rows == playhead.open(path).table("chat").num_rows


def test_frame_tables_equal_those_of_the_complete_file(tmp_path: Path) -> None:
    path = tmp_path / "whole.dem"
    path.write_bytes(sample_demo())
    followed = playhead.open(path, follow=Follow(idle_seconds=0, sleep=lambda _: None))
    assert followed.table("frames").equals(playhead.open(path).table("frames"))
