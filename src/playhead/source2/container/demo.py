"""`DemoFile`: access to the frames of a demo, complete or still being written."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.errors import CorruptReplay, ReplayError, TruncatedReplay
from playhead.io.source import Source
from playhead.limits import Limits
from playhead.model import ProblemHandler
from playhead.runtime.cached import cached_property
from playhead.source2.container.followed import FollowedFrames
from playhead.source2.container.frames import (
    FILE_INFO,
    HEAD_SIZE,
    PACKET,
    STOP,
    Frame,
    FrameIndex,
    frame_data,
    read_frame,
    read_head,
)

#: Bytes of frame heads after which their pages are released.
_PIECE = 8 << 20


class DemoFile:
    """The frames of one demo.

    Args:
        source: the bytes, or a followed stream.
        limits: bounds on allocations.
        note: called with each problem of the container.

    Attributes:
        source: the bytes, or the stream.
        limits: bounds on allocations.
        head: the offsets in the head of the file.

    Raises:
        UnsupportedVersion: a Source 1 demo, or a Source 2 demo of the 2014 workshop alpha.
        CorruptReplay, TruncatedReplay: the head cannot be read.
    """

    def __init__(self, source: Source, limits: Limits, note: ProblemHandler) -> None:
        self.source = source
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
        """The first frame; None if the file ends before it.

        Raises:
            ReplayError: the frame cannot be read.
        """
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
        """Return the decompressed payload of a frame.

        Raises:
            ReplayError: the payload cannot be decompressed.
        """
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
