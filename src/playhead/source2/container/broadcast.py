"""Build a demo from the fragments that a broadcast relay serves.

A fragment is a sequence of frames without a file head: command (varint, bit 0x40: compressed), tick (u32), a
zero byte, size (u32), payload. The payload of a packet is its inner messages, without the CDemoPacket around
them; other frames are as in a file. A STOP frame has neither size nor payload and ends the broadcast.

``start`` is the sign-on; its ticks are those of the recorder's own start. ``full`` is the state before the
``delta`` of the same number: spawn groups, and a packet with a complete entity message and the string tables
that changed since the sign-on. Verified on a real broadcast of Deadlock.

The demo is ``start``, one ``full``, then every ``delta``. If a fragment is missing or damaged, the next ``full``
restores the state. All other ``full`` fragments become full packets, which serve seeking and checks; their spawn
groups and any messages that the surrounding packets already contain are dropped.
"""

from __future__ import annotations

import io
import struct
from array import array
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple, cast

from playhead.bits import ByteReader, ByteWriter
from playhead.bits.writers import varuint
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.io.fragments import Fragments
from playhead.io.source import STREAM_HEAD, Source
from playhead.io.stream import Stream
from playhead.limits import ALWAYS_ALLOWED, Limits
from playhead.model import Problem
from playhead.source2.container import frames
from playhead.source2.container.snappy import decompress

#: Bytes of the first packet of a fragment; a larger one is not looked at.
_MOST = 1 << 20


class ServerClock:
    """The difference of the ticks of server and recording, which is constant in a recording.

    Args:
        server_tick_of: returns the tick of the server in the messages of a packet; None without one.
    """

    def __init__(self, server_tick_of: Callable[[bytes], int | None]) -> None:
        self._server_tick_of = server_tick_of
        self._difference: int | None = None

    def compare(self, data: bytes) -> CorruptReplay | None:
        """Return an error if the first packet of a fragment has another difference than the fragment before."""
        reader = ByteReader(data)
        try:
            while reader.remaining():
                command, tick, payload = _read_frame(reader, _MOST)
                if command & ~frames.COMPRESSED == frames.PACKET:
                    packet = decompress(memoryview(payload), _MOST) if command & frames.COMPRESSED else payload
                    server_tick = self._server_tick_of(bytes(packet))
                    return None if server_tick is None else self._step(server_tick - tick)
        except ReplayError:
            pass  # reported when the frames are read
        return None

    def _step(self, found: int) -> CorruptReplay | None:
        before, self._difference = self._difference, found
        if before is None or before == found:
            return None
        return CorruptReplay(
            f"expected ticks of the server {before} after those of the recording, as before, found {found}: "
            "this fragment and the one before it are of two broadcasts"
        )


START, FULL, DELTA = "start", "full", "delta"

_PACKETS = (frames.PACKET, frames.SIGNON_PACKET)
# Field of CDemoPacket that holds the inner messages.
_INNER_MESSAGES = 3
_BEFORE_GAME = 0xFFFFFFFF
# A command shares its byte with the compression bit.
_HIGHEST_COMMAND = 0x7F
#: After a gap, at most this many missing fragments are requested one by one; older ones are given up.
_MOST_LOST = 64
#: Bound on missing or empty fragments: a relay could announce new ones for ever.
_MOST_OF_NOTHING = 10_000

#: Called with an error and a description of the lost data.
_Note = Callable[[ReplayError, str], object]
_StateOf = Callable[[bytes], bytes]
_TickOf = Callable[[bytes], int | None]


class FragmentFrame(NamedTuple):
    """One frame of a fragment.

    Attributes:
        offset: offset in the fragment.
        command: EDemoCommands number, without the compression bit.
        tick: demo tick, unsigned.
        compressed: whether the payload is a Snappy block.
        payload: the payload as stored.
    """

    offset: int
    command: int
    tick: int
    compressed: bool
    payload: bytes


def _read_frame(reader: ByteReader, most: int) -> tuple[int, int, bytes]:
    """Read a frame: its command with the compression bit, its tick, and its stored payload (empty for a STOP)."""
    command, tick, zero = reader.read_varuint32(), reader.read_u32(), reader.read_u8()
    if command > _HIGHEST_COMMAND or zero:
        raise CorruptReplay(f"expected the head of a frame, found command {command}, then {zero}")
    if command == frames.STOP:
        return command, tick, b""
    size = reader.read_u32()
    if size > most:
        raise LimitExceeded(f"a frame of {size} bytes is over the limit of {most}", tick=tick)
    return command, tick, reader.read_bytes(size)


def fragment_frames(data: bytes, limits: Limits) -> Iterator[FragmentFrame]:
    """Yield the frames of a fragment, up to and including a STOP."""
    reader = ByteReader(data)
    while reader.remaining():
        offset = reader.tell()
        try:
            command, tick, payload = _read_frame(reader, limits.frame)
        except ReplayError as error:
            error.offset = offset
            raise
        compressed = bool(command & frames.COMPRESSED) and command != frames.STOP
        yield FragmentFrame(offset, command & ~frames.COMPRESSED, tick, compressed, payload)
        if command == frames.STOP:
            return


def is_part(where: str | None) -> bool:
    """Return whether a problem's place names part of a fragment, such as ``23/delta``."""
    return where is not None and where.rpartition("/")[2] in (START, FULL, DELTA)


def _field_head(number: int, size: int) -> bytes:
    """Return the tag and the length of a protobuf bytes field."""
    return varuint(number << 3 | 2, 32) + varuint(size, 32)


def _field(number: int, content: bytes) -> bytes:
    """Return a protobuf bytes field."""
    return _field_head(number, len(content)) + content


class BroadcastDemo:
    """Assemble the fragments of a broadcast into the bytes of a demo, as they arrive.

    Args:
        fragments: the parts of the broadcast.
        limits: bounds on the sizes of frames and of the demo.
        state_of: reduces the inner messages of a packet to those that carry state.
        tick_of: returns the tick of the server in such messages; None without one.
        note: called with each missing or damaged fragment and a description of the lost data.

    Attributes:
        fragments: the parts of the broadcast.
    """

    def __init__(
        self, fragments: Fragments, limits: Limits, state_of: _StateOf, tick_of: _TickOf, note: _Note
    ) -> None:
        self.fragments = fragments
        self._taken = 0  # bytes that `pieces` has yielded
        self._before = 0  # size of `_out` after the latest part
        self._limits = limits
        self._state_of = state_of
        self._clock = ServerClock(tick_of)
        self._note = note
        self._out = bytearray()
        # For each frame, its offset in the demo and in its part. For each part, its first frame.
        self._offsets = array("q")
        self._inside = array("q")
        self._parts: list[str] = []
        self._firsts: list[int] = []
        self._known = False  # whether the state before the next fragment is known
        self._lost = False  # whether the state was known once and then lost
        self._damaged = False  # whether the latest part was damaged
        self._ended = False
        self._tick = 0
        self._of_nothing = 0

    def place(self, offset: int) -> tuple[str, int] | None:
        """Return the part (``23/delta``) and the offset in it that the frame at a demo offset comes from."""
        at = bisect_right(self._offsets, offset) - 1
        return None if at < 0 else (self._parts[bisect_right(self._firsts, at) - 1], self._inside[at])

    def _begin_part(self, part: str) -> None:
        """Attribute frames added from now on to `part`."""
        self._parts.append(part)
        self._firsts.append(len(self._offsets))

    def pieces(self) -> Iterator[bytes]:
        """Yield the demo in pieces; an empty piece means that no data is available yet."""
        for _ in self._steps():
            piece = bytes(self._out)
            self._taken += len(piece)
            self._before = 0
            self._out.clear()
            yield piece

    def whole(self) -> bytearray:
        """Return the demo as far as it is available now."""
        for more in self._steps():
            if not more:
                break
        return self._out

    def _steps(self) -> Iterator[bool]:
        """Extend `_out` step by step; yield whether anything was added, False if nothing is available yet."""
        while (description := self.fragments.describe()) is None:
            yield False
        yield self._head(description)
        signup, number = description.get("signup_fragment", 0), description["fragment"]
        while (start := self._whole_part(signup, START)) is None and self.fragments.follow is not None:
            yield False
        if start is None:
            lost = TruncatedReplay("expected the sign-on of the broadcast, found none", where=f"{signup}/{START}")
            self._note(lost, "the schema, and with it all entities")
        yield self._signon(signup, start or b"")
        while not self._ended:
            newest = yield from self._fragment(number)
            number += 1
            if newest - _MOST_LOST > number:
                gap = f"{number} to {newest - _MOST_LOST - 1}"
                self._note(TruncatedReplay("expected fragments, found none", where=gap), f"fragments {gap}")
                number = newest - _MOST_LOST
        if not self.fragments.whole_on_arrival and (newest := self.fragments.newest() or 0) >= number:
            early = f"expected the end of the broadcast in fragment {newest}, the last one, found it before"
            self._note(CorruptReplay(early, where=f"{number - 1}/{DELTA}"), f"fragments {number} to {newest}")
        yield self._end(description.get("tps"))

    # -- fragments --------------------------------------------------------------------------------------

    def _part(self, number: int, kind: str) -> bytes | None:
        """Return a part; None if it is missing or empty, empty bytes if it is damaged as a whole."""
        self._damaged = False
        try:
            return self.fragments.part(number, kind) or None
        except ReplayError as error:
            part = error.where = f"{number}/{kind}"
            self._note(error, f"all of {part}")
            self._damaged = True
            return b""

    def _fragment(self, number: int) -> Generator[bool, None, int]:
        """Append one fragment, yielding after each step. Return the highest number known to be available."""
        full_done = self._known and not self.fragments.has_all()
        while True:
            if not full_done:
                full = self._whole_part(number, FULL)
                if full is not None:
                    full_done = True
                    if made := self._full(number, full):
                        yield made
            delta = self._whole_part(number, DELTA)
            if delta is not None:
                break
            newest = self.fragments.newest()
            if newest is not None and newest > number:
                delta = self._part(number, DELTA)  # it may have arrived meanwhile
                break
            yield False
        part = f"{number}/{DELTA}"
        if delta is None:
            missing = TruncatedReplay("expected a fragment, found none", where=part)
            self._note(missing, f"all of {part}, and the state up to the next full fragment")
            self._damaged = True
            newest = number if newest is None else newest
        else:
            newest = number
            if made := self._delta(part, delta):
                yield made
        if delta is None or not made:
            self._of_nothing += 1
            if self._of_nothing > _MOST_OF_NOTHING:
                raise LimitExceeded(f"more than {_MOST_OF_NOTHING} fragments are missing or empty", where=part)
        if self._damaged:
            self._known, self._lost = False, True
        return newest

    def _whole_part(self, number: int, kind: str) -> bytes | None:
        """Return a part as `_part` does, but None for a part that is still being written.

        A part is complete once a later one exists.
        """
        data = self._part(number, kind)
        if data is None or self.fragments.whole_on_arrival or self.fragments.follow is None:
            return data
        try:
            for _ in fragment_frames(data, self._limits):
                pass
        except TruncatedReplay:
            newest = self.fragments.newest()
            return data if newest is not None and (kind == START or newest > number) else None
        except ReplayError:
            pass  # reported when the frames are read
        return data

    def _frames_of(self, part: str, data: bytes) -> Iterator[FragmentFrame]:
        """Yield the readable frames of a part, with packets decompressed."""
        try:
            for frame in fragment_frames(data, self._limits):
                if frame.compressed and frame.command in _PACKETS:
                    try:
                        payload = decompress(memoryview(frame.payload), self._limits.frame)
                    except ReplayError as error:
                        error.offset = frame.offset
                        error.locate(tick=frame.tick)
                        raise
                    frame = frame._replace(compressed=False, payload=bytes(payload))
                yield frame
        except ReplayError as error:
            self._damaged = True
            unknown = "" if self._known and part.endswith(FULL) else ", and the state up to the next full fragment"
            self._note(error.locate(where=part), f"the rest of {part}{unknown}")

    # -- frames of the demo ------------------------------------------------------------------------------

    def _add(self, offset: int, command: int, tick: int, payload: bytes, compressed: bool = False) -> None:
        """Append a frame in the form of a file, located at `offset` of the current part.

        For a packet, `payload` is its inner messages alone.
        """
        most = self._limits.frames
        if len(self._offsets) >= most:
            raise LimitExceeded(
                f"the broadcast has more frames than the limit of {most}", file=self.fragments.name
            )
        if self._taken + len(self._out) + len(payload) > self._most():
            limits = self._limits
            found = f"is larger than the limit of {limits.decompressed_input} bytes"
            if self._most() < limits.decompressed_input:
                found = f"expands to more than {limits.expansion} times its size"
            raise LimitExceeded(f"the broadcast {found}", file=self.fragments.name)
        head = _field_head(_INNER_MESSAGES, len(payload)) if command in _PACKETS else b""
        self._offsets.append(self._taken + len(self._out))
        self._inside.append(offset)
        for each in (command | (frames.COMPRESSED if compressed else 0), tick, len(head) + len(payload)):
            self._out += varuint(each, 32)
        self._out += head
        self._out += payload

    def _most(self) -> int:
        """Return the bound on the bytes of the demo that the parts so far allow."""
        expanded = max(ALWAYS_ALLOWED, self._limits.expansion * self.fragments.received)
        return min(self._limits.decompressed_input, expanded)

    def _anything(self) -> bool:
        """Return whether anything was added since the last call."""
        before, self._before = self._before, len(self._out)
        return self._before > before

    def _head(self, description: Mapping[str, Any]) -> bool:
        header = _field(1, frames.MAGIC)
        if isinstance(description.get("map"), str):
            header += _field(5, description["map"].encode("utf-8", "replace"))
        self._out += frames.MAGIC + bytes(frames.HEAD_SIZE - len(frames.MAGIC))
        self._begin_part("sync")
        self._add(0, frames.FILE_HEADER, _BEFORE_GAME, header)
        return self._anything()

    def _signon(self, number: int, data: bytes) -> bool:
        part = f"{number}/{START}"
        self._begin_part(part)
        for frame in self._frames_of(part, data):
            command, payload = frame.command, frame.payload
            if command == frames.STOP:
                self._ended = True
                break
            if command in _PACKETS:
                command = frames.SIGNON_PACKET
            self._add(frame.offset, command, _BEFORE_GAME, payload, frame.compressed)
        self._add(len(data), frames.SYNC_TICK, _BEFORE_GAME, b"")
        return self._anything()

    def _full(self, number: int, data: bytes) -> bool:
        """Append a full fragment: as packets if the state is unknown, else as full packets."""
        part = f"{number}/{FULL}"
        self._begin_part(part)
        check = self._known
        for frame in self._frames_of(part, data):
            command, payload = frame.command, frame.payload
            if command in _PACKETS and check:
                try:
                    payload = _field(2, _field(_INNER_MESSAGES, self._state_of(payload)))
                except ReplayError as error:
                    self._note(error.locate(where=part), "a state to check with and to seek by")
                    continue
                command = frames.FULL_PACKET
            elif command in _PACKETS:
                command = frames.PACKET
                self._known = True
            elif check or command == frames.STOP:
                continue
            self._add(frame.offset, command, frame.tick, payload, frame.compressed)
            self._tick = max(self._tick, frame.tick)
        return self._anything()

    def _delta(self, part: str, data: bytes) -> bool:
        self._begin_part(part)
        if other := self._clock.compare(data):
            self._note(other.locate(where=part), "the match to which the rows from here on belong")
        for frame in self._frames_of(part, data):
            command, payload = frame.command, frame.payload
            if command == frames.STOP:
                self._ended = True
                break
            if self._lost and not self._known:
                # A SYNC_TICK makes the reader forget the state: the next packets do not build on it.
                self._lost = False
                self._add(frame.offset, frames.SYNC_TICK, frame.tick, b"")
            if command in _PACKETS:
                command = frames.PACKET
            self._add(frame.offset, command, frame.tick, payload, frame.compressed)
            self._tick = max(self._tick, frame.tick)
        return self._anything()

    def _end(self, ticks_per_second: Any) -> bool:
        """Append Stop and FileInfo, which end a file."""
        self._begin_part("end")
        self._add(0, frames.STOP, self._tick, b"")
        info = ByteWriter()
        if isinstance(ticks_per_second, int | float) and 1 <= ticks_per_second <= 1000:
            info.write_bytes(b"\x0d" + struct.pack("<f", self._tick / ticks_per_second))
        for key, value in ((2, self._tick), (3, len(self._offsets))):
            info.write_varuint32(key << 3)
            info.write_varuint32(value)
        self._add(0, frames.FILE_INFO, self._tick, info.to_bytes())
        return self._anything()


class _File(io.RawIOBase):
    """Present the demo as a forward-only file; a read returns nothing while no data is available."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def read(self, size: int = -1, /) -> bytes:
        if not self._rest:
            self._rest = next(self._pieces, b"")
        piece, self._rest = (self._rest, b"") if size < 0 else (self._rest[:size], self._rest[size:])
        return piece


def open_broadcast(source: Source, limits: Limits, state_of: _StateOf, tick_of: _TickOf) -> Source:
    """Return the demo that the fragments of `source` make up: all available fragments, or a stream to follow."""
    fragments = source.fragments
    assert fragments is not None, "expected a broadcast"
    if fragments.follow is not None:
        return _followed(fragments, limits, state_of, tick_of)
    problems = list(source.problems)

    def note(error: ReplayError, cost: str) -> None:
        problems.append(Problem.from_error(error, cost=cost))

    demo = BroadcastDemo(fragments, limits, state_of, tick_of, note)
    out = demo.whole()
    if fragments.trouble:
        note(
            TruncatedReplay(f"expected an answer of the relay: {fragments.trouble}", where="relay"),
            "everything after this",
        )
    return Source(
        source.name, memoryview(out).toreadonly(), problems=problems, fragments=fragments, place=demo.place
    )


def _followed(fragments: Fragments, limits: Limits, state_of: _StateOf, tick_of: _TickOf) -> Source:
    demo: BroadcastDemo

    def open_file() -> BinaryIO:
        nonlocal demo
        demo = BroadcastDemo(fragments, limits, state_of, tick_of, lambda *lost: stream.losses.append(lost))
        return cast(BinaryIO, _File(demo.pieces()))

    stream = Stream(fragments.name, open_file, reopenable=True, follow=fragments.follow)
    stream.trouble = lambda: fragments.trouble
    head = stream.peek(frames.HEAD_SIZE + 2)
    if not head:
        reason = fragments.trouble or "the relay has no fragments"
        raise TruncatedReplay(f"expected a broadcast, found none: {reason}", file=fragments.name)
    return Source(
        fragments.name,
        memoryview(head[:STREAM_HEAD]),
        stream=stream,
        fragments=fragments,
        place=lambda offset: demo.place(offset),
    )
