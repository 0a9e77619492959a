"""A recording that is still being written, in pieces of any size: its messages equal those of the whole file."""

from __future__ import annotations

from random import Random

import mutation
import pieces

from playhead.errors import ReplayError
from playhead.io.source import Source, open_stream
from playhead.io.stream import Follow
from playhead.teehistorian.stream.feed import Feed, read_source_header
from playhead.teehistorian.stream.header import read_header
from targets import LIMITS, teehistorian_recording

FOLLOW = Follow(idle_seconds=20, interval=1, sleep=lambda _seconds: None)


def fuzz(data: bytes) -> None:
    file = pieces.GrowingFile(data)
    source = open_stream(file, FOLLOW, LIMITS)
    header = read_source_header(source, LIMITS)
    followed = _messages(Feed(source, header, LIMITS, wait=True))
    if source.compression is not None:
        return
    view = memoryview(file.content)
    assert read_header(view, LIMITS).raw == header.raw
    assert followed == _messages(Feed(Source("input", view), header, LIMITS))


def _messages(feed: Feed) -> tuple[list[object], str | None]:
    found: list[object] = []
    damage: ReplayError | None = None
    try:
        while feed.advance():
            found.append((feed.reader.tick, feed.reader.message()))
    except ReplayError as error:
        damage = error
    trailing = feed.trailing()
    for error, cost in feed.problems(damage, trailing):
        assert str(error)
        assert cost
    return found, None if damage is None else type(damage).__name__


def mutate(data: bytes, random: Random) -> bytes:
    """Change the piece sizes, or messages after a valid header."""
    front = 2 + (data[0] & 15 if data else 0)
    if random.random() < 0.3:
        return mutation.change(data[:front], random) + data[front:]
    return data[:front] + teehistorian_recording.mutate(data[front:], random)
