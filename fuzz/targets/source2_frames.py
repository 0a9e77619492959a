"""Frames of a demo: the index, and the data of each."""

from __future__ import annotations

from playhead.errors import ReplayError
from playhead.source2.container.frames import HEAD_SIZE, FrameIndex, frame_data, iterate_frames, read_head
from targets import LIMITS


def fuzz(data: bytes) -> None:
    view = memoryview(data)
    index = FrameIndex()
    start: int | None = HEAD_SIZE
    while start is not None:
        try:
            index.read(view, LIMITS, start=start)
            break
        except ReplayError:
            assert len(index) <= LIMITS.frames
            before, start = start, index.find_again(view, LIMITS)
            assert start is None or start > before
    for frame in index[:50]:
        try:
            frame_data(view, frame, LIMITS)
        except ReplayError:
            continue
    index.highest_tick()
    read_head(view)
    for _ in iterate_frames(view, LIMITS):
        pass
