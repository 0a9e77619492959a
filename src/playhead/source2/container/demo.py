"""`Source2Container`: the frames of a demo, and what stands in its sign-on ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

from playhead.errors import CorruptReplay, ReplayError, TruncatedReplay
from playhead.io.source import Source
from playhead.model import Options
from playhead.replay import Replay
from playhead.source2.container.followed import FollowedFrames
from playhead.source2.container.frames import (
    CLASS_INFO,
    FILE_HEADER,
    FILE_INFO,
    FULL_PACKET,
    HEAD_SIZE,
    PACKET,
    SEND_TABLES,
    SIGNON_PACKET,
    STOP,
    Frame,
    FrameIndex,
    frame_data,
    iterate_frames,
    read_frame,
    read_head,
)
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import COMMANDS
from playhead.source2.messages.packet import PacketReader
from playhead.source2.schema.send_tables import SendTables, read_class_names, read_send_tables

_SERVER_INFO = 40

# Real games have 1/30 (Dota 2) and 1/64 s (CS2, Deadlock).
_SHORTEST_TICK, _LONGEST_TICK = 1e-3, 1.0

Content = Mapping[str | int, Any]
_T = TypeVar("_T")


class Source2Container(Replay):
    """The container of one Source 2 demo.

    `file_header`, `file_info` and `server_info` are protobuf messages as dicts by field name, empty where the file
    does not have them or they cannot be read (`problems` tells which).
    """

    format = "source2"

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self._data = source.data
        self._limits = options.limits
        self.head = read_head(self._data)
        self._followed: FollowedFrames | None = None
        if source.stream is not None:
            self._followed = FollowedFrames(source.stream, self._limits, self._note_frames)
        self.file_header: Content = {}
        try:
            first = (
                read_frame(self._data, HEAD_SIZE, self._limits) if self._followed is None else self._followed[0]
            )
            if first.command == FILE_HEADER:
                self.file_header = wire.decode("CDemoFileHeader", self.payload(first))
        except IndexError:
            pass  # the file ends before its first frame, which is a problem by itself
        except ReplayError as error:
            self._note(error.locate(where="FileHeader"), cost="map, build and game")

    def _note_frames(self, error: ReplayError, cost: str) -> None:
        self._note(error.locate(where="frame"), cost=cost)

    def payload(self, frame: Frame) -> bytes | memoryview:
        """The payload of a frame, decompressed.

        Raises:
            ReplayError: it cannot be decompressed.
        """
        if self._followed is not None:
            return self._followed.payload(frame)
        return frame_data(self._data, frame, self._limits)

    @property
    def whole(self) -> memoryview | None:
        """The bytes of the recording; None of one that is followed, which is not all there yet."""
        return self._data if self._followed is None else None

    def stored(self, frame: Frame) -> bytes:
        """The payload of a frame as it stands in the file."""
        if self._followed is not None:
            return self._followed.stored(frame)
        return bytes(self._data[frame.payload : frame.payload + frame.size])

    def packet(self, frame: Frame, payload: bytes | memoryview) -> bytes:
        """The inner messages of a packet frame, as one bit stream.

        Raises:
            ReplayError: they cannot be found.
        """
        packet: bytes | memoryview | None = payload
        if frame.command == FULL_PACKET:
            packet = wire.field_bytes(payload, 2)
        return b"" if packet is None else wire.field_bytes(packet, 3) or b""

    @cached_property
    def frames(self) -> FrameIndex | FollowedFrames:
        """Every outer frame, by frame heads alone; ends at the first that cannot be read.

        Of a file that is followed they come as they are written; its length is known when it has ended.
        """
        if self._followed is not None:
            return self._followed
        found = FrameIndex()
        try:
            found.read(self._data, self._limits)
        except ReplayError as error:
            self._note(error.locate(where="frame"), cost=f"everything after frame {len(found) - 1}")
            return found
        file_infos = [found[number] for number in found.numbers_of(FILE_INFO)]
        if not found.numbers_of(STOP):
            self._note(
                TruncatedReplay(
                    "expected a Stop frame, found the end of the file",
                    where="frame",
                    offset=len(self._data),
                    tick=found[-1].tick if found else None,
                ),
                cost="what was recorded after this, and FileInfo",
            )
        elif not file_infos:
            self._note(
                TruncatedReplay(
                    "expected a FileInfo frame after Stop, found the end of the file",
                    where="frame",
                    offset=len(self._data),
                ),
                cost="FileInfo: match id, winner, players",
            )
        elif self.head.file_info and all(frame.offset != self.head.file_info for frame in file_infos):
            self._note(
                CorruptReplay(
                    f"expected the FileInfo frame at {self.head.file_info:#x}, found none there",
                    where="head",
                    offset=8,
                ),
                cost="nothing: the frame was found by walking the file",
            )
        return found

    @cached_property
    def _file_info_frame(self) -> Frame | None:
        """FileInfo through the offset in the head, or by walking where that leads nowhere."""
        if self._followed is None and HEAD_SIZE <= self.head.file_info < len(self._data):
            try:
                frame = read_frame(self._data, self.head.file_info, self._limits)
            except ReplayError:
                pass
            else:
                if frame.command == FILE_INFO and frame.payload + frame.size == len(self._data):
                    return frame
        len(self.frames)  # of a file that is followed, this waits for the end
        numbers = self.frames.numbers_of(FILE_INFO)
        return self.frames[numbers[-1]] if numbers else None

    @cached_property
    def file_info(self) -> Content:
        """CDemoFileInfo: length, and for Dota the match."""
        if self._file_info_frame is None:
            return {}
        try:
            return wire.decode("CDemoFileInfo", self.payload(self._file_info_frame))
        except ReplayError as error:
            self._note(error.locate(where="FileInfo"), cost="length, match id, winner, players")
            return {}

    def _signon(self, command: int) -> Iterator[tuple[Frame, bytes | memoryview]]:
        """Readable frames of that command up to the first packet of the game. Problems are left to the survey."""
        try:
            walk = iterate_frames(self._data, self._limits) if self._followed is None else iter(self._followed)
            for frame in walk:
                if frame.command == PACKET:
                    return
                if frame.command != command:
                    continue
                try:
                    yield frame, self.payload(frame)
                except ReplayError:
                    continue
        except ReplayError:
            return

    @cached_property
    def server_info(self) -> Content:
        """CSVCMsg_ServerInfo from the sign-on packets: tick interval, classes, map."""
        for frame, payload in self._signon(SIGNON_PACKET):
            message = None
            try:
                reader = PacketReader(self.packet(frame, payload))
                while message is None and reader.advance():
                    if reader.id == _SERVER_INFO:
                        message = reader.payload()
            except ReplayError:  # the survey meets it too
                continue
            if message is None:
                continue
            try:
                return wire.decode("CSVCMsg_ServerInfo", message)
            except ReplayError as error:
                error.offset = frame.offset
                self._note(
                    error.locate(where="ServerInfo", tick=frame.tick), cost="tick rate and facts of the server"
                )
        return {}

    def _decode_signon(self, command: int, decode: Callable[[bytes | memoryview], _T], cost: str) -> _T | None:
        """The content of the sign-on frame with that command; None if there is none, or it cannot be decoded."""
        for frame, payload in self._signon(command):
            try:
                return decode(payload)
            except ReplayError as error:
                error.offset = frame.offset
                self._note(error.locate(where=COMMANDS[command], tick=frame.tick), cost=cost)
        return None

    @cached_property
    def send_tables(self) -> SendTables:
        """The serializers: classes, their fields and encodings; empty if the file has none."""
        return self._decode_signon(SEND_TABLES, read_send_tables, "the schema") or SendTables({})

    @cached_property
    def class_names(self) -> Mapping[int, str]:
        """Network name by class id; empty if the file has none."""
        return self._decode_signon(CLASS_INFO, read_class_names, "names of classes") or {}

    @cached_property
    def game(self) -> str:
        """``dota``, ``csgo`` or ``citadel``: the header's own word, or the last part of the game's folder."""
        named = self.file_header.get("game")
        if named:
            return str(named)
        folder = self.file_header.get("game_directory") or self.server_info.get("game_dir") or ""
        return re.split(r"[\\/]", str(folder))[-1] or "source2"

    @cached_property
    def _ticks_per_second(self) -> float | None:
        """From ServerInfo; where that is missing, the ticks of FileInfo over its seconds; None without either."""
        interval = self.server_info.get("tick_interval")
        if interval is None:
            seconds, ticks = self.file_info.get("playback_time"), self.file_info.get("playback_ticks")
            if not seconds or not ticks or not _SHORTEST_TICK <= seconds / ticks <= _LONGEST_TICK:
                return None
            interval = seconds / ticks
        if not _SHORTEST_TICK <= interval <= _LONGEST_TICK:
            self._note(
                CorruptReplay(
                    f"expected a tick interval of {_SHORTEST_TICK} to {_LONGEST_TICK} s, found {interval}",
                    where="ServerInfo",
                ),
                cost="ticks in seconds",
            )
            return None
        rate = 1.0 / float(interval)
        # The interval is a float32 (1/30 is 0.0333333351); real rates are whole numbers.
        return float(round(rate)) if abs(rate - round(rate)) < 1e-3 else rate
