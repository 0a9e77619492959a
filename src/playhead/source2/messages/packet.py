"""The inner messages of a packet: a bit stream of ubitvar id, varuint32 size and that many bytes.

A message need not begin at a byte. The stream ends where fewer than 8 bits are left; id 0 is a filler
(net_NOP) that console recordings carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from playhead.bits.bit_reader import BitReader
from playhead.bits.byte_reader import ByteReader
from playhead.bits.writers import BitWriter
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.runtime import cython
from playhead.runtime.typing import Any
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine

if not cython.compiled:
    # Equal to the constants in the .pxd files.
    from playhead.bits.bit_reader import (
        bits_left,
        next_varuint32,
        next_varuint64,
        pass_bits,
        peek_word,
        varint_of,
        varint_size,
    )

    UPDATED_ENTRIES, LEGACY_IS_DELTA, UPDATE_BASELINE, BASELINE, DELTA_FROM, ENTITY_DATA = 2, 3, 4, 5, 6, 7
    SERVER_TICK, ALTERNATE_BASELINES = 12, 15
    HAS_PVS_VIS_BITS_DEPRECATED = 16
    WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 0, 1, 2, 5


#: A message without content takes two bytes, and a hostile Snappy block can hold a hundred million of them.
#: Packets of real demos have some hundreds.
MOST_IN_A_PACKET = 1 << 18


@cython.final
@cython.cclass
class PacketReader:
    """Walks the messages of a packet's data, and copies a payload only on request.

    Attributes:
        id: number of the current message.
        size: bytes of its payload.
    """

    def __init__(self, data: Buffer) -> None:
        self._reader = BitReader(data)
        self._payload_bits = 0
        self.id = 0
        self.size = 0

    @cython.nonecheck(True)
    def advance(self) -> cython.int:
        """Move to the next message; return 1, or 0 at the end.

        Raises:
            TruncatedReplay: a message is larger than the rest of the packet; `offset` counts in the packet's data.
            CorruptReplay: its number is no enumeration value (those are below 2**31).
        """
        reader: BitReader = self._reader
        if self._payload_bits:
            reader.skip_bits(self._payload_bits)
            self._payload_bits = 0
        if reader.rem_bits() < 8:
            return 0
        number: cython.ulonglong = reader.read_ubit_var()
        if number > 0x7FFFFFFF:
            self._bad_number(number)
        self.id = cython.cast(cython.int, number)
        size: cython.ulonglong = cython.cast(cython.ulonglong, reader.read_varuint32())
        if size * 8 > reader.rem_bits():
            self._too_large(size)
        self.size = cython.cast(cython.int, size)
        self._payload_bits = size * 8
        return 1

    def advance_to(self, wanted: frozenset) -> cython.int:
        """Move to the next message whose number is in `wanted`; otherwise as `advance`."""
        while self.advance():
            if self.id in wanted:
                return 1
        return 0

    def collect(self, found: list, wanted: frozenset, lowest: cython.longlong) -> cython.int:
        """Append number and bytes of every further message in `wanted`, or of number `lowest` or above.

        Fillers are skipped. Returns how many messages were appended.

        Raises:
            ReplayError: as `advance`; the messages before the damage are appended.
            LimitExceeded: there are more than `MOST_IN_A_PACKET`.
        """
        count: cython.int = 0
        while self.advance():
            if self.id >= lowest or self.id in wanted:
                if self.id == 0 and self.size == 0:
                    continue
                if count == MOST_IN_A_PACKET:
                    raise LimitExceeded(f"expected at most {MOST_IN_A_PACKET} messages in a packet, found more")
                found.append((self.id, self.payload()))
                count += 1
        return count

    def meets(self, marks: bytes, present: bytearray) -> cython.int:
        """Pass all messages; return whether one has a number that `marks` has by number, or one above these.

        Sets `present`, of the same length, at the number of each message.
        """
        marked: cython.p_const_uchar = marks
        most: cython.Py_ssize_t = min(len(marks), len(present))
        found: cython.int = 0
        while self.advance():
            if self.id >= most:
                found = 1
            else:
                present[self.id] = 1
                found |= marked[self.id] != 0
        return found

    def _too_large(self, size: cython.ulonglong) -> cython.int:
        raise TruncatedReplay(
            f"expected message {self.id} of {size} bytes, but only {self._reader.rem_bits() // 8} are left",
            offset=self._reader.tell() >> 3,
        )

    def _bad_number(self, number: cython.ulonglong) -> cython.int:
        raise CorruptReplay(
            f"expected a message number below 2**31, found {number}", offset=self._reader.tell() >> 3
        )

    @cython.nonecheck(True)
    def payload(self) -> bytes:
        """Return the bytes of the current message; call it once for each message."""
        data: bytes = self._reader.read_bits_as_bytes(self._payload_bits)
        self._payload_bits = 0
        return data


#: Places of messages other than 0: string tables have the baselines of the entities of the same packet.
_PRIORITIES = {
    Engine.CREATE_STRING_TABLE: -10,
    Engine.UPDATE_STRING_TABLE: -10,
    Engine.CLEAR_ALL_STRING_TABLES: -10,
    Engine.PACKET_ENTITIES: 5,
}


def priority_of(message: tuple[int, Any]) -> int:
    """Return the place of an inner message (number and anything) among those of its packet, as a sort key:
    string tables -10, entities 5, all others 0.
    """
    return _PRIORITIES.get(message[0], 0)


def inner_messages(data: Buffer, *, by_priority: bool = False) -> list[tuple[int, bytes]]:
    """Return number and bytes of the inner messages of a packet, given its bit stream, without fillers.

    They come in the order of the stream; `by_priority` puts string tables first and entities last (`priority_of`),
    and leaves the order otherwise. No recording is known that needs that.

    Raises:
        ReplayError: as `PacketReader.collect`.
    """
    found: list[tuple[int, bytes]] = []
    PacketReader(data).collect(found, frozenset(), 0)
    if by_priority:
        found.sort(key=priority_of)
    return found


def renumbered(data: bytes, numbers: Mapping[int, int]) -> bytes:
    """Return a packet, as one bit stream, whose messages have other numbers; those not in `numbers` stay."""
    reader = PacketReader(data)
    writer = BitWriter()
    while reader.advance():
        writer.write_ubit_var(numbers.get(reader.id, reader.id))
        writer.write_varuint32(reader.size)
        writer.write_bytes(reader.payload())
    return writer.to_bytes()


_STATE = frozenset(
    map(
        int,
        (
            Engine.NET_TICK,
            Engine.CREATE_STRING_TABLE,
            Engine.UPDATE_STRING_TABLE,
            Engine.CLEAR_ALL_STRING_TABLES,
            Engine.PACKET_ENTITIES,
        ),
    )
)


def state_messages(data: bytes) -> bytes:
    """Return a packet, as one bit stream, without the messages that do not carry the state."""
    reader = PacketReader(data)
    writer = BitWriter()
    while reader.advance_to(_STATE):
        writer.write_ubit_var(reader.id)
        writer.write_varuint32(reader.size)
        writer.write_bytes(reader.payload())
    return writer.to_bytes()


@cython.final
@cython.cclass
class MessageHead:
    """Fields of the latest CSVCMsg_PacketEntities; one object is reused for all messages.

    Attributes:
        updated: number of entries.
        delta: whether the message changes a state; otherwise it is a complete state.
        update_baseline, baseline: for clients' recordings, see `Baselines`.
        base: server tick of the state that the message changes; -1 if absent.
        server_tick: server tick of the resulting state; -1 if absent.
        has_pvs: whether updates say if their entities are visible.
        alternates: number of the alternate baseline, by index of entity.
    """

    def __init__(self) -> None:
        self.alternates = {}

    def read(self, reader: BitReader) -> cython.int:
        """Read the message in the rest of `reader`, and set `reader` to the entity data."""
        first: cython.ulonglong = 0
        bits: cython.ulonglong = 0
        self.updated = 0
        self.delta = False
        self.update_baseline = False
        self.baseline = 0
        self.base = -1
        self.server_tick = -1
        self.has_pvs = False
        if self.alternates:
            self.alternates.clear()
        while bits_left(reader):
            # Most fields are a key of one byte and a number of up to four.
            word: cython.ulonglong = peek_word(reader)
            key: cython.longlong = cython.cast(cython.longlong, word & 255)
            length: cython.uint = varint_size(word >> 8)
            if key & 0x87 == WIRE_VARINT and length and pass_bits(reader, 8 + length):
                self._set(key >> 3, varint_of(word >> 8, length))
                continue
            key = next_varuint32(reader)
            number: cython.longlong = key >> 3
            if key & 7 == WIRE_BYTES:
                size: cython.ulonglong = cython.cast(cython.ulonglong, next_varuint32(reader))
                if number == ALTERNATE_BASELINES:
                    _read_alternate(reader.read_bytes(size), self.alternates)
                    continue
                if number == ENTITY_DATA:
                    first = reader.tell()
                    bits = 8 * size
                if not pass_bits(reader, 8 * size):
                    reader.skip_bits(8 * size)  # raises
            elif key & 7 == WIRE_VARINT:
                self._set(number, next_varuint64(reader))
            elif key & 7 == WIRE_FIXED32:
                reader.skip_bits(32)
            elif key & 7 == WIRE_FIXED64:
                reader.skip_bits(64)
            else:
                raise CorruptReplay(f"expected a protobuf wire type of 0, 1, 2 or 5, found {key & 7}")
        reader.window(first, bits)
        return 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _set(self, number: cython.longlong, value: cython.ulonglong) -> cython.void:
        """Set the attribute of a field of numbers; others are of no use here."""
        # A literal would be a Python object.
        low: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << 32) - 1
        if number == UPDATED_ENTRIES:
            self.updated = cython.cast(cython.longlong, value & 0x7FFFFFFF)
        elif number == LEGACY_IS_DELTA:
            self.delta = value != 0
        elif number == UPDATE_BASELINE:
            self.update_baseline = value != 0
        elif number == BASELINE:
            self.baseline = cython.cast(cython.int, value & 1)
        elif number == DELTA_FROM:
            self.base = cython.cast(cython.longlong, value & low)
        elif number == SERVER_TICK:
            self.server_tick = cython.cast(cython.longlong, value & low)
        elif number == HAS_PVS_VIS_BITS_DEPRECATED:
            self.has_pvs = (value & 0x7FFFFFFF) != 0


def _read_alternate(entry: bytes, into: dict[int, int]) -> None:
    """Add one alternate_baseline_t: an entity index and the number of its alternate baseline."""
    reader = ByteReader(entry)
    values = {1: 0, 2: 0}
    while reader.remaining():
        key = reader.read_varuint32()
        if key & 7:
            raise CorruptReplay(f"expected a varint in an alternate baseline, found wire type {key & 7}")
        values[key >> 3] = reader.read_varuint64()
    into[values[1]] = values[2]


_NET_TICK = frozenset((Engine.NET_TICK,))


def server_tick(messages: bytes) -> int | None:
    """Return the tick of the server in the inner messages of a packet; None without one, and for a damaged one."""
    reader = PacketReader(messages)
    with suppress(ReplayError):
        if reader.advance_to(_NET_TICK) and (found := wire.first_number(reader.payload())) >= 0:
            return found
    return None
