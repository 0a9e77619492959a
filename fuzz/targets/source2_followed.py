"""Frames of a demo that is still being written, in pieces of any size: equal to those of the whole file."""

from __future__ import annotations

from random import Random

import mutation
import pieces

import playhead
from playhead.errors import ReplayError
from playhead.io.stream import Follow, Stream
from playhead.source2.container.demo import FollowedFrames
from playhead.source2.container.frames import FILE_INFO, STOP, FrameIndex
from targets import LIMITS, source2_demo

FOLLOW = Follow(idle_seconds=20, interval=1, sleep=lambda _seconds: None)


def fuzz(data: bytes) -> None:
    file = pieces.GrowingFile(data)
    reported: list[ReplayError] = []
    stream = Stream("input", lambda: file, reopenable=False, follow=FOLLOW)
    followed = FollowedFrames(stream, LIMITS, lambda error, _cost: reported.append(error))
    count = len(followed)
    if stream.compression is None:
        view = memoryview(file.content)
        index = FrameIndex()
        try:
            index.read(view, LIMITS)
        except ReplayError:
            assert reported or _has_ended(followed)
        assert list(followed) == list(index[:count])
        assert len(index) == count or _has_ended(followed)
        for frame in followed[:50]:
            assert followed.stored(frame) == view[frame.payload : frame.payload + frame.size]
    for frame in followed[:50]:
        try:
            followed.payload(frame)
        except ReplayError:
            continue
    followed.highest_tick()
    if data[:1] >= b"\xf0":  # all of a replay, which takes longer
        replay = playhead.open(pieces.GrowingFile(data), follow=FOLLOW, limits=LIMITS)
        for _ in replay.messages():
            pass
        assert all(str(problem) for problem in replay.problems)


def _has_ended(followed: FollowedFrames) -> bool:
    """Return whether FileInfo follows Stop, after which reading ends."""
    commands = [frame.command for frame in followed]
    return STOP in commands and commands[-1] == FILE_INFO


def mutate(data: bytes, random: Random) -> bytes:
    """Change the piece sizes, or the content of a frame with its size corrected."""
    front = 2 + (data[0] & 15 if data else 0)
    if random.random() < 0.3:
        return mutation.change(data[:front], random) + data[front:]
    return data[:front] + source2_demo.mutate(data[front:], random)
