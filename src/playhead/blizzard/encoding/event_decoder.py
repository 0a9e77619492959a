"""`ProgramReader`, the common base of decoders to objects and to columns, and `EventDecoder`, which decodes events
and other values to Python objects, as Blizzard's own decoder returns them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from playhead.bits.byte_reader import ByteReader
from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime import cython

if TYPE_CHECKING:
    from playhead.blizzard.protocol.program import Program

if cython.compiled:
    from cython.cimports.playhead.bits.byte_reader import take_u8, take_vint
    from cython.cimports.playhead.blizzard.encoding import tags
    from cython.cimports.playhead.blizzard.encoding.bit_packed import take_int, take_loop_delta
    from cython.cimports.playhead.blizzard.protocol import wire
else:
    from playhead.bits.byte_reader import take_u8, take_vint
    from playhead.blizzard.encoding import tags
    from playhead.blizzard.encoding.bit_packed import take_int, take_loop_delta
    from playhead.blizzard.protocol import wire

if not cython.compiled:
    # The same numbers as the enum in the .pxd.
    MAX_DEPTH = 64
    UNKNOWN_EVENT = -1
    WORD_BITS = 32


@cython.cclass
class ProgramReader:
    """Runs a program of `playhead.blizzard.protocol.program` on `data`.

    Args:
        tagged: whether the encoding is tagged; else it is bit-packed.
        id_bits: width of an event's number in the bit-packed encoding.
    """

    def __init__(self, program: Program, data: bytes, *, tagged: bool = False, id_bits: int = 7) -> None:
        self._tagged = tagged
        self._id_bits = id_bits
        self._bits = BitPackedReader(data)
        self._bytes = ByteReader(data)
        self._arrays = (
            program.kinds,
            program.lows,
            program.widths,
            program.firsts,
            program.counts,
            program.tags,
            program.slots,
            program.root_list,
        )
        self._root_count = len(program.root_list)
        if cython.compiled:
            self._kinds = cython.cast(array, program.kinds).data.as_longlongs
            self._lows = cython.cast(array, program.lows).data.as_longlongs
            self._widths = cython.cast(array, program.widths).data.as_longlongs
            self._firsts = cython.cast(array, program.firsts).data.as_longlongs
            self._counts = cython.cast(array, program.counts).data.as_longlongs
            self._tags = cython.cast(array, program.tags).data.as_longlongs
            self._slots = cython.cast(array, program.slots).data.as_longlongs
            self._root_list = cython.cast(array, program.root_list).data.as_longlongs
        else:
            self._kinds, self._lows, self._widths = program.kinds, program.lows, program.widths
            self._firsts, self._counts = program.firsts, program.counts
            self._tags, self._slots = program.tags, program.slots
            self._root_list = program.root_list
        self._keys = program.keys
        self._roots = program.roots
        self._loop = 0
        self._number = 0
        self._user = -1

    if cython.compiled:

        def __cinit__(self, *_args: Any, **_kwargs: Any) -> None:
            # A reader whose __init__ never ran has no data and no events.
            self._bits = BitPackedReader(b"")
            self._bytes = ByteReader(b"")
            self._keys, self._roots = [], {}

    def _corrupt(self, what: str, found: cython.longlong) -> cython.int:
        offset = self._bytes.tell() if self._tagged else self._bits.tell() >> 3
        raise CorruptReplay(f"expected {what}, found {found}", offset=offset)

    def _case(self, node: cython.longlong, tag: cython.longlong) -> cython.longlong:
        """Return the child of a choice or struct with this number; 0, which is never a child, without one."""
        i: cython.longlong
        first: cython.longlong = self._firsts[node]
        count: cython.longlong = self._counts[node]
        # Fields nearly always have the numbers 0, 1, 2 …
        if 0 <= tag < count and self._tags[first + tag] == tag:
            return first + tag
        for i in range(first, first + count):
            if self._tags[i] == tag:
                return i
        return 0

    def _packed_bytes(self, node: cython.longlong) -> bytes:
        if self._kinds[node] == wire.KIND_FOURCC:
            return self._bits.read_fourcc()
        count: cython.longlong = self._lows[node]
        count += cython.cast(cython.longlong, self._bits.read_int(self._widths[node]))
        return self._bits.read_aligned_bytes(cython.cast(cython.ulonglong, count))

    def _bit_word(self, count: cython.longlong) -> cython.ulonglong:
        """Return the next `count` (at most `WORD_BITS`) bits of a bit array; bit 0 is the lowest index.

        The game writes words of 32 bits, each with its bytes in little-endian order (see `BitArray`).
        """
        word: cython.ulonglong = self._bits.read_int(cython.cast(cython.uint, count))
        out: cython.ulonglong = 0
        at: cython.longlong = 0
        while count > 0:
            width: cython.longlong = 8 if count > 8 else count
            count -= width
            out |= ((word >> count) & ((1 << width) - 1)) << at
            at += width
        return out

    def _tag(self, wanted: cython.int, what: str) -> cython.int:
        found: cython.int = take_u8(self._bytes)
        if found != wanted:
            self._corrupt(what, found)
        return 0

    def _count_of(self, least: cython.longlong) -> cython.longlong:
        """Read a count of values of at least `least` bytes each; raise if fewer bytes remain."""
        count: cython.longlong = take_vint(self._bytes)
        left: cython.longlong = cython.cast(cython.longlong, self._bytes.remaining())
        if count < 0 or count > left // least:
            self._corrupt("a count within the remaining bytes", count)
        return count

    def _int_of_32_bits(self) -> cython.longlong:
        """Read a vint with the bound of all types of the tracker: 32 bits, signed or not."""
        value: cython.longlong = take_vint(self._bytes)
        if (value >> 32) != 0 and (value >> 31) != -1:
            self._corrupt("an integer of 32 bits", value)
        return value

    def _tagged_bytes(self) -> bytes:
        take_tag(self, tags.BLOB, "the tag of a blob, 2")
        return self._bytes.read_bytes(cython.cast(cython.ulonglong, self._count_of(1)))

    def _bare_head(self) -> cython.longlong:
        """Read loop delta, user and number of an event; return the loop delta."""
        if self._tagged:
            take_tag(self, tags.CHOICE, "the tag of a choice, 3")
            size: cython.longlong = take_vint(self._bytes)
            if size < 0 or size > 3:
                self._corrupt("a delta of 6, 14, 22 or 32 bits", size)
            take_tag(self, tags.VINT, "the tag of an integer, 9")
            delta: cython.longlong = take_vint(self._bytes)
            take_tag(self, tags.VINT, "the tag of an integer, 9")
            self._number = take_vint(self._bytes)
        else:
            delta = take_loop_delta(self._bits)
            self._user = cython.cast(cython.longlong, take_int(self._bits, wire.USER_BITS))
            self._number = cython.cast(cython.longlong, take_int(self._bits, self._id_bits))
        return delta

    def _head(self) -> cython.longlong:
        """Read the head of an event and advance the loop; return the event's node, or `UNKNOWN_EVENT`."""
        return self._end_of_head(self._bare_head())

    def _end_of_head(self, delta: cython.longlong) -> cython.longlong:
        """Advance the loop; return the node of the event whose head was read, or `UNKNOWN_EVENT`."""
        if delta < 0:
            self._corrupt("a delta of game loops that is not negative", delta)
        # Loops are counted in 32 bits: the tracker of a resumed game starts over by a delta that wraps to 0.
        delta = (self._loop + delta) & ((cython.cast(cython.longlong, 1) << 32) - 1)
        if delta >> 31:
            self._corrupt("a game loop of 31 bits", delta)
        self._loop = delta
        return self._root()

    def _root(self) -> cython.longlong:
        """Return the node of the event whose head was read last, or `UNKNOWN_EVENT`."""
        if 0 <= self._number < self._root_count and self._root_list[self._number] != wire.NO_ROOT:
            return self._root_list[self._number]
        if not self._tagged:
            self._corrupt("the number of a known event", self._number)
        return UNKNOWN_EVENT

    def tell(self) -> cython.ulonglong:
        """Return the current byte offset."""
        return self._bytes.tell() if self._tagged else (self._bits.tell() + 7) >> 3

    def remaining(self) -> cython.ulonglong:
        """Return the number of remaining bytes."""
        return self._bytes.remaining() if self._tagged else self._bits.remaining() >> 3


if not cython.compiled:
    # The same as the inline functions in the .pxd.
    take_tag = ProgramReader._tag
    take_int_of_32_bits = ProgramReader._int_of_32_bits
    take_count = ProgramReader._count_of
    take_head = ProgramReader._head
    byte_offset = ProgramReader.tell

    def at_end(reader: ProgramReader) -> bool:
        """Return whether no byte is left."""
        return not reader.remaining()


class BitArray(tuple[int, int]):
    """``(count, number)``, equal to that of Blizzard's s2protocol, and `indices`, the set bits.

    `number` does not give the indices. The game writes an array of bits as words of 32 bits, each with its bytes
    in little-endian order, while `number` is all bits as one integer. Up to 8 bits the lowest bit is index 0;
    above that no shift of `number` finds an index. Selections prove it: a mask ends with the last removed unit, so
    its last bit is always set.
    """

    indices: tuple[int, ...] = ()

    def __new__(cls, count: int, number: int, indices: Iterable[int]) -> BitArray:
        made = super().__new__(cls, (count, number))
        made.indices = tuple(indices)
        return made


@cython.final
@cython.cclass
class EventDecoder(ProgramReader):
    """Decodes `data` by `program`, one event or value at a time."""

    def read_object(self, number: int) -> Any:
        """Return one value of the program, without the head of an event."""
        node = self._roots[number]
        return self._tagged_object(node) if self._tagged else self._packed_object(node)

    def next_event(
        self, numbers: Container[int] | None = None
    ) -> tuple[int, int | None, int, dict[str, Any]] | None:
        """Return the next event as ``(loop, user or None, number, fields)``; None at the end.

        With `numbers`, events with other numbers are skipped.
        """
        while self.remaining() > 0:
            fields: object = self._event_object(self._head())
            if numbers is None or self._number in numbers:
                return self._loop, None if self._tagged else self._user, self._number, fields
        return None

    def fields_of(self, event: bytes) -> object:
        """Return the fields of one event. `event` is all its bytes; the reader then is at its end."""
        if self._tagged:
            self._bytes._hold(event)
            self._bytes.seek(0)
        else:
            self._bits._hold(event)
            self._bits.seek(0)
        self._bare_head()
        return self._event_object(self._root())

    def _event_object(self, node: cython.longlong) -> object:
        """Return the fields of the event whose head was read; `node` is the root of its type."""
        if not self._tagged:
            fields: object = self._packed_object(node)
            self._bits.align()
            return fields
        return self._tagged_object(node) if node != UNKNOWN_EVENT else self._raw_object(MAX_DEPTH)

    def _packed_object(self, node: cython.longlong) -> object:
        kind: cython.longlong = self._kinds[node]
        i: cython.longlong
        if kind == wire.KIND_STRUCT:
            out: dict = {}
            child: cython.longlong = self._firsts[node]
            for i in range(child, child + self._counts[node]):
                out[self._keys[i]] = self._packed_object(i)
            return out
        if kind == wire.KIND_BOOL:
            return bool(self._bits.read_bool())
        if kind == wire.KIND_OPTIONAL:
            return self._packed_object(self._firsts[node]) if self._bits.read_bool() else None
        if kind == wire.KIND_NULL:
            return None
        if kind == wire.KIND_BLOB or kind == wire.KIND_FOURCC:
            return self._packed_bytes(node)
        value: cython.longlong
        value = self._lows[node] + cython.cast(cython.longlong, self._bits.read_int(self._widths[node]))
        if kind == wire.KIND_INT:
            return value
        if kind == wire.KIND_CHOICE:
            child = self._case(node, value)
            if child == 0:
                self._corrupt("the number of an alternative", value)
            return {self._keys[child]: self._packed_object(child)}
        if kind == wire.KIND_ARRAY:
            items: list = []
            for _ in range(value):
                items.append(self._packed_object(self._firsts[node]))
            return items
        return self._bit_array(value)

    def _bit_array(self, count: cython.longlong) -> object:
        start: cython.ulonglong = self._bits.tell()
        number: object = self._bits.read_wide_int(cython.cast(cython.ulonglong, count))
        end: cython.ulonglong = self._bits.tell()
        self._bits.seek(start)
        indices: list = []
        index: cython.longlong = 0
        bit: cython.longlong
        while index < count:
            left: cython.longlong = count - index
            if left > WORD_BITS:
                left = WORD_BITS
            word: cython.ulonglong = self._bit_word(left)
            for bit in range(left):
                if (word >> bit) & 1:
                    indices.append(index)
                index += 1
        self._bits.seek(end)
        return BitArray(count, number, indices)

    def _tagged_object(self, node: cython.longlong) -> object:
        kind: cython.longlong = self._kinds[node]
        if kind == wire.KIND_STRUCT:
            self._tag(tags.STRUCT, "the tag of a struct, 5")
            out: dict = {}
            for _ in range(self._count_of(2)):
                number: cython.longlong = self._bytes.read_vint()
                child: cython.longlong = self._case(node, number)
                if child:
                    out[self._keys[child]] = self._tagged_object(child)
                else:
                    out[str(number)] = self._raw_object(MAX_DEPTH)
            return out
        if kind == wire.KIND_INT:
            self._tag(tags.VINT, "the tag of an integer, 9")
            return self._int_of_32_bits()
        if kind == wire.KIND_BLOB:
            return self._tagged_bytes()
        if kind == wire.KIND_OPTIONAL:
            self._tag(tags.OPTIONAL, "the tag of an optional, 4")
            return self._tagged_object(self._firsts[node]) if self._bytes.read_u8() else None
        if kind == wire.KIND_ARRAY:
            self._tag(tags.ARRAY, "the tag of an array, 0")
            items: list = []
            for _ in range(self._count_of(2)):
                items.append(self._tagged_object(self._firsts[node]))
            return items
        if kind == wire.KIND_BOOL:
            self._tag(tags.U8, "the tag of a byte, 6")
            return self._bytes.read_u8() != 0
        return self._raw_object(MAX_DEPTH)

    def _raw_object(self, depth: cython.int) -> object:
        """Return a tagged value that no type table describes; field numbers become text, as in the JSON text."""
        if depth <= 0:
            raise LimitExceeded(f"expected at most {MAX_DEPTH} levels of nesting", offset=self._bytes.tell())
        tag: cython.int = self._bytes.read_u8()
        if tag == tags.VINT:
            return self._bytes.read_vint()
        if tag == tags.BLOB:
            return self._bytes.read_bytes(cython.cast(cython.ulonglong, self._count_of(1)))
        if tag == tags.U8:
            return self._bytes.read_u8()
        if tag == tags.U32:
            return self._bytes.read_u32()
        if tag == tags.U64:
            return self._bytes.read_u64()
        if tag == tags.STRUCT:
            out: dict = {}
            for _ in range(self._count_of(2)):
                key: object = str(self._bytes.read_vint())
                out[key] = self._raw_object(depth - 1)
            return out
        if tag == tags.ARRAY:
            items: list = []
            for _ in range(self._count_of(2)):
                items.append(self._raw_object(depth - 1))
            return items
        if tag == tags.OPTIONAL:
            return self._raw_object(depth - 1) if self._bytes.read_u8() else None
        if tag == tags.CHOICE:
            key = str(self._bytes.read_vint())
            return {key: self._raw_object(depth - 1)}
        if tag == tags.BIT_ARRAY:
            count: cython.longlong = self._bytes.read_vint()
            if count < 0:
                self._corrupt("the size of a bit array", count)
            return self._bytes.read_bytes((cython.cast(cython.ulonglong, count) + 7) >> 3)
        self._corrupt("the tag of a value, 0 to 9", tag)
        return None
