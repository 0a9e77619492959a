"""`DemoFile`: access to the frames of a demo, complete or still being written."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.io.source import Source
from playhead.io.stream import Stream
from playhead.limits import FREE_FRAMES, Limits
from playhead.model import ProblemHandler
from playhead.runtime.cached import cached_property
from playhead.runtime.records import replace
from playhead.runtime.typing import overload
from playhead.source2.container import frames
from playhead.source2.container.frames import (
    FILE_INFO,
    HEAD_SIZE,
    MAGIC,
    PACKET,
    STOP,
    Frame,
    FrameIndex,
    frame_data,
    read_frame,
    read_head,
)

# Three varints of at most five bytes.
_LONGEST_FRAME_HEAD = 15


class FollowedFrames(Sequence[frames.Frame]):
    """A growing sequence: access to a frame waits for that frame, and `len` waits for the end.

    The end is the FileInfo frame after Stop, or the end of the stream. Stored bytes are kept, so any frame can
    be read again.

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
        """Return the decompressed payload of one of these frames."""
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


#: Bytes of frame heads after which their pages are released.
_PIECE = 8 << 20


class DemoFile:
    """The frames of one demo.

    Attributes:
        source: the bytes, or the stream.
        limits: bounds on allocations.
        head: the offsets in the head of the file.
    """

    def __init__(self, source: Source, limits: Limits, note: ProblemHandler) -> None:
        self.source = source
        if source.compressed_size is not None:
            limits = replace(limits, frames=min(limits.frames, FREE_FRAMES + source.compressed_size))
        self.limits = limits
        self.head = read_head(source.data)
        self._note = note
        self._followed: FollowedFrames | None = None
        if source.stream is not None:
            self._followed = FollowedFrames(source.stream, limits, self._note_frame)

    def _note_frame(self, error: ReplayError, cost: str) -> None:
        self._note(error.locate(where="frame"), cost)

    @property
    def _data(self) -> memoryview:
        return self.source.data

    @property
    def whole(self) -> memoryview | None:
        """The bytes of the recording; None for a followed recording, which is incomplete."""
        return self._data if self._followed is None else None

    @cached_property
    def frames(self) -> FrameIndex | FollowedFrames:
        """All outer frames, found by their heads alone; after damage, the search resumes at the next valid
        frames (`gaps`).

        The frames of a followed file appear as they are written; its length is known at its end.
        """
        if self._followed is not None:
            return self._followed
        data = self._data
        found = FrameIndex()
        start: int | None = HEAD_SIZE
        while start is not None and start < len(data):
            try:
                start = found.read(data, self.limits, start=start, stop=start + _PIECE)
                self.source.release()
            except ReplayError as error:
                start = found.find_again(data, self.limits)
                if start is None:
                    self._note_frame(error, f"everything after frame {len(found) - 1}")
                    return found
                lost = start - found.gaps[len(found)]
                self._note_frame(
                    error, f"{lost} bytes before frame {len(found)}; entities up to the next full packet"
                )
        file_infos = [found[number] for number in found.numbers_of(FILE_INFO)]
        end = len(data)
        if not found.numbers_of(STOP):
            tick = found[-1].tick if found else None
            missing = TruncatedReplay("expected a Stop frame, found the end of the file", offset=end, tick=tick)
            self._note_frame(missing, "everything after this, and FileInfo")
        elif not file_infos:
            missing = TruncatedReplay(
                "expected a FileInfo frame after Stop, found the end of the file", offset=end
            )
            self._note_frame(missing, "FileInfo: match id, winner, players")
        elif self.head.file_info and all(frame.offset != self.head.file_info for frame in file_infos):
            text = f"expected the FileInfo frame at {self.head.file_info:#x}, found none there"
            wrong = CorruptReplay(text, where="head", offset=8)
            self._note(wrong, "nothing: the frame was found by walking the file")
        return found

    @cached_property
    def first_frame(self) -> Frame | None:
        """The first frame; None if the file ends before it."""
        try:
            return read_frame(self._data, HEAD_SIZE, self.limits) if self._followed is None else self._followed[0]
        except IndexError:
            return None

    @cached_property
    def file_info_frame(self) -> Frame | None:
        """FileInfo, at the offset in the head or else found by walking the file; None if it is missing."""
        if self._followed is None and HEAD_SIZE <= self.head.file_info < len(self._data):
            try:
                frame = read_frame(self._data, self.head.file_info, self.limits)
            except ReplayError:
                pass
            else:
                if frame.command == FILE_INFO and frame.payload + frame.size == len(self._data):
                    return frame
        len(self.frames)  # for a followed file, this waits for the end
        numbers = self.frames.numbers_of(FILE_INFO)
        return self.frames[numbers[-1]] if numbers else None

    def payload(self, frame: Frame) -> bytes | memoryview:
        """Return the decompressed payload of a frame."""
        if self._followed is not None:
            return self._followed.payload(frame)
        return frame_data(self._data, frame, self.limits)

    def stored(self, frame: Frame) -> bytes:
        """Return the payload of a frame as stored in the file."""
        if self._followed is not None:
            return self._followed.stored(frame)
        return bytes(self._data[frame.payload : frame.payload + frame.size])

    def signon(self, command: int) -> Iterator[tuple[Frame, bytes | memoryview]]:
        """Yield the readable frames of that command before the first packet of the game, with their payloads.

        Unreadable payloads are skipped here: the pass over all frames reports them.
        """
        for frame in self.signon_frames(command):
            try:
                yield frame, self.payload(frame)
            except ReplayError:
                continue

    def signon_frames(self, command: int) -> Iterator[Frame]:
        """Yield the frames of that command before the first packet of the game."""
        if self._followed is not None:
            for frame in self._followed:
                if frame.command == PACKET:
                    return
                if frame.command == command:
                    yield frame
            return
        index, is_whole = self._signon_index
        for number in index.numbers_of(command):
            yield index[number]
        if is_whole or not index:
            return
        last, frames = index[-1].offset, self.frames
        end = next(iter(frames.numbers_of(PACKET)), len(frames))
        for number in frames.numbers_of(command):
            if number < end and frames[number].offset > last:
                yield frames[number]

    @cached_property
    def _signon_index(self) -> tuple[FrameIndex, bool]:
        """The readable frames before the first packet of the game, and whether these are all."""
        found = FrameIndex()
        try:
            found.read(self._data, self.limits, until=PACKET)
        except ReplayError:
            return found, False
        return found, True


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
