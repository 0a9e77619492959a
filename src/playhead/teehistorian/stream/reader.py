"""`MessageReader`: decodes bytes to messages with their ticks in one pass, without an object per message.

The file does not contain the tick of a message; it follows from this rule, which agrees with DDNet's debug log for
every message. State: `tick` = 0, `last` = +infinity.

* TICK_SKIP dt: ``tick += dt + 1``, ``last = -1``.
* PLAYER_DIFF, PLAYER_NEW, PLAYER_OLD of client c: if ``c <= last`` then ``tick += 1``; always ``last = c``.
* Every other message belongs to the current tick and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from uuid import UUID

from playhead.bits.byte_reader import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError
from playhead.runtime import cython
from playhead.teehistorian.stream import messages
from playhead.teehistorian.stream.text import decode_text
from playhead.teehistorian.stream.ticks import (
    InputDiff,
    InputNew,
    PlayerDiff,
    PlayerNew,
    PlayerOld,
    TickSkip,
)

if TYPE_CHECKING:
    from playhead.teehistorian.stream.messages import Message


if not cython.compiled:
    from playhead.teehistorian.stream.ticks import INPUT_LENGTH, MAX_CLIENTS

    # The same numbers as the enums in the .pxd.
    PLAYER_DIFF, FINISH, TICK_SKIP, PLAYER_NEW, PLAYER_OLD, INPUT_DIFF = range(0, -6, -1)
    INPUT_NEW, NET_MESSAGE, JOIN, DROP, CONSOLE_COMMAND, EXTRA = range(-6, -12, -1)
    KINDS = 12
    LAST_TICK, BEFORE_FIRST_TICK, FIRST_ISSUER, WIDTH = 0x7FFFFFFE, 0x7FFFFFFF, -3, 16

#: The highest tick: ticks are signed 32-bit integers, and an input acts on the tick after its own.
MAX_TICK = 0x7FFFFFFE

_UUID_SIZE = 16

#: Number of packed ints after the message id, by the negated id.
_LENGTHS = {0: 2, 2: 1, 3: 3, 4: 1, 5: 11, 6: 11, 7: 2, 8: 1, 9: 1, 10: 2}


@cython.final
@cython.cclass
class MessageReader:
    """Reads the messages of a buffer, from its beginning or from `offset`.

    `advance` decodes one message into the attributes; iteration yields ``(tick, message)`` with the records of
    `stream.messages`. Reading ends at the end of the buffer or after FINISH; the caller interprets the end by
    `finished` and `end_offset`.

    If a message cannot be decoded, `tick` and `end_offset` keep their values of the message before. After
    `TruncatedReplay`, call `continue_with` with the bytes from `end_offset` on.

    Attributes:
        kind: message id; 0 for every PLAYER_DIFF (see `playhead.teehistorian.stream.messages.MessageKind`).
        cid: client of the message; -1 if it has none (see `ConsoleCommand.cid` for other values).
        tick: tick of the message.
        payload_size: bytes of a network message, a drop's reason, a command and its arguments, or an extension's
            data (without UUID and size).
        finished: FINISH was read.
        values: (compiled callers) the ints after the message id, in file order: dx and dy of a PLAYER_DIFF; the
            client id first in every other message with one.

    Errors carry the offset of the message's first byte and the tick reached:
        TruncatedReplay: the buffer ends within a message.
        CorruptReplay: a message id below -11 (below -10 in version 1, which has no EX), a client id outside 0 …
            127, a size below 0, or a tick that does not fit.
        LimitExceeded: a payload is larger than `max_payload`, a text is larger than `max_string`, a command has
            more than `max_arguments`, or there are more than `max_messages`.
    """

    def __init__(
        self,
        data: Buffer,
        offset: int = 0,
        *,
        version: int = 2,
        max_payload: int = 64 << 20,
        max_string: int = 1 << 20,
        max_arguments: int = 1 << 20,
        max_messages: int = 1 << 62,
    ) -> None:
        self._reader = ByteReader(data, offset)
        self._base = 0
        self._version = version
        self._max_payload = max_payload
        self._max_string = max_string
        self._max_arguments = max_arguments
        self._max_messages = self._messages_left = max_messages
        self._last = BEFORE_FIRST_TICK
        self._start = self._next = self._payload = offset
        self._size = offset + self._reader.remaining()
        self.payload_size = 0
        self.finished = False
        self.kind = 0
        self.cid = -1
        self.tick = 0
        self._tick_object = None  # `tick` as a Python object, created once per tick
        self._tick_in_object = 0
        # The last two records of the most frequent messages, for reuse: a loop still holds one during `__next__`.
        self._pair = self._former_pair = None
        if not cython.compiled:
            self.values = [0] * WIDTH
            self._lengths = [0] * WIDTH
        for negated, length in _LENGTHS.items():
            self._lengths[negated] = length

    if cython.compiled:

        def __cinit__(self, *_args: Any, **_kwargs: Any) -> None:
            self._reader = ByteReader(b"")  # a reader without __init__ has nothing to read

    @property
    def offset(self) -> int:
        """Offset of the first byte of the current message."""
        return self._base + self._start

    def end_offset(self) -> cython.ulonglong:
        """Offset after the current message, the first byte of the next one."""
        return self._base + self._next

    def start_offset(self) -> cython.ulonglong:
        """`offset` for compiled callers."""
        return self._base + self._start

    @property
    def last_cid(self) -> int:
        """Client of the last position record of the tick; -1 without one, 0x7FFFFFFF before the first tick.

        Together with `tick` and `end_offset` it is the reader's state, which `jump` restores.
        """
        return self._last

    def jump(self, offset: int, tick: int, last_cid: int) -> None:
        """Set the state to these values of `end_offset`, `tick` and `last_cid`, in a buffer that begins at offset
        0."""
        self._reader.seek(offset)
        self._start = self._next = self._payload = offset
        self.payload_size = 0
        self.tick = tick
        self._last = last_cid
        self.finished = False
        self.kind = 0
        self.cid = -1

    def continue_with(self, data: Buffer) -> None:
        """Continue in a new buffer whose first byte is the one at `end_offset`.

        For growing files and for streams. Offsets continue; payloads of earlier messages are no longer available.
        """
        self._base = self._base + self._next
        self._start = self._next = self._payload = self.payload_size = 0
        self._reader = ByteReader(data)
        self._size = self._reader.remaining()

    def advance(self) -> cython.bint:
        """Decode the next message; return False at the end of the buffer or after FINISH."""
        try:
            return self.step()
        except ReplayError as error:
            self.locate(error)
            raise

    def advance_to_rare(self) -> bool:
        """Skip to the next NET_MESSAGE, JOIN, DROP, CONSOLE_COMMAND or EX, as `advance`."""
        try:
            while self.step():
                if self.kind <= NET_MESSAGE:
                    return True
        except ReplayError as error:
            self.locate(error)
            raise
        return False

    def advance_past(self, tick: cython.int) -> bool:
        """Skip to the first message after `tick`, as `advance`."""
        try:
            while self.step():
                if self.tick > tick:
                    return True
        except ReplayError as error:
            self.locate(error)
            raise
        return False

    def step(self) -> cython.bint:
        """`advance` for compiled loops: a caller that catches an error passes it to `locate`."""
        if self._next == self._size or self.finished:
            return False
        if not self._messages_left:
            raise LimitExceeded(f"there are more messages than the limit of {self._max_messages}")
        self._decode()
        self._messages_left -= 1
        self._start = self._next
        self._next = self._reader._pos
        return True

    def locate(self, error: ReplayError) -> ReplayError:
        """Set the position of an error of `step`, and return to the end of the last message."""
        self._reader.seek(self._next)
        error.offset = self._base + self._next
        error.tick = self.tick
        return error

    def _decode(self) -> cython.int:
        found: cython.longlong = self._reader.read_packed_record(self.values, self._lengths, KINDS)
        kind: cython.int = cython.cast(cython.int, found)
        cid: cython.int = self.values[0]  # mostly the first branch
        if kind >= 0:
            cid = self._checked_cid(kind)
            kind = PLAYER_DIFF
            self._step_player(cid)
        elif kind in (INPUT_DIFF, INPUT_NEW):
            self._checked_cid(cid)
        elif kind == TICK_SKIP:
            self._step_skip(cid)
            cid = -1
        elif kind in (PLAYER_NEW, PLAYER_OLD):
            self._step_player(self._checked_cid(cid))
        elif kind == NET_MESSAGE:
            self._checked_cid(cid)
            self._skip_payload(self.values[1])
        elif kind == JOIN:
            self._checked_cid(cid)
        elif kind == DROP:
            self._checked_cid(cid)
            self._skip_strings(1)
        elif kind == CONSOLE_COMMAND:
            if cid < FIRST_ISSUER or cid >= MAX_CLIENTS:
                raise CorruptReplay(f"expected a client id from -3 to 127 of a command, found {cid}")
            self._skip_command()
        elif kind == FINISH:
            self.finished = True
            cid = -1
        elif kind == EXTRA and self._version >= 2:
            self._reader.skip(_UUID_SIZE)
            self._skip_payload(self._reader.read_packed_int())
            cid = -1
        else:
            lowest = EXTRA if self._version >= 2 else CONSOLE_COMMAND
            raise CorruptReplay(f"expected a message id of {lowest} or more, found {kind}")
        self.kind = kind
        self.cid = cid
        return 0

    def _checked_cid(self, cid: cython.int) -> cython.int:
        if cid < 0 or cid >= MAX_CLIENTS:
            raise CorruptReplay(f"expected a client id from 0 to 127, found {cid}")
        return cid

    def _step_player(self, cid: cython.int) -> cython.int:
        if cid <= self._last:
            if self.tick >= LAST_TICK:
                raise CorruptReplay("expected ticks to fit 31 bits, found one more")
            self.tick += 1
        self._last = cid
        return 0

    def _step_skip(self, dt: cython.int) -> cython.int:
        if dt < 0 or dt >= LAST_TICK - self.tick:
            raise CorruptReplay(f"expected a skip of 0 to {MAX_TICK - self.tick - 1} ticks, found {dt}")
        self.tick += dt + 1
        self._last = -1
        return 0

    def _skip_payload(self, size: cython.longlong) -> cython.int:
        if size < 0:
            raise CorruptReplay(f"expected a size of 0 or more bytes, found {size}")
        count: cython.ulonglong = cython.cast(cython.ulonglong, size)
        if count > self._max_payload:
            raise LimitExceeded(f"a message of {size} bytes is above the limit of {self._max_payload}")
        self._payload = self._reader.tell()
        self._reader.skip(count)
        self.payload_size = count
        return 0

    def _skip_strings(self, count: cython.longlong) -> cython.int:
        payload: cython.ulonglong = self._reader.tell()
        while count > 0:
            length: cython.longlong = self._reader.skip_cstring()
            if length > self._max_string:
                raise LimitExceeded(f"a text of {length} bytes is above the limit of {self._max_string}")
            count -= 1
        self._payload = payload
        self.payload_size = self._reader.tell() - payload
        return 0

    def _skip_command(self) -> cython.int:
        """Return the command's name, the number of its arguments, and the arguments."""
        payload: cython.ulonglong = self._reader.tell()
        self._skip_strings(1)
        count: cython.longlong = self._reader.read_packed_int()
        if count < 0:
            raise CorruptReplay(f"expected 0 or more arguments of a command, found {count}")
        if count > self._max_arguments:
            raise LimitExceeded(f"{count} arguments of a command are above the limit of {self._max_arguments}")
        self._skip_strings(count)
        self._payload = payload
        self.payload_size = self._reader.tell() - payload
        return 0

    def raw(self) -> bytes:
        """Return the bytes of the current message."""
        self._reader.seek(self._start)
        return self._reader.read_bytes(self._next - self._start)

    def payload(self) -> bytes:
        """Return the `payload_size` raw bytes of the current message."""
        self._reader.seek(self._payload)
        data = self._reader.read_bytes(self.payload_size)
        self._reader.seek(self._next)
        return data

    def _uuid(self) -> UUID:
        # The ints between the message id and the size of the payload.
        self._reader.seek(self._start)
        self._reader.read_packed_int()
        raw = self._reader.read_bytes(_UUID_SIZE)
        self._reader.seek(self._next)
        return UUID(bytes=raw)

    def message(self) -> Message:
        """Return the current message as a record of `playhead.teehistorian.stream.messages`."""
        kind: cython.int = self.kind
        i: cython.int
        if kind == PLAYER_DIFF:
            moved: PlayerDiff = PlayerDiff.__new__(PlayerDiff)
            moved.cid = self.cid
            moved.dx = self.values[0]
            moved.dy = self.values[1]
            return moved
        if kind == INPUT_DIFF:
            if not cython.compiled:
                return InputDiff(self.cid, self.values[1 : INPUT_LENGTH + 1])
            changed: InputDiff = InputDiff.__new__(InputDiff)
            changed.cid = self.cid
            for i in range(INPUT_LENGTH):
                changed._values[i] = self.values[i + 1]
            return changed
        if kind == INPUT_NEW:
            if not cython.compiled:
                return InputNew(self.cid, self.values[1 : INPUT_LENGTH + 1])
            pressed: InputNew = InputNew.__new__(InputNew)
            pressed.cid = self.cid
            for i in range(INPUT_LENGTH):
                pressed._values[i] = self.values[i + 1]
            return pressed
        if kind == TICK_SKIP:
            return TickSkip(self.values[0])
        if kind == PLAYER_NEW:
            return PlayerNew(self.cid, self.values[1], self.values[2])
        if kind == PLAYER_OLD:
            return PlayerOld(self.cid)
        if kind == NET_MESSAGE:
            return messages.NetMessage(self.cid, self.payload())
        if kind == JOIN:
            return messages.Join(self.cid)
        if kind == DROP:
            return messages.Drop(self.cid, decode_text(self.payload()[:-1]))
        if kind == CONSOLE_COMMAND:
            reader = ByteReader(self.payload())
            command = decode_text(reader.read_cstring())
            count = reader.read_packed_int()
            arguments = tuple([decode_text(reader.read_cstring()) for _ in range(count)])
            return messages.ConsoleCommand(self.cid, self.values[1], command, arguments)
        if kind == EXTRA:
            return messages.Extra(self._uuid(), self.payload())
        return messages.Finish()

    def __iter__(self) -> Iterator[tuple[int, Message]]:
        return self

    def __next__(self) -> tuple[int, Message]:
        if not self.advance():
            raise StopIteration
        if self._tick_object is None or self.tick != self._tick_in_object:
            self._tick_object = self.tick
            self._tick_in_object = self.tick
        message = self.message()
        if cython.compiled and self.kind in (PLAYER_DIFF, INPUT_DIFF):
            self._pair, self._former_pair = self._former_pair, self._pair
            if not refill_pair(cython.cast(cython.p_void, self._pair), self._tick_object, message):
                self._pair = (self._tick_object, message)
            return self._pair
        return self._tick_object, message
