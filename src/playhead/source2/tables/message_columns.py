"""Columns of table ``messages``, written straight from the packet loop, and the few payloads that are wanted."""

from __future__ import annotations

from typing import Any

from playhead.errors import LimitExceeded
from playhead.source2.messages.packet import PacketReader
from playhead.tables.column_buffers import Int32Buffer, Int64Buffer

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

#: In column `ids`, for a frame that has no inner messages.
NO_MESSAGE = -1

#: A message without content takes two bytes, and a hostile Snappy block can hold a hundred million of them.
#: Packets of real demos have some hundreds.
MOST_IN_A_PACKET = 1 << 18

#: As `wanted_from`: above every number.
NOTHING = 1 << 31


@cython.final
@cython.cclass
class MessageColumns:
    """Collects a row for each inner message, and for each frame that has none.

    Attributes:
        taken: ``(tick, id, payload)`` of every message whose id is in `wanted`, or is `wanted_from` or above.
        counts: messages by id.
    """

    # stub: taken: list[tuple[int, int, bytes]]
    # stub: counts: dict[int, int]
    # stub: def add_packet(self, frame: int, tick: int, command: int, offset: int, data: Buffer) -> int: ...

    def __init__(self, wanted: frozenset[int], store: bool = True, wanted_from: int = NOTHING) -> None:
        self._wanted = wanted
        self._wanted_from = wanted_from
        self._store = store
        self.taken = []
        self.counts = {}
        self.ticks = Int32Buffer()
        self.frames = Int32Buffer()
        self.commands = Int32Buffer()
        self.ids = Int32Buffer()
        self.sizes = Int32Buffer()
        self.offsets = Int64Buffer()

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_frame(
        self,
        frame: cython.int,
        tick: cython.int,
        command: cython.int,
        offset: cython.longlong,
        size: cython.int,
    ) -> cython.int:
        """A frame without inner messages; `size` is that of its decompressed payload."""
        return self._row(frame, tick, command, offset, -1, size)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_packet(
        self,
        frame: cython.int,
        tick: cython.int,
        command: cython.int,
        offset: cython.longlong,
        data: Any,
    ) -> cython.int:
        """The inner messages of a packet's data. Returns how many there were.

        Raises:
            ReplayError: as `PacketReader.advance`; the messages before it are kept.
            LimitExceeded: there are more than `MOST_IN_A_PACKET`.
        """
        reader: PacketReader = PacketReader(data)
        count: cython.int = 0
        while reader.advance():
            if reader.id == 0 and reader.size == 0:
                continue
            if count == 1 << 18:
                raise LimitExceeded(f"expected at most {MOST_IN_A_PACKET} messages in a packet, found more")
            self._row(frame, tick, command, offset, reader.id, reader.size)
            count += 1
            number = reader.id
            self.counts[number] = self.counts.get(number, 0) + 1
            if number >= self._wanted_from or number in self._wanted:
                self.taken.append((tick, number, reader.payload()))
        return count

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
        if self._store:
            self.frames.append(frame)
            self.ticks.append(tick)
            self.commands.append(command)
            self.ids.append(id)
            self.sizes.append(size)
            self.offsets.append(offset)
        return 0
