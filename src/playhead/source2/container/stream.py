"""`DemoStream`: the outer stream as the public documents describe it, ``(tick, msg_type, data)`` by frame."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.io.source import Input, Source, open_source
from playhead.limits import Limits
from playhead.source2.container.frames import frame_data, iterate_frames, read_head


class DemoStream:
    """Iterates over the frames of a demo, decompressed.

    Yields ``(tick, msg_type, data)``: the demo tick, the EDemoCommands number without the compression bit, and the
    payload. Sign-on frames, whose tick in the file is 0xFFFFFFFF, get tick 0 as documented (tables carry -1 for
    them). Frames behind Stop are yielded too: FileInfo is one.

    Args:
        target: a path (memory-mapped), bytes, a file object or a `Source`; also compressed.

    Raises:
        ReplayError: while iterating, at the first frame that cannot be read; those before it were yielded.
    """

    def __init__(self, target: Input, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._source = target if isinstance(target, Source) else open_source(target, self._limits)
        #: Offsets of FileInfo and SpawnGroups as the head gives them.
        self.head = read_head(self._source.data)

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        data = self._source.data
        for frame in iterate_frames(data, self._limits):
            yield max(frame.tick, 0), frame.command, bytes(frame_data(data, frame, self._limits))
