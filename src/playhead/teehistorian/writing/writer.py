"""Writes teehistorian files: message records as they are, or a recording at the level of ticks and tees.

Integers are written in their shortest form, as DDNet does, so that records read from a real file give its bytes
again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.bits import ByteWriter
from playhead.teehistorian.stream.extensions import Extension, encode_extension
from playhead.teehistorian.stream.header import MAGIC, Header, encode_header
from playhead.teehistorian.stream.inputs import Input
from playhead.teehistorian.stream.int32 import add_int32
from playhead.teehistorian.stream.messages import (
    MAX_CLIENTS,
    ConsoleCommand,
    Drop,
    Extra,
    Finish,
    InputDiff,
    InputNew,
    Join,
    Message,
    MessageKind,
    NetMessage,
    PlayerDiff,
    PlayerNew,
    PlayerOld,
    TickSkip,
)
from playhead.teehistorian.stream.text import encode_text


def _write(out: ByteWriter, message: Message) -> None:
    match message:
        case PlayerDiff(cid, dx, dy):
            _ints(out, cid, dx, dy)
        case Finish():
            _ints(out, MessageKind.FINISH)
        case TickSkip(dt):
            _ints(out, MessageKind.TICK_SKIP, dt)
        case PlayerNew(cid, x, y):
            _ints(out, MessageKind.PLAYER_NEW, cid, x, y)
        case PlayerOld(cid):
            _ints(out, MessageKind.PLAYER_OLD, cid)
        case InputDiff(cid, values):
            _ints(out, MessageKind.INPUT_DIFF, cid, *values)
        case InputNew(cid, values):
            _ints(out, MessageKind.INPUT_NEW, cid, *values)
        case NetMessage(cid, data):
            _ints(out, MessageKind.NET_MESSAGE, cid, len(data))
            out.write_bytes(data)
        case Join(cid):
            _ints(out, MessageKind.JOIN, cid)
        case Drop(cid, reason):
            _ints(out, MessageKind.DROP, cid)
            out.write_cstring(encode_text(reason))
        case ConsoleCommand(cid, flags, command, arguments):
            _ints(out, MessageKind.CONSOLE_COMMAND, cid, flags)
            out.write_cstring(encode_text(command))
            _ints(out, len(arguments))
            for argument in arguments:
                out.write_cstring(encode_text(argument))
        case Extra(uuid, data):
            _ints(out, MessageKind.EXTRA)
            out.write_bytes(uuid.bytes)
            _ints(out, len(data))
            out.write_bytes(data)


def _ints(out: ByteWriter, *values: int) -> None:
    for value in values:
        out.write_packed_int(value)


def encode_message(message: Message) -> bytes:
    """Return the bytes of one message."""
    out = ByteWriter()
    _write(out, message)
    return out.to_bytes()


class TeehistorianWriter:
    """Collects a recording; `to_bytes` gives it.

    `write` puts down a message as it is. The other methods are for telling a story: `set_tick` says when,
    `tee_at`, `tee_gone`, `set_input` say what, and the writer finds the messages, with a TICK_SKIP wherever
    DDNet's own writer puts one. Both may be mixed. Within a tick the positions of tees go by ascending client id.
    """

    def __init__(self, header: Header | Mapping[str, Any]) -> None:
        """`header`: one that was read, written again byte by byte, or the fields of a new one."""
        self._out = ByteWriter()
        if isinstance(header, Header):
            self._out.write_bytes(MAGIC + header.raw + b"\0")
        else:
            self._out.write_bytes(encode_header(header))
        self._tick = 0  # what is asked for
        self._written_tick = 0  # what a reader makes of the messages so far
        self._last_cid = MAX_CLIENTS
        self._tees: dict[int, tuple[int, int]] = {}
        self._inputs: dict[int, Input] = {}

    def to_bytes(self) -> bytes:
        """Everything written so far."""
        return self._out.to_bytes()

    def write(self, message: Message) -> None:
        """Put down one message as it is, in the tick that the messages before it make."""
        _write(self._out, message)
        match message:
            case TickSkip(dt):
                self._written_tick += dt + 1
                self._last_cid = -1
            case PlayerDiff(cid) | PlayerNew(cid) | PlayerOld(cid):
                if cid <= self._last_cid:
                    self._written_tick += 1
                self._last_cid = cid
            case _:
                pass
        self._tick = max(self._tick, self._written_tick)

    def set_tick(self, tick: int) -> None:
        """What follows belongs to `tick`; it never goes back."""
        if tick < self._tick:
            raise ValueError(f"the recording is at tick {self._tick} and cannot go back to {tick}")
        self._tick = tick

    def record(self, message: Join | Drop | NetMessage | ConsoleCommand | Finish | Extension | Extra) -> None:
        """A message that does not move time, in the tick that is set."""
        self._skip_to_tick()
        self.write(encode_extension(message) if isinstance(message, Extension) else message)

    def tee_at(self, cid: int, x: int, y: int) -> None:
        """A tee is at (x, y): PLAYER_NEW, PLAYER_DIFF, or nothing if it already was."""
        known = self._tees.get(cid)
        self._tees[cid] = (x, y)
        if known is None:
            self._write_tee(PlayerNew(cid, x, y))
        elif known != (x, y):
            self._write_tee(PlayerDiff(cid, add_int32(x, -known[0]), add_int32(y, -known[1])))

    def tee_gone(self, cid: int) -> None:
        """A tee is no longer there."""
        del self._tees[cid]
        self._write_tee(PlayerOld(cid))

    def set_input(self, cid: int, values: Sequence[int]) -> None:
        """A client's input as it will act on the next tick: INPUT_NEW, INPUT_DIFF, or nothing if unchanged."""
        new = Input(*values)
        known = self._inputs.get(cid)
        self._inputs[cid] = new
        if known is None:
            self._skip_to_tick()
            self.write(InputNew(cid, tuple(new)))
        elif known != new:
            self._skip_to_tick()
            differences = (add_int32(a, -b) for a, b in zip(new, known, strict=True))
            self.write(InputDiff(cid, tuple(differences)))

    def _skip_to_tick(self) -> None:
        if self._tick != self._written_tick:
            self.write(TickSkip(self._tick - self._written_tick - 1))

    def _write_tee(self, message: PlayerNew | PlayerDiff | PlayerOld) -> None:
        # A client id that does not ascend says "next tick" by itself; anything else needs a TICK_SKIP.
        ahead = self._tick - self._written_tick
        if ahead == 0 and message.cid <= self._last_cid:
            raise ValueError(
                f"the tees of tick {self._tick} must be written by ascending client id, from tick 1 on"
            )
        if ahead and not (ahead == 1 and message.cid <= self._last_cid):
            self._skip_to_tick()
        self.write(message)
