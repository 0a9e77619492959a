"""Columns of table ``messages``, filled from the packet loop."""

from __future__ import annotations

from playhead.errors import LimitExceeded
from playhead.runtime import cython
from playhead.source2.container.frames import PACKET, Frame
from playhead.source2.messages.packet import MOST_IN_A_PACKET, PacketReader
from playhead.source2.playback.dispatch import PacketSink
from playhead.tables.int32_columns import Int32Columns
from playhead.tables.nullable_columns import ValueColumn

if cython.compiled:
    from cython.cimports.playhead.source2.messages.packet import PacketReader
    from cython.cimports.playhead.source2.playback.dispatch import PacketSink
    from cython.cimports.playhead.tables.int32_columns import Int32Columns
    from cython.cimports.playhead.tables.nullable_columns import ValueColumn

# Messages of lower numbers are counted without a dict; all known messages have lower numbers.
_MOST_COUNTED = cython.declare(cython.int, 4096)
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

    column = cython.declare(ValueColumn, visibility="readonly")

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

    rows = cython.declare(Int32Columns, visibility="readonly")
    _counted: cython.longlong[4096]
    _rare: dict
    _store: cython.bint

    def __init__(self, store: bool = True) -> None:
        self._store = store
        if not cython.compiled:
            self._counted = [0] * _MOST_COUNTED
        self._rare = {}
        self.rows = Int32Columns(7)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_frame(
        self, frame: cython.int, tick: cython.int, command: cython.int, offset: cython.longlong, size: cython.int
    ) -> cython.int:
        """Append a frame without inner messages; `size` is the size of its decompressed payload."""
        return self._row(frame, tick, command, offset, -1, size)

    @cython.ccall
    @cython.exceptval(-1, check=False)
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _count(self, number: cython.int) -> cython.int:
        if 0 <= number < _MOST_COUNTED:
            self._counted[number] += 1
        else:
            self._rare[number] = self._rare.get(number, 0) + 1
        return 0

    @property
    def counts(self) -> dict[int, int]:
        """Number of messages by id."""
        numbers = range(_MOST_COUNTED)
        return {number: self._counted[number] for number in numbers if self._counted[number]} | self._rare

    def on_frame(self, number: int, frame: Frame, payload: bytes | memoryview | None) -> None:
        """Append a frame without inner messages; a handler for `Playback.on_frame`."""
        if payload is not None:
            self.add_frame(number, frame[2], frame[1], frame[0], len(payload))

    def on_packet(self, number: int, frame: Frame, data: bytes) -> None:
        """Append a packet; a handler for `Playback.on_packet_data`.

        Raises:
            ReplayError: as `add_packet`.
        """
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
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
