"""The fast lane of playing: runs of packets that bring nothing but entities, without a Python object a message.

Nearly every packet of a recording is one; what makes a packet special (a string table that is followed, a message
that somebody asked for, damage of any kind) is left to `playhead.source2.playback`, which plays it as any other
frame.
"""

from __future__ import annotations

from typing import Any

from playhead.bits.bit_reader import BitReader
from playhead.bits.byte_reader import ByteReader
from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.source2.entities import EntityManager
from playhead.source2.frames import decompress

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython


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
    """

    def __init__(self, data: memoryview, limits: Limits, manager: EntityManager) -> None:
        self._data = data
        self._limits = limits
        self._most = limits.frame
        self._manager = manager
        self.count = 0
        self.tick = -1

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
        frames: ByteReader = ByteReader(self._data, offset)
        end: cython.longlong = len(self._data)
        command: cython.longlong
        tick: cython.longlong
        size: cython.longlong
        start: cython.longlong
        manager: EntityManager = self._manager
        self.count = 0
        while manager.valid:
            message: object = None
            try:
                if not frames.remaining():
                    return
                command = frames.read_varuint32()
                tick = frames.read_varuint32()
                size = frames.read_varuint32()
                start = frames.tell()
                # 7 is a packet, 64 the mark of a compressed one.
                if command & ~64 != 7 or tick > until or size > self._most or size > end - start:
                    return
                stored = self._data[start : start + size]
                payload = decompress(stored, self._limits) if command & 64 else stored
                message = self._entities(payload, special, followed)
            except ReplayError:
                return
            if message is None:
                return
            self.tick = tick
            changed: list = manager.apply(message)
            if changed:
                on_changed(tick, changed)
            frames.skip(size)
            self.count += 1

    @cython.cfunc
    def _entities(self, payload: object, special: frozenset, followed: frozenset) -> object:
        """The one entity message of a packet; None if it has none, or anything else that matters."""
        packet: ByteReader = ByteReader(payload)
        first: cython.longlong = -1
        behind: cython.longlong = 0
        key: cython.longlong
        size: cython.longlong
        number: cython.ulonglong
        bits: cython.ulonglong
        place: cython.ulonglong = 0
        place_size: cython.ulonglong = 0
        found: cython.bint = False
        while packet.remaining():
            key = packet.read_varuint32()
            if key & 7 != 2:
                return None
            size = packet.read_varuint32()
            if key >> 3 == 3:
                first = packet.tell()
                behind = first + size
            packet.skip(size)
        if first < 0:
            return None
        reader: BitReader = BitReader(payload, 8 * behind)
        reader.skip_bits(8 * first)
        while reader.rem_bits() >= 8:
            number = reader.read_ubit_var()
            bits = cython.cast(cython.ulonglong, reader.read_varuint32()) * 8
            if bits > reader.rem_bits():
                return None
            if number == 55:
                if found:
                    return None
                found = True
                place = reader.tell()
                place_size = bits
            elif number == 45:
                # An update of a string table: its number comes first, in a byte behind its key.
                if reader.peek_bits(8) != 8 or bits < 16:
                    return None
                if (reader.peek_bits(16) >> 8) & 128 or cython.cast(
                    cython.int, (reader.peek_bits(16) >> 8) & 127
                ) in followed:
                    return None
            elif cython.cast(cython.longlong, number) in special:
                return None
            reader.skip_bits(bits)
        if not found:
            return None
        again: BitReader = BitReader(payload, 8 * behind)
        again.skip_bits(place)
        return again.read_bits_as_bytes(place_size)
