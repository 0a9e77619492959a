"""Frames of a file that is still being written."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.io.stream import Stream
from playhead.limits import Limits
from playhead.runtime.typing import overload
from playhead.source2.container import frames

# Three varints of at most five bytes.
_LONGEST_FRAME_HEAD = 15


class FollowedFrames(Sequence[frames.Frame]):
    """A growing sequence: access to a frame waits for that frame, and `len` waits for the end.

    The end is the FileInfo frame after Stop, or the end of the stream. Stored bytes are kept, so any frame can
    be read again.

    Args:
        stream: the followed file.
        limits: bounds on the input and its frames.
        note: called with each error and a description of the lost data.

    Attributes:
        gaps: always empty, because reading ends at the first damage.
    """

    def __init__(self, stream: Stream, limits: Limits, note: Callable[[ReplayError, str], None]) -> None:
        self._limits = limits
        self._note = note
        self.gaps: dict[int, int] = {}
        self._bytes = bytearray()
        self._frames: list[frames.Frame] = []
        self._source = self._read(stream)
        self._ended = False

    def _read(self, stream: Stream) -> Iterator[frames.Frame]:
        offset = frames.HEAD_SIZE
        stopped = False
        signon = True
        try:
            for piece in stream.pieces():
                while stream.losses:
                    self._note(*stream.losses.pop(0))
                if len(self._bytes) + len(piece) > self._limits.decompressed_input:
                    most = self._limits.decompressed_input
                    raise LimitExceeded(f"the input is larger than the limit of {most} bytes", file=stream.name)
                self._bytes += piece
                while (frame := self._whole_frame(offset)) is not None:
                    if len(self._frames) >= self._limits.frames:
                        most = self._limits.frames
                        raise LimitExceeded(f"there are more frames than the limit of {most}", offset=offset)
                    offset = frame.payload + frame.size
                    signon = signon and not frames.ends_signon(frame.command)
                    yield frame._replace(tick=-1) if signon else frame
                    if stopped and frame.command == frames.FILE_INFO:
                        return
                    stopped = stopped or frame.command == frames.STOP
        except ReplayError as error:
            self._note(error, f"everything after frame {len(self._frames) - 1}")
            return
        what = "a FileInfo frame after Stop" if stopped else "a Stop frame"
        reason = stream.trouble()
        missing = TruncatedReplay(
            f"expected {what}, found the end of the file" + (f" ({reason})" if reason else ""),
            offset=len(self._bytes),
        )
        self._note(missing, "everything after this, and FileInfo")

    def _whole_frame(self, offset: int) -> frames.Frame | None:
        """Return the frame at `offset`; None if it is incomplete."""
        reader = ByteReader(bytes(self._bytes[offset : offset + _LONGEST_FRAME_HEAD]))
        size = 0
        try:
            for _ in ("command", "tick", "size"):
                size = reader.read_varuint32()
        except TruncatedReplay:
            return None
        except CorruptReplay:
            pass  # `read_frame` reports it, as in a complete file
        end = offset + reader.tell() + size
        if size <= self._limits.frame and end > len(self._bytes):
            return None
        try:
            frame = frames.read_frame(memoryview(bytes(self._bytes[offset:end])), 0, self._limits)
        except ReplayError as error:
            error.offset = offset
            raise
        return frame._replace(offset=offset, payload=offset + frame.payload)

    def payload(self, frame: frames.Frame) -> bytes | memoryview:
        """Return the decompressed payload of one of these frames.

        Raises:
            LimitExceeded, CorruptReplay: as `playhead.source2.container.frames.frame_data`.
        """
        return frames.stored_data(memoryview(self.stored(frame)), frame, self._limits)

    def columns(self) -> list[array[int]]:
        """As `playhead.source2.container.frames.FrameIndex.columns`; waits for the end."""
        rows = [(each[0], each[1] | frames.COMPRESSED if each.compressed else each[1], *each[2:]) for each in self]
        return [array("q", [row[field] for row in rows]) for field in (0, 1, 2, 4, 5)]

    def stored(self, frame: frames.Frame) -> bytes:
        """Return the payload of one of these frames as stored in the file."""
        return bytes(self._bytes[frame.payload : frame.payload + frame.size])

    def numbers_of(self, command: int) -> list[int]:
        """Return the numbers of the frames of that command among those read so far."""
        return [number for number, frame in enumerate(self._frames) if frame.command == command]

    def highest_tick(self) -> int | None:
        """Return the highest tick of all frames, waiting for the end; None without frames."""
        return max((frame.tick for frame in self), default=None)

    def _wait_for(self, number: int | None) -> None:
        """Read until the frame of that number exists; None reads to the end."""
        while not self._ended and (number is None or number >= len(self._frames)):
            frame = next(self._source, None)
            if frame is None:
                self._ended = True
            else:
                self._frames.append(frame)

    @overload
    def __getitem__(self, number: int) -> frames.Frame: ...
    @overload
    def __getitem__(self, number: slice) -> list[frames.Frame]: ...
    def __getitem__(self, number: int | slice) -> frames.Frame | list[frames.Frame]:
        self._wait_for(number if isinstance(number, int) and number >= 0 else None)
        return self._frames[number]

    def __len__(self) -> int:
        self._wait_for(None)
        return len(self._frames)
