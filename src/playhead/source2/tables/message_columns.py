"""Columns of table ``messages``, filled from the packet loop, and of messages for the game's own code.

The latter become rows of a table and JSON, or are only checked for problems.
"""

from __future__ import annotations

from array import array

from playhead.errors import LimitExceeded
from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.container.frames import PACKET, Frame
from playhead.source2.messages.field_reader import FieldReader
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import MOST_IN_A_PACKET, PacketReader
from playhead.source2.messages.wire_decoder import FieldPlan
from playhead.source2.playback.decoding import SharedDecoder
from playhead.source2.playback.fast_path import MessageSink, PacketSink
from playhead.tables.arrow import numbers_in
from playhead.tables.column_buffers import Int32Buffer, Int32Columns
from playhead.tables.json_columns import TextColumn, ValueColumn
from playhead.tables.packed import BATCH, PackedText, Room
from playhead.tables.value_arrays import array_of
from playhead.text.json import to_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from playhead.source2.messages.decoded import MessageFields

if cython.compiled:
    from cython.cimports.playhead.tables.json_columns import put_bytes
else:
    from playhead.tables.json_columns import put_bytes

    # The same numbers as the enums in the .pxd.
    MOST_COUNTED = 4096
    GAME_EVENT_LIST, GAME_EVENT = Engine.GAME_EVENT_LIST, Engine.GAME_EVENT

_PACKET = cython.declare(cython.int, PACKET)

#: In column `ids`, for a frame without inner messages.
NO_MESSAGE = -1


@cython.final
@cython.cclass
class FrameSizes(PacketSink):
    """Collects the size of each frame's payload, decompressed; null for a damaged one.

    Attributes:
        column: the sizes.
    """

    def __init__(self) -> None:
        self.column = ValueColumn()

    @cython.nonecheck(True)
    def on_frame(self, _number: int, _frame: Frame, payload: bytes | memoryview | None) -> None:
        """Append a frame; a handler for `Playback.on_frame`."""
        self.column.append(0 if payload is None else len(payload), payload is not None)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take_packet(
        self,
        frame: cython.int,
        tick: cython.int,
        offset: cython.longlong,
        size: cython.int,
        ids: cython.p_int,
        sizes: cython.p_int,
        count: cython.Py_ssize_t,
    ) -> cython.int:
        """As `PacketSink.take_packet`."""
        return self.column.append(size, True)


@cython.final
@cython.cclass
class MessageColumns(PacketSink):
    """Collects a row for each inner message, and for each frame that has none.

    Args:
        store: keep the rows; False only counts messages.

    Attributes:
        rows: frame, tick, command, number of the message, bytes, and offset of the frame: its bits above 31, the
            others.
    """

    def __init__(self, store: bool = True) -> None:
        self._store = store
        if not cython.compiled:
            self._counted = [0] * MOST_COUNTED
        self._rare = {}
        self.rows = Int32Columns(7)

    def add_frame(
        self, frame: cython.int, tick: cython.int, command: cython.int, offset: cython.longlong, size: cython.int
    ) -> cython.int:
        """Append a frame without inner messages; `size` is the size of its decompressed payload."""
        return self._row(frame, tick, command, offset, -1, size)

    def add_packet(
        self, frame: cython.int, tick: cython.int, command: cython.int, offset: cython.longlong, data: Buffer
    ) -> cython.int:
        """Append the inner messages of a packet's data; return their number.

        Raises:
            ReplayError: as `PacketReader.advance`; the messages before it are kept.
            LimitExceeded: there are more than `MOST_IN_A_PACKET`.
        """
        reader: PacketReader = PacketReader(data)
        count: cython.int = 0
        most: cython.int = MOST_IN_A_PACKET
        while reader.advance():
            if reader.id == 0 and reader.size == 0:
                continue
            if count == most:
                raise LimitExceeded(f"expected at most {MOST_IN_A_PACKET} messages in a packet, found more")
            self._row(frame, tick, command, offset, reader.id, reader.size)
            count += 1
            self._count(reader.id)
        return count

    def _count(self, number: cython.int) -> cython.int:
        if 0 <= number < MOST_COUNTED:
            self._counted[number] += 1
        else:
            self._rare[number] = self._rare.get(number, 0) + 1
        return 0

    @property
    def counts(self) -> dict[int, int]:
        """Number of messages by id."""
        numbers = range(MOST_COUNTED)
        return {number: self._counted[number] for number in numbers if self._counted[number]} | self._rare

    def on_frame(self, number: int, frame: Frame, payload: bytes | memoryview | None) -> None:
        """Append a frame without inner messages; a handler for `Playback.on_frame`."""
        if payload is not None:
            self.add_frame(number, frame[2], frame[1], frame[0], len(payload))

    def on_packet(self, number: int, frame: Frame, data: bytes) -> None:
        """Append a packet; a handler for `Playback.on_packet_data`."""
        self.add_packet(number, frame[2], frame[1], frame[0], data)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take_packet(
        self,
        frame: cython.int,
        tick: cython.int,
        offset: cython.longlong,
        size: cython.int,
        ids: cython.p_int,
        sizes: cython.p_int,
        count: cython.Py_ssize_t,
    ) -> cython.int:
        """As `PacketSink.take_packet`."""
        place: cython.Py_ssize_t
        for place in range(count):
            self._row(frame, tick, _PACKET, offset, ids[place], sizes[place])
            self._count(ids[place])
        return 0

    def _row(
        self,
        frame: cython.int,
        tick: cython.int,
        command: cython.int,
        offset: cython.longlong,
        id: cython.int,
        size: cython.int,
    ) -> cython.int:
        if not self._store:
            return 0
        high: cython.int = cython.cast(cython.int, offset >> 31)
        low: cython.int = cython.cast(cython.int, offset & 0x7FFFFFFF)
        if cython.compiled:
            values: cython.int[7] = [frame, tick, command, id, size, high, low]
            self.rows.append(values)
        else:
            self.rows.append((frame, tick, command, id, size, high, low))
        return 0


@cython.final
@cython.cclass
class UserMessageRows(MessageSink):
    """Columns with a row for each message, without its seconds, its name and its fields.

    Attributes:
        ticks, numbers: ticks and numbers of the messages.
        decodable: bytes of the messages that can be decoded; null for one that cannot, or has no definition.
        undecodable: bytes of the others. Both are complete after `close`.
    """

    def __init__(self, decoder: SharedDecoder, room: Room) -> None:
        self._decoder = decoder
        self.ticks = Int32Buffer()
        self.numbers = Int32Buffer()
        self.decodable = PackedText(pa.binary(), room)
        self.undecodable = PackedText(pa.binary(), room)
        self._batch = BATCH
        self._open = TextColumn()
        # The others by row.
        self._open_undecodable = {}

    @cython.ccall
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
    def accept(self, tick: cython.int, number: cython.longlong, payload: bytes) -> cython.int:
        """Append the row of a message, unless it is a game event."""
        if number in (GAME_EVENT_LIST, GAME_EVENT):
            return 0
        self.ticks.append(tick)
        self.numbers.append(cython.cast(cython.int, number))
        known: cython.bint = self._decoder.has_fields(tick, number, payload)
        if known:
            put_bytes(self._open.data, payload)
        else:
            self._open_undecodable[len(self._open)] = payload
        self._open.end(known)
        if len(self._open) == self._batch:
            self.close()
        return 0

    @cython.nonecheck(True)
    def close(self) -> cython.int:
        """Add the bytes of the last messages, which `decodable` and `undecodable` lack until then."""
        others: dict = self._open_undecodable
        rows: cython.Py_ssize_t = len(self._open)
        self.undecodable.add(
            array_of([others.get(row) for row in range(rows)], pa.binary())
            if others
            else pa.nulls(rows, pa.binary())
        )
        self._open_undecodable = {}
        self.decodable.add(self._open.to_arrow(pa.binary()))
        return 0


@cython.final
@cython.cclass
class MessageTexts:
    """A column with the fields of messages as JSON, which is written when it is read.

    Args:
        numbers: numbers of the messages; the bytes for number -1 are JSON.
        payloads: their bytes.
        plan_of: returns the plan for a number.
        fields_of: returns the fields of a message that is empty or whose fields are not in order, given its number
            and bytes.
    """

    def __init__(
        self,
        numbers: pa.Array,
        payloads: PackedText,
        plan_of: Callable[[int], FieldPlan | None],
        fields_of: Callable[[int, bytes], MessageFields | None],
    ) -> None:
        self._numbers = numbers
        self._payloads = payloads
        self._plan_of = plan_of
        self._fields_of = fields_of
        self._plans = {}

    @property
    @cython.nonecheck(True)
    def nbytes(self) -> int:
        """Bytes that the column takes."""
        return self._numbers.nbytes + self._payloads.nbytes

    @cython.nonecheck(True)
    def read(self, first: int = 0, count: int | None = None) -> pa.ChunkedArray:
        """Return some rows, or all; null for a null, or if the plan leaves no field."""
        chunks = []
        for payloads in self._payloads.read(first, count).chunks:
            chunks += self._written(self._numbers.slice(first, len(payloads)), payloads).chunks
            first += len(payloads)
        return pa.chunked_array(chunks, pa.string())

    def _written(self, numbers: object, payloads: object) -> object:
        text: TextColumn = TextColumn()
        reader: FieldReader = FieldReader(text.data)
        held: object = payloads.buffers()[2]
        data: bytes = b"" if held is None else held.to_pybytes()
        ends: array = numbers_in(payloads.buffers()[1], "i", payloads.offset, len(payloads) + 1)
        given: array = numbers_in(numbers.buffers()[1], "i", numbers.offset, len(numbers))
        there: list = payloads.is_valid().to_pylist()
        row: cython.Py_ssize_t
        for row in range(len(there)):
            if not there[row]:
                text.end(False)
                continue
            payload: bytes = data[ends[row] : ends[row + 1]]
            if given[row] < 0:
                text.append(payload)
                continue
            if given[row] not in self._plans:
                self._plans[given[row]] = self._plan_of(given[row])
            plan: FieldPlan = self._plans[given[row]]
            before: cython.Py_ssize_t = text.data._size
            if payload and reader.read(plan, payload):
                text.end(text.data._size > before)
            else:
                fields: Any = self._fields_of(given[row], payload)
                text.append(to_json(fields).encode())
        return text.to_arrow(pa.string())


@cython.final
@cython.cclass
class DecodingCheck(MessageSink):
    """Decodes messages only to report problems."""

    def __init__(self, decoder: SharedDecoder) -> None:
        self._decoder = decoder

    @cython.ccall
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
    def accept(self, tick: cython.int, number: cython.longlong, payload: bytes) -> cython.int:
        """Report a message that cannot be decoded, unless it is a game event."""
        if number not in (GAME_EVENT_LIST, GAME_EVENT):
            self._decoder.has_fields(tick, number, payload)
        return 0
