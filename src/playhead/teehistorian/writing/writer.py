"""Writes teehistorian files: single message records, or a recording described by ticks and tees.

Integers are written in their shortest form, as in DDNet: writing the records of a real file gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.bits import ByteWriter
from playhead.teehistorian.stream import messages
from playhead.teehistorian.stream.extensions import Extension, encode_extension
from playhead.teehistorian.stream.header import MAGIC, Header, encode_header
from playhead.teehistorian.stream.int32 import add_int32
from playhead.teehistorian.stream.text import encode_text
from playhead.teehistorian.stream.ticks import Input


def _write(out: ByteWriter, message: messages.Message) -> None:
    match message:
        case messages.PlayerDiff(cid, dx, dy):
            _ints(out, cid, dx, dy)
        case messages.Finish():
            _ints(out, messages.MessageKind.FINISH)
        case messages.TickSkip(dt):
            _ints(out, messages.MessageKind.TICK_SKIP, dt)
        case messages.PlayerNew(cid, x, y):
            _ints(out, messages.MessageKind.PLAYER_NEW, cid, x, y)
        case messages.PlayerOld(cid):
            _ints(out, messages.MessageKind.PLAYER_OLD, cid)
        case messages.InputDiff(cid, values):
            _ints(out, messages.MessageKind.INPUT_DIFF, cid, *values)
        case messages.InputNew(cid, values):
            _ints(out, messages.MessageKind.INPUT_NEW, cid, *values)
        case messages.NetMessage(cid, data):
            _ints(out, messages.MessageKind.NET_MESSAGE, cid, len(data))
            out.write_bytes(data)
        case messages.Join(cid):
            _ints(out, messages.MessageKind.JOIN, cid)
        case messages.Drop(cid, reason):
            _ints(out, messages.MessageKind.DROP, cid)
            out.write_cstring(encode_text(reason))
        case messages.ConsoleCommand(cid, flags, command, arguments):
            _ints(out, messages.MessageKind.CONSOLE_COMMAND, cid, flags)
            out.write_cstring(encode_text(command))
            _ints(out, len(arguments))
            for argument in arguments:
                out.write_cstring(encode_text(argument))
        case messages.Extra(uuid, data):
            _ints(out, messages.MessageKind.EXTRA)
            out.write_bytes(uuid.bytes)
            _ints(out, len(data))
            out.write_bytes(data)


def _ints(out: ByteWriter, *values: int) -> None:
    for value in values:
        out.write_packed_int(value)


def encode_message(message: messages.Message) -> bytes:
    """Return the bytes of one message."""
    out = ByteWriter()
    _write(out, message)
    return out.to_bytes()


class TeehistorianWriter:
    """Builds a recording; `to_bytes` returns it.

    `write` appends a message. The other methods describe a game: `set_tick` sets the time, `tee_at`, `tee_gone`
    and `set_input` set the state, and the writer chooses the messages, with a TICK_SKIP at the same positions as
    DDNet. Both can be mixed. Within a tick, positions of tees come in order of client ids.
    """

    def __init__(self, header: Header | Mapping[str, Any]) -> None:
        """`header`: an existing header, copied byte for byte, or the fields of a new one."""
        self._out = ByteWriter()
        if isinstance(header, Header):
            self._out.write_bytes(MAGIC + header.raw + b"\0")
        else:
            self._out.write_bytes(encode_header(header))
        self._tick = 0  # the requested tick
        self._written_tick = 0  # the tick of a reader after the messages so far
        self._last_cid = messages.MAX_CLIENTS
        self._tees: dict[int, tuple[int, int]] = {}
        self._inputs: dict[int, Input] = {}

    def to_bytes(self) -> bytes:
        """Return the bytes written so far."""
        return self._out.to_bytes()

    def write(self, message: messages.Message) -> None:
        """Append one message; its tick follows from the messages before it."""
        _write(self._out, message)
        match message:
            case messages.TickSkip(dt):
                self._written_tick += dt + 1
                self._last_cid = -1
            case messages.PlayerDiff(cid) | messages.PlayerNew(cid) | messages.PlayerOld(cid):
                if cid <= self._last_cid:
                    self._written_tick += 1
                self._last_cid = cid
            case _:
                pass
        self._tick = max(self._tick, self._written_tick)

    def set_tick(self, tick: int) -> None:
        """Set the tick of the next messages; it never decreases."""
        if tick < self._tick:
            raise ValueError(f"the recording is at tick {self._tick} and cannot go back to {tick}")
        self._tick = tick

    def record(
        self,
        message: messages.Join
        | messages.Drop
        | messages.NetMessage
        | messages.ConsoleCommand
        | messages.Finish
        | Extension
        | messages.Extra,
    ) -> None:
        """Append a message that does not advance the time, in the current tick."""
        self._skip_to_tick()
        self.write(encode_extension(message) if isinstance(message, Extension) else message)

    def tee_at(self, cid: int, x: int, y: int) -> None:
        """Set the position of a tee: append PLAYER_NEW, PLAYER_DIFF, or nothing if it is unchanged."""
        known = self._tees.get(cid)
        self._tees[cid] = (x, y)
        if known is None:
            self._write_tee(messages.PlayerNew(cid, x, y))
        elif known != (x, y):
            self._write_tee(messages.PlayerDiff(cid, add_int32(x, -known[0]), add_int32(y, -known[1])))

    def tee_gone(self, cid: int) -> None:
        """Remove a tee."""
        del self._tees[cid]
        self._write_tee(messages.PlayerOld(cid))

    def set_input(self, cid: int, values: Sequence[int]) -> None:
        """Set a client's input for the next tick: append INPUT_NEW, INPUT_DIFF, or nothing if it is unchanged."""
        new = Input(*values)
        known = self._inputs.get(cid)
        self._inputs[cid] = new
        if known is None:
            self._skip_to_tick()
            self.write(messages.InputNew(cid, tuple(new)))
        elif known != new:
            self._skip_to_tick()
            differences = (add_int32(a, -b) for a, b in zip(new, known, strict=True))
            self.write(messages.InputDiff(cid, tuple(differences)))

    def _skip_to_tick(self) -> None:
        if self._tick != self._written_tick:
            self.write(messages.TickSkip(self._tick - self._written_tick - 1))

    def _write_tee(self, message: messages.PlayerNew | messages.PlayerDiff | messages.PlayerOld) -> None:
        # A client id that is not larger than the last one implies the next tick; other messages need a TICK_SKIP.
        ahead = self._tick - self._written_tick
        if ahead == 0 and message.cid <= self._last_cid:
            raise ValueError(
                f"the tees of tick {self._tick} must be written by ascending client id, from tick 1 on"
            )
        if ahead and not (ahead == 1 and message.cid <= self._last_cid):
            self._skip_to_tick()
        self.write(message)
