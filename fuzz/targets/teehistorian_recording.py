"""A whole recording: `open`, its tables, a state and `verify`."""

from __future__ import annotations

from random import Random
from zlib import crc32

import mutation

import playhead
from playhead.errors import ReplayError
from playhead.teehistorian.stream.header import MAGIC, read_header
from targets import LIMITS, teehistorian_messages


def fuzz(data: bytes) -> None:
    if data[: len(MAGIC)] != MAGIC:
        return
    replay = playhead.open(data, limits=LIMITS)
    info = replay.info
    # Each input runs one query, selected by its bytes.
    names = list(replay.tables)
    chosen = crc32(data) % (len(names) + 2)
    if chosen < len(names):
        replay.table(names[chosen])
    elif chosen == len(names) and info.duration_ticks:
        replay.at(info.duration_ticks // 2)
    else:
        replay.verify()
    assert all(str(problem) for problem in replay.problems)


def mutate(data: bytes, random: Random) -> bytes:
    """Change messages after a valid header, sometimes the header itself."""
    try:
        size = read_header(memoryview(data), LIMITS).size
    except ReplayError:
        return mutation.change(data, random)
    if random.random() < 0.1:
        return data[: len(MAGIC)] + mutation.change(data[len(MAGIC) : size], random) + data[size:]
    return data[:size] + teehistorian_messages.mutate(b"\1" + data[size:], random)[1:]
