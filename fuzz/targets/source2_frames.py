"""Frames of a demo: the index, and the data of each."""

from __future__ import annotations

from playhead.errors import ReplayError
from playhead.source2.container.frames import FrameIndex, frame_data, iterate_frames, read_head
from targets import LIMITS


def fuzz(data: bytes) -> None:
    view = memoryview(data)
    index = FrameIndex()
    try:
        index.read(view, LIMITS)
    except ReplayError:
        assert len(index) <= LIMITS.frames
    for frame in index[:50]:
        try:
            frame_data(view, frame, LIMITS)
        except ReplayError:
            continue
    index.highest_tick()
    read_head(view)
    for _ in iterate_frames(view, LIMITS):
        pass
