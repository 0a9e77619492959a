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
===  =========  =================================================================================="""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn, Protocol, TypeVar

from playhead.bits.byte_reader import ByteReader
from playhead.blizzard.encoding import tags
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.limits import Limits

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


_Default = TypeVar("_Default")
_REQUIRED: Any = object()


class _Reader(Protocol):
    def remaining(self) -> int: ...
    def tell(self) -> int: ...


def check_end(reader: _Reader, what: str) -> None:
    """Raise CorruptReplay if bytes follow after `what`."""
    if reader.remaining():
        raise CorruptReplay(
            f"expected the end after the {what}, found {reader.remaining()} more bytes", offset=reader.tell()
        )


def whole_value(data: bytes, limits: Limits, what: str) -> Any:
    """Return the tagged value that `data` is to its last byte; `what` names it in errors."""
    reader = VersionedReader(data, max_depth=limits.depth, max_elements=limits.elements)
    value = reader.read_value()
    check_end(reader, what)
    return value


class TaggedStruct:
    """A struct from `VersionedReader.read_value`.

    Each method takes the field's number and Blizzard's name for it. A missing field and an optional one without a
    value give `default`, and raise `CorruptReplay` without a default. A value of another kind always raises
    `CorruptReplay`.
    """

    __slots__ = ("_values", "_what")

    def __init__(self, values: dict[int, Any], what: str) -> None:
        self._values = values
        self._what = what

    @classmethod
    def of(cls, value: Any, what: str) -> TaggedStruct:
        """Return `value`, which must be a struct; `what` names it in errors."""
        if not isinstance(value, dict):
            raise CorruptReplay(f"expected {what} to be a struct, found {type(value).__name__}")
        return cls(value, what)

    def _get(self, number: int, name: str, kind: type, default: Any) -> Any:
        value = self._values.get(number)
        if isinstance(value, kind):
            return value
        if value is None:
            if default is not _REQUIRED:
                return default
            raise CorruptReplay(f"expected {self._what} to have field {number} ({name})")
        raise CorruptReplay(
            f"expected field {number} ({name}) of {self._what} to be {kind.__name__}, found {type(value).__name__}"
        )

    def integer(self, number: int, name: str, default: _Default = _REQUIRED, bits: int = 64) -> int | _Default:
        """Return an integer that fits in `bits` bits with sign."""
        result: int | _Default = self._get(number, name, int, default)
        if isinstance(result, int) and not -1 << bits - 1 <= result < 1 << bits - 1:
            raise CorruptReplay(f"expected {name} to fit {bits} bits, found {result}")
        return result

    def blob(self, number: int, name: str, default: _Default = _REQUIRED) -> bytes | _Default:
        result: bytes | _Default = self._get(number, name, bytes, default)
        return result

    def array(self, number: int, name: str, default: _Default = _REQUIRED) -> list[Any] | _Default:
        result: list[Any] | _Default = self._get(number, name, list, default)
        return result

    def struct(self, number: int, name: str, default: _Default = _REQUIRED) -> TaggedStruct | _Default:
        value: Any = self._get(number, name, dict, default)
        return TaggedStruct(value, name) if isinstance(value, dict) else value
