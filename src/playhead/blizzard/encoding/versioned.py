"""The tagged ("versioned") encoding: every value has a tag with its kind, so it can be read without a type table.

The header of retail replays, ``replay.details`` and ``replay.tracker.events`` are written in it. A value is one
tag byte and then:

===  =========  ==================================================================================
tag  kind       what follows
===  =========  ==================================================================================
0    array      vint count, then that many values
1    bit array  vint count of bits, then the bits in whole bytes
2    blob       vint count, then that many bytes
3    choice     vint number of the alternative, then its value
4    optional   one byte, 0 or 1; where it is not 0, a value
5    struct     vint count, then that many pairs of vint field number and value
6    u8         one byte
7    u32        four bytes, little-endian
8    u64        eight bytes, little-endian
9    vint       `ByteReader.read_vint`
===  =========  ==================================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from playhead.bits.byte_reader import ByteReader
from playhead.blizzard.encoding import tags
from playhead.errors import CorruptReplay, LimitExceeded

#: Nested values are read by recursion, which never goes deeper, even if the caller allows more.
DEEPEST = 400


class StoredBits(NamedTuple):
    """`bits` bits, in the whole bytes that hold them."""

    bits: int
    data: bytes


class Choice(NamedTuple):
    """One of several alternatives: its number and its value."""

    tag: int
    value: Any


class VersionedReader:
    """Reads tagged values from `data`, starting at byte `offset`.

    A struct becomes a dict by field number, an array a list, a blob bytes, an absent optional None, and the four
    kinds of integer an int; see also `StoredBits` and `Choice`.

    `max_depth` bounds nesting, `max_elements` the array elements and struct fields of one whole value; both raise
    `LimitExceeded`. Invalid bytes raise `CorruptReplay`, a value without its end `TruncatedReplay`.
    """

    def __init__(
        self,
        data: bytes | bytearray | memoryview,
        offset: int = 0,
        *,
        max_depth: int = 64,
        max_elements: int = 1 << 20,
    ) -> None:
        self._bytes = ByteReader(data, offset)
        self._max_depth = max_depth if max_depth < DEEPEST else DEEPEST
        self._max_elements = max_elements
        self._elements_left = max_elements

    def tell(self) -> int:
        """Return the current byte offset."""
        return self._bytes.tell()

    def remaining(self) -> int:
        """Return the number of remaining bytes."""
        return self._bytes.remaining()

    def _expected(self, what: str, found: int) -> NoReturn:
        raise CorruptReplay(f"expected {what}, found {found}", offset=self._bytes.tell())

    def _count(self, what: str) -> int:
        """Read a count of elements or fields; each takes at least two bytes, an empty optional."""
        count = self._bytes.read_vint()
        if count < 0:
            self._expected(what, count)
        if count > self._elements_left:
            raise LimitExceeded(
                f"expected a value of at most {self._max_elements} elements, found one of more",
                offset=self._bytes.tell(),
            )
        if count * 2 > self._bytes.remaining():
            self._bytes.skip(count * 2)  # raises
        self._elements_left -= count
        return count

    def read_value(self) -> Any:
        """Return the value at the current offset, of any kind."""
        self._elements_left = self._max_elements
        return self._value(self._max_depth)

    def _value(self, depth: int) -> Any:
        tag = self._bytes.read_u8()
        if tag == tags.VINT:
            return self._bytes.read_vint()
        if tag == tags.BLOB:
            count = self._bytes.read_vint()
            if count < 0:
                self._expected("the size of a blob", count)
            return self._bytes.read_bytes(count)
        if tag == tags.U8:
            return self._bytes.read_u8()
        if tag == tags.U32:
            return self._bytes.read_u32()
        if tag == tags.U64:
            return self._bytes.read_u64()
        if tag == tags.BIT_ARRAY:
            count = self._bytes.read_vint()
            if count < 0:
                self._expected("the size of a bit array", count)
            return StoredBits(count, self._bytes.read_bytes((count + 7) >> 3))
        if depth <= 0:
            raise LimitExceeded(f"expected at most {self._max_depth} levels of nesting", offset=self._bytes.tell())
        if tag == tags.STRUCT:
            fields: dict[int, Any] = {}
            for _ in range(self._count("the number of fields of a struct")):
                number = self._bytes.read_vint()
                fields[number] = self._value(depth - 1)
            return fields
        if tag == tags.ARRAY:
            elements = []  # a comprehension would be a second frame of each level, until Python 3.12
            for _ in range(self._count("the number of elements of an array")):
                elements.append(self._value(depth - 1))
            return elements
        if tag == tags.OPTIONAL:
            count = self._bytes.read_u8()
            if count > 1:
                self._expected("0 or 1 before an optional value", count)
            return self._value(depth - 1) if count else None
        if tag == tags.CHOICE:
            count = self._bytes.read_vint()
            return Choice(count, self._value(depth - 1))
        raise CorruptReplay(f"expected the tag of a value, 0 to 9, found {tag}", offset=self._bytes.tell() - 1)
