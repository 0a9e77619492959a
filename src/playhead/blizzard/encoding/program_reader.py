"""`ProgramReader`: the common base of decoders to objects and to columns."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from playhead.bits.byte_reader import ByteReader
from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.errors import CorruptReplay
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
