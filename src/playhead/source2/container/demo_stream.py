"""`DemoStream`: a demo as an iterator over its decompressed frames, as the public format documents name it."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.io.source import Input, Source, open_source
from playhead.limits import Limits
from playhead.source2.container.frames import Head, frame_data, iterate_frames, read_head


class DemoStream:
    """Iterate over the frames of a demo, decompressed.

    Yields ``(tick, msg_type, data)``: the demo tick, the EDemoCommands number without the compression bit, and
    the payload. Sign-on frames have tick 0 here (-1 in tables). Frames after Stop, such as FileInfo, are yielded
    too. Usable in a ``with`` statement.

    Args:
        target: a path, bytes, a file object or a `Source`; may be compressed.
        limits: bounds on allocations.

    Raises:
        ReplayError: while iterating, at the first unreadable frame, after yielding those before it.
        ValueError: while iterating, if the stream is closed.
    """

    def __init__(self, target: Input, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        source = target if isinstance(target, Source) else open_source(target, self._limits)
        self._data: memoryview | None = source.data
        self._head = read_head(source.data)

    @property
    def head(self) -> Head:
        """Offsets of FileInfo and SpawnGroups from the head."""
        return self._head

    def close(self) -> None:
        """Release the bytes once the last iterator over them is gone."""
        self._data = None

    def __enter__(self) -> DemoStream:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        if self._data is None:
            raise ValueError("expected an open DemoStream, found a closed one")
        return self._frames(self._data)

    def _frames(self, data: memoryview) -> Iterator[tuple[int, int, bytes]]:
        for frame in iterate_frames(data, self._limits):
            yield max(frame.tick, 0), frame.command, bytes(frame_data(data, frame, self._limits))
            if self._data is None:
                raise ValueError("expected an open DemoStream, found one closed during iteration")
