"""Several recordings one after the other in one file: the bytes of each."""

from __future__ import annotations

from playhead.errors import CorruptReplay, ReplayError
from playhead.io.source import Source
from playhead.limits import Limits
from playhead.runtime.records import replace
from playhead.source2.container.frames import FILE_INFO, HEAD_SIZE, MAGIC, read_frame, read_head


def _end_of(data: memoryview, limits: Limits) -> int:
    """Return the offset at which the next recording begins, or the size of the data.

    A whole recording ends with FileInfo, whose offset the head has; a cut one before the head of the next.
    """
    try:
        told = read_head(data).file_info
        if HEAD_SIZE <= told < len(data):
            frame = read_frame(data, told, limits)
            end = frame.payload + frame.size
            if frame.command == FILE_INFO and (end == len(data) or data[end : end + len(MAGIC)] == MAGIC):
                return end
    except ReplayError:  # the reader of the recording reports it
        pass
    import re  # a start does without

    for found in re.finditer(re.escape(MAGIC), data[HEAD_SIZE:]):
        start = HEAD_SIZE + found.start()
        try:
            read_head(data[start:])
        except ReplayError:
            continue
        return start
    return len(data)


def part_of(source: Source, limits: Limits, number: int) -> tuple[Source, CorruptReplay | None]:
    """Return a recording of a file that may have several, and the problem that another one follows it.

    Args:
        source: the file, with all its bytes.
        limits: bounds on frames.
        number: that of the recording, from 1 on.

    Raises:
        ValueError: the file has fewer recordings.
    """
    start, end = 0, _end_of(source.data, limits)
    for before in range(1, number):
        if end == len(source.data):
            raise ValueError(f"expected a part of 1 to {before}, which {source.name} has, got {number}")
        start, end = end, end + _end_of(source.data[end:], limits)
    if end == len(source.data) and not start:
        return source, None
    part = replace(source, data=source.data[start:end], location=None, stamp=None)
    if end == len(source.data):
        return part, None
    text = f"expected the end of the file after the recording, found another one at offset {end:#x}"
    return part, CorruptReplay(text, where="file", offset=end)
