"""`MessageHead`: the fields of an entity message other than the entity data."""

from __future__ import annotations

from playhead.bits.bit_reader import BitReader
from playhead.bits.byte_reader import ByteReader
from playhead.errors import CorruptReplay
from playhead.runtime import cython

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
