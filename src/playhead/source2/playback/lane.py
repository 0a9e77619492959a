"""The fast lane of playing: runs of packets that bring nothing but entities, without a Python object a message.

Nearly every packet of a recording is one; what makes a packet special (a string table that is followed, a message
that somebody asked for, damage of any kind) is left to `playback.playback`, which plays it as any other
frame.
"""

from __future__ import annotations

from typing import Any

from playhead.bits.bit_reader import BitReader
from playhead.bits.byte_reader import ByteReader
from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.source2.container.snappy import SnappyBlock
from playhead.source2.entities.manager import EntityManager

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

# stub: from playhead.source2.entities.entity import Entity

# Numbers of messages that there are; higher ones are left to the way that knows what to say of them.
_MESSAGES = 2048


@cython.final
@cython.cclass
class PacketLane:
    """Plays packets of one recording.

    Args:
        data: the recording.
        manager: what entity messages are applied to.

    Attributes:
        count: packets played by the latest `run`; after an error, those before the one that has it.
        tick: of the last of them.
        tells_ticks: whether a packet of the latest `run` had the server's tick.
        server_tick_offset: how far the latest such tick is ahead of the recording's.
    """

    # stub: def run(self, offset: int, until: int, special: frozenset[int], followed: frozenset[int],
    #     on_changed: Callable[[int, list[tuple[Entity, int]]], None]) -> None: ...

    def __init__(self, data: memoryview, limits: Limits, manager: EntityManager) -> None:
        self._frames = ByteReader(data)
        self._file = BitReader(data)
        self._block = SnappyBlock(limits.frame)
        self._most = limits.frame
        self._manager = manager
        self._special = frozenset()
        self._is_special = bytes(_MESSAGES)
        self.count = 0
        self.tick = -1
        self.tells_ticks = False
        self.server_tick_offset = 0
        self._server_tick = -1

    def run(
        self, offset: int, until: int, special: frozenset[int], followed: frozenset[int], on_changed: Any
    ) -> None:
        """Play packets from the frame at `offset` on, as long as nothing in them is special.

        Args:
            until: the last tick to play.
            special: numbers of messages that end the run before their packet.
            followed: numbers of the string tables whose updates do.
            on_changed: told tick and what happened to entities that somebody watches, packet by packet.

        Raises:
            ReplayError: the entities of the next packet could not be decoded.
        """
        frames: ByteReader = self._frames
        reader: BitReader
        command: cython.longlong
        tick: cython.longlong
        size: cython.longlong
        start: cython.longlong
        last: cython.longlong = until
        found: cython.bint
        manager: EntityManager = self._manager
        if special != self._special:
            self._special = special
            self._is_special = bytes([number in special for number in range(_MESSAGES)])
        self.count = 0
        self.tells_ticks = False
        frames.seek(offset)
        while manager.valid:
            try:
                if not frames.remaining():
                    return
                command = frames.read_varuint32()
                tick = frames.read_varuint32()
                size = frames.read_varuint32()
                start = frames.tell()
                # 7 is a packet, 64 the mark of a compressed one.
                if command & ~64 != 7 or tick > last or size > self._most:
                    return
                frames.skip(size)
                if command & 64:
                    self._block.decompress_into(self._file, start, size)
                    reader = self._block.reader
                else:
                    reader = self._file
                    reader.window(8 * start, 8 * size)
                found = self._find_entities(reader, followed)
            except ReplayError:
                return
            if not found:
                return
            self.tick = tick
            if self._server_tick >= 0:
                self.tells_ticks = True
                self.server_tick_offset = self._server_tick - tick
            changed: list = manager.apply_window(reader)
            if changed:
                on_changed(tick, changed)
            self.count += 1

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _find_entities(self, reader: BitReader, followed: frozenset) -> cython.int:
        """Set `reader`, which is to have the packet as its window, to its one entity message.

        Returns 0 if it has none, or anything else that matters.
        """
        first: cython.ulonglong = 0
        count: cython.ulonglong = 0
        key: cython.longlong
        size: cython.ulonglong
        number: cython.ulonglong
        special: cython.p_const_uchar = self._is_special
        place: cython.ulonglong = 0
        place_size: cython.ulonglong = 0
        head: cython.ulonglong
        found: cython.bint = False
        server_tick: cython.longlong = -1
        while reader.rem_bits():
            key = reader.read_varuint32()
            if key & 7 != 2:
                return 0
            size = 8 * cython.cast(cython.ulonglong, reader.read_varuint32())
            if key >> 3 == 3:
                first = reader.tell()
                count = size
            reader.skip_bits(size)
        if first == 0:
            return 0
        reader.window(first, count)
        while reader.rem_bits() >= 8:
            number = reader.read_ubit_var()
            size = 8 * cython.cast(cython.ulonglong, reader.read_varuint32())
            if size > reader.rem_bits() or number >= 2048:
                return 0
            if number == 55:
                if found:
                    return 0
                found = True
                place = reader.tell()
                place_size = size
            elif number == 45:
                # An update of a string table: its number comes first, in a byte behind its key.
                head = reader.peek_bits(16)
                if head & 255 != 8 or size < 16 or head >> 15 or cython.cast(cython.int, head >> 8) in followed:
                    return 0
            elif special[number]:
                return 0
            elif number == 4 and reader.peek_bits(8) == 8 and size >= 16:
                # CNETMsg_Tick begins with the tick.
                head = reader.tell()
                reader.skip_bits(8)
                server_tick = reader.read_varuint32()
                head = reader.tell() - head
                if head > size:
                    return 0
                size -= head
            reader.skip_bits(size)
        if not found:
            return 0
        self._server_tick = server_tick
        reader.window(place, place_size)
        return 1
