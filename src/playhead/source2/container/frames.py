"""The outer stream of a demo: a head of 16 bytes, then frames to the end of the file.

Head: ``PBDEMS2\\0``, the absolute offsets of the FileInfo frame and of the SpawnGroups frame, both int32 and both
0 in a truncated recording. Frame: varuint32 command (bit 0x40: the payload is a Snappy block), varuint32 tick,
varuint32 size, payload. The Stop frame is not the last: SpawnGroups and FileInfo follow it. Verified on Dota 2,
CS2 and Deadlock recordings.

Frames before SyncTick, or before the first packet of the game if there is no SyncTick, are the sign-on. A
server's recorder gives them tick 0xFFFFFFFF, that is -1. A player's client gives them the ticks of its own
connection, unrelated to those of the game (4005 to 4021 in a Dota 2 recording whose game begins at 0). Here they
have tick -1.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from playhead.bits.byte_reader import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnsupportedVersion
from playhead.limits import Limits
from playhead.runtime import cython
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.container.snappy import decompress

if not cython.compiled:
    from playhead.bits.byte_reader import take_varuint32

MAGIC = b"PBDEMS2\0"
HEAD_SIZE = 16
COMPRESSED = 0x40
# A number shares its byte with the compression bit; the highest known one is 18.
_HIGHEST_COMMAND = 0x7F

STOP = 0
FILE_HEADER = 1
FILE_INFO = 2
SYNC_TICK = 3
SEND_TABLES = 4
CLASS_INFO = 5
STRING_TABLES = 6
PACKET = 7
SIGNON_PACKET = 8
USER_COMMAND = 12
FULL_PACKET = 13
SPAWN_GROUPS = 15

# After damage, a chain of this many frames counts as valid frames if no command is above the highest known one
# and each tick is at most this much (an hour of the fastest game) after the one before. Random bytes rarely form
# such a chain. In a sign-on, where all ticks are -1, a wrong offset may yield a frame or two.
_HIGHEST_KNOWN_COMMAND = 18
_LONGEST_WAIT = 64 * 3600
_CHAIN = 8
# Up to this many frames before an error may be misread, because payload bytes can look like a frame head.
_MISREAD = 64
# Bound on searches for valid frames after damage, per file.
_MOST_GAPS = 64

# Commands that end the sign-on.
_GAME_BEGINS = frozenset((SYNC_TICK, PACKET, FULL_PACKET))


class Head(NamedTuple):
    """Offsets in the head; 0 in a truncated recording."""

    file_info: int
    spawn_groups: int


class Frame(NamedTuple):
    """One outer frame, without its payload.

    Attributes:
        offset: offset of the frame in the file.
        command: EDemoCommands number, without the compression bit.
        tick: demo tick; -1 for sign-on frames, regardless of the file.
        compressed: whether the payload is a Snappy block.
        payload: offset of the payload in the file.
        size: stored bytes of the payload.
    """

    offset: int
    command: int
    tick: int
    compressed: bool
    payload: int
    size: int


def read_head(data: memoryview) -> Head:
    """Return the offsets in the head."""
    magic = bytes(data[:8])
    if magic == b"PBUFDEM\0":
        raise UnsupportedVersion(
            "a Dota 2 demo of the Source 1 engine (before September 2015); only Source 2 is supported"
        )
    if magic == b"HL2DEMO\0":
        raise UnsupportedVersion("a Source 1 demo (CS:GO, TF2 …); only Source 2 is supported")
    if magic != MAGIC:
        raise CorruptReplay(f"expected the magic bytes {MAGIC!r}", where="head", offset=0)
    reader = ByteReader(data, len(MAGIC))
    try:
        head = Head(reader.read_i32(), reader.read_i32())
    except TruncatedReplay as error:
        raise error.locate(where="head") from None
    if _is_file_header(data, HEAD_SIZE):
        return head
    if _is_file_header(data, 12):
        raise UnsupportedVersion(
            "a Source 2 demo of the 2014 workshop alpha (its head has 12 bytes, not 16); only later ones are read"
        )
    if len(data) <= HEAD_SIZE:
        raise TruncatedReplay("expected a FileHeader frame, found the end of the file", offset=HEAD_SIZE)
    raise CorruptReplay("expected a FileHeader frame after the head", offset=HEAD_SIZE)


def _is_file_header(data: memoryview, offset: int) -> bool:
    """Return whether a FileHeader frame begins at `offset`; a truncated one counts if its first bytes match."""
    try:
        reader = ByteReader(data, offset)
        if reader.read_u8() & ~COMPRESSED != FILE_HEADER:
            return False
        reader.read_varuint32()
        reader.skip(reader.read_varuint32())
    except TruncatedReplay:
        return offset == HEAD_SIZE and len(data) > HEAD_SIZE
    except ReplayError:
        return False
    return True


def ends_signon(command: int) -> bool:
    """Return whether a frame of that command ends the sign-on."""
    return command in _GAME_BEGINS


def read_frame(data: memoryview, offset: int, limits: Limits) -> Frame:
    """Return the frame at `offset`, with the tick that the file has."""
    reader: ByteReader = ByteReader(data, offset)
    try:
        command: cython.longlong = reader.read_varuint32()
        tick: cython.longlong = reader.read_varuint32()
        size: cython.longlong = reader.read_varuint32()
    except TruncatedReplay:
        raise TruncatedReplay(
            f"expected the head of a frame, but only {len(data) - offset} bytes are left", offset=offset
        ) from None
    if command > _HIGHEST_COMMAND:
        raise CorruptReplay(f"expected a command below {_HIGHEST_COMMAND + 1}, found {command}", offset=offset)
    # The tick is a signed 32-bit number: sign-on frames have -1.
    if tick > 0x7FFFFFFF:
        tick = tick - 0x7FFFFFFF - 0x7FFFFFFF - 2
    if size > limits.frame:
        raise LimitExceeded(
            f"a frame of {size} bytes is over the limit of {limits.frame}", offset=offset, tick=tick
        )
    payload: cython.longlong = reader.tell()
    if size > len(data) - payload:
        raise TruncatedReplay(
            f"expected a frame of {size} bytes, but only {len(data) - payload} are left", offset=offset, tick=tick
        )
    return Frame(offset, command & ~COMPRESSED, tick, bool(command & COMPRESSED), payload, size)


@cython.final
@cython.cclass
class FrameIndex:
    """Index of the frame heads of a recording: a sequence that creates each `Frame` on access.

    Attributes:
        gaps: number of the frame after each gap → offset of the first skipped byte.
    """

    # stub: class FrameIndex(Sequence[Frame]):
    # stub: def __getitem__(self, number: int) -> Frame: ...
    # stub: def __getitem__(self, number: slice) -> list[Frame]: ...

    def __init__(self) -> None:
        self._array = array("q")
        self._count = 0
        self._searches = 0
        self._signon = True
        self.gaps = {}

    def read(
        self, data: memoryview, limits: Limits, until: int = -1, start: int = HEAD_SIZE, stop: int = 1 << 62
    ) -> int:
        """Append frames from byte `start` on, up to the first of command `until` or at byte `stop` or later.

        Returns:
            The offset after the last appended frame.

        Raises:
            LimitExceeded: there are more frames than `limits.frames`; the earlier ones are kept.
            ReplayError: as `read_frame`; the frames before it are kept.
        """
        most_frames: cython.Py_ssize_t = limits.frames
        last: cython.longlong = until
        offset: cython.longlong = start
        end: cython.longlong = len(data)
        before: cython.longlong = min(end, stop)
        most: cython.longlong = limits.frame
        highest: cython.longlong = _HIGHEST_COMMAND
        uncompressed: cython.longlong = ~COMPRESSED
        reader: ByteReader = ByteReader(data, start)
        try:
            while offset < before:
                command: cython.longlong = take_varuint32(reader)
                tick: cython.longlong = take_varuint32(reader)
                size: cython.longlong = take_varuint32(reader)
                if self._count >= most_frames:
                    raise LimitExceeded(f"there are more frames than the limit of {most_frames}", offset=offset)
                payload: cython.longlong = reader.tell()
                if command > highest or size > most or size > end - payload:
                    read_frame(data, offset, limits)
                if command & uncompressed == last:
                    return int(offset)
                if tick > 0x7FFFFFFF:
                    tick = tick - 0x7FFFFFFF - 0x7FFFFFFF - 2
                if self._signon:
                    if ends_signon(command & uncompressed):
                        self._signon = False
                    else:
                        tick = -1
                self._append(offset, command, tick, payload, size)
                reader.skip(size)
                offset = payload + size
        except ReplayError:
            read_frame(data, offset, limits)  # raises the error of a frame that is cut
            raise
        return int(offset)

    def find_again(self, data: memoryview, limits: Limits) -> int | None:
        """Return the offset of the next valid frame after the damage at which `read` failed; None if none is
        found.

        Removes the damaged frame, which is the last with a valid head, and the misread frames after it.
        """
        if self._searches >= _MOST_GAPS or not 0 < self._count < limits.frames:
            return None
        self._searches += 1
        kept = self._count - 1
        for number in range(self._count - 1, max(0, self._count - _MISREAD), -1):
            frame, last = self[number], self[number - 1]
            if not _may_follow(last.tick, frame.command, frame.tick):
                kept = number - 1
        # Each search begins after the gap of the one before.
        kept = max(kept, max(self.gaps, default=0))
        damaged = self[kept]
        before = self[kept - 1].tick if kept else -1
        found = _find_frames(data, damaged.offset + 1, before, limits.frame)
        if found < 0:
            return None
        self._count = kept
        self._signon = before < 0
        if not cython.compiled:
            del self._array[5 * kept :]
        self.gaps.setdefault(kept, damaged.offset)
        return int(found)

    def _append(
        self,
        offset: cython.longlong,
        command: cython.longlong,
        tick: cython.longlong,
        payload: cython.longlong,
        size: cython.longlong,
    ) -> cython.int:
        at: cython.Py_ssize_t = 5 * self._count
        if cython.compiled:
            if at + 5 > len(self._array):
                resize(self._array, max(5 * 256, at + at // 2))
            numbers: cython.p_longlong = self._array.data.as_longlongs
            numbers[at] = offset
            numbers[at + 1] = command
            numbers[at + 2] = tick
            numbers[at + 3] = payload
            numbers[at + 4] = size
        else:
            self._array.extend((offset, command, tick, payload, size))
        self._count += 1
        return 0

    def numbers_of(self, command: int) -> list[int]:
        """Return the numbers of the frames of that command."""
        found = []
        number: cython.Py_ssize_t
        wanted: cython.longlong = command
        uncompressed: cython.longlong = ~COMPRESSED
        numbers: cython.p_longlong = self._array.data.as_longlongs if cython.compiled else self._array
        for number in range(self._count):
            if numbers[5 * number + 1] & uncompressed == wanted:
                found.append(number)
        return found

    def highest_tick(self) -> int | None:
        """Return the highest tick of all frames; None without frames."""
        found: cython.longlong = -1
        number: cython.Py_ssize_t
        numbers: cython.p_longlong = self._array.data.as_longlongs if cython.compiled else self._array
        for number in range(self._count):
            if number == 0 or numbers[5 * number + 2] > found:
                found = numbers[5 * number + 2]
        return found if self._count else None

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int | slice) -> Any:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(self._count))]
        if number < 0:
            number += self._count
        if not 0 <= number < self._count:
            raise IndexError(f"there are {self._count} frames")
        return self._frame(number)

    def __iter__(self) -> Iterator[Frame]:
        return (self._frame(number) for number in range(self._count))

    def _frame(self, number: cython.Py_ssize_t) -> object:
        at: cython.Py_ssize_t = 5 * number
        numbers: cython.p_longlong = self._array.data.as_longlongs if cython.compiled else self._array
        command: cython.longlong = numbers[at + 1]
        compressed: cython.bint = (command & COMPRESSED) != 0
        command &= ~COMPRESSED
        return tuple.__new__(
            Frame, (numbers[at], command, numbers[at + 2], compressed, numbers[at + 3], numbers[at + 4])
        )

    def columns(self) -> list[array[int]]:
        """Return five columns: offset, command with the compression bit, tick, payload offset, payload size."""
        return [self._array[field : 5 * self._count : 5] for field in (0, 1, 2, 3, 4)]


Sequence.register(FrameIndex)


def command_counts(commands: array[int]) -> dict[int, int]:
    """Return the number of frames by command, given the second of `FrameIndex.columns`."""
    counts: array = array("q", bytes(8 * COMPRESSED))
    count: cython.longlong[::1] = counts
    command: cython.longlong[::1] = commands
    uncompressed: cython.longlong = COMPRESSED - 1
    number: cython.Py_ssize_t
    for number in range(len(commands)):
        count[command[number] & uncompressed] += 1
    return {each: found for each, found in enumerate(counts) if found}


def packet_ticks(commands: array[int], ticks: array[int], sizes: array[int]) -> tuple[Any, ...]:
    """Return, of three of `FrameIndex.columns`, the highest tick of packets and full packets, or -1; the first two
    ticks in a row with a lower second one, without user commands; the tick of the first empty packet."""
    command: cython.longlong[::1] = commands
    tick: cython.longlong[::1] = ticks
    size: cython.longlong[::1] = sizes
    packet: cython.longlong = PACKET
    full_packet: cython.longlong = FULL_PACKET
    user_command: cython.longlong = USER_COMMAND
    uncompressed: cython.longlong = ~COMPRESSED
    last: cython.longlong = -1
    before: cython.longlong = -1
    fallen = empty = None
    number: cython.Py_ssize_t
    for number in range(len(commands)):
        if command[number] & uncompressed == user_command:
            continue
        if tick[number] < before and fallen is None:
            fallen = (before, tick[number])
        before = tick[number]
        if command[number] & uncompressed in (packet, full_packet):
            if tick[number] > last:
                last = tick[number]
            if not size[number] and empty is None:
                empty = tick[number]
    return last, fallen, empty


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _may_follow(before: cython.longlong, command: cython.longlong, tick: cython.longlong) -> cython.bint:
    """Return whether a frame of that command and tick plausibly follows one of tick `before`."""
    return command <= _HIGHEST_KNOWN_COMMAND and before <= tick <= before + _LONGEST_WAIT


@cython.cfunc
@cython.exceptval(-2, check=False)
def _find_frames(
    data: Any, start: cython.longlong, before: cython.longlong, most: cython.longlong
) -> cython.longlong:
    """Return the first offset from `start` on at which a chain of frames begins; -1 if none is found."""
    reader: ByteReader = ByteReader(data, 0)
    end: cython.longlong = len(data)
    offset: cython.longlong
    for offset in range(start, end):
        reader.seek(offset)
        command: cython.longlong = reader.read_u8()
        if command & ~COMPRESSED <= _HIGHEST_KNOWN_COMMAND and _begins_chain(reader, offset, end, before, most):
            return offset
    return -1


@cython.cfunc
@cython.exceptval(-1, check=False)
def _begins_chain(
    reader: ByteReader,
    offset: cython.longlong,
    end: cython.longlong,
    before: cython.longlong,
    most: cython.longlong,
) -> cython.int:
    """Return whether a chain of frames begins at `offset`: `_CHAIN` frames, or fewer up to FileInfo."""
    count: cython.int = 0
    command: cython.longlong = -1
    stopped: cython.bint = False
    reader.seek(offset)
    try:
        while reader.remaining():
            command = reader.read_varuint32()
            tick: cython.longlong = reader.read_varuint32()
            size: cython.longlong = reader.read_varuint32()
            payload: cython.longlong = reader.tell()
            if tick > 0x7FFFFFFF:
                tick = tick - 0x7FFFFFFF - 0x7FFFFFFF - 2
            if size > most or size > end - payload or not _may_follow(before, command & ~COMPRESSED, tick):
                return False
            if command & COMPRESSED:
                unpacked: cython.longlong = reader.read_varuint32()
                # Snappy stores 64 bytes in three at best, and adds a sixth and 32 bytes at worst.
                if unpacked > 22 * size or size > 32 + unpacked + unpacked // 6:
                    return False
            command &= ~COMPRESSED
            reader.seek(payload + size)
            before = tick
            count += 1
            # Zeros look like Stop frames.
            stopped = stopped or command == STOP
            if count >= _CHAIN and not stopped:
                return True
            if count > _CHAIN:
                return False
    except ReplayError:
        return False
    return count > 1 and command == FILE_INFO


def iterate_frames(data: memoryview, limits: Limits) -> Iterator[Frame]:
    """Yield every frame to the end of the file, from frame heads alone.

    Raises:
        ReplayError: as `read_frame`, after yielding the frames before it.
    """
    offset = HEAD_SIZE
    signon = True
    while offset < len(data):
        frame = read_frame(data, offset, limits)
        signon = signon and not ends_signon(frame.command)
        yield frame._replace(tick=-1) if signon else frame
        offset = frame.payload + frame.size


def frame_data(data: memoryview, frame: Frame, limits: Limits) -> bytes | memoryview:
    """Return the decompressed payload of a frame."""
    start: cython.longlong = frame.payload
    size: cython.longlong = frame.size
    return stored_data(data[start : start + size], frame, limits)


def stored_data(stored: memoryview, frame: Frame, limits: Limits) -> bytes | memoryview:
    """As `frame_data`, given only the stored bytes of the payload."""
    if not frame.compressed:
        return stored
    try:
        return decompress(stored, limits.frame)
    except ReplayError as error:
        error.offset = frame.offset
        raise error.locate(tick=frame.tick) from None
