"""Writers of both encodings: the mirror images of `bit_packed` and `versioned`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from playhead.bits import ByteWriter
from playhead.blizzard.encoding import tags
from playhead.blizzard.encoding.bit_packed import LOOP_DELTA_WIDTHS
from playhead.blizzard.encoding.versioned import Choice, StoredBits

#: Bits of one word of an array of bits.
_WORD_BITS = 32


class BitPackedWriter:
    """Collects bits; `to_bytes` returns them, padded with zero bits."""

    def __init__(self) -> None:
        self._out = bytearray()
        self._free = 0  # free bits of the last byte: its highest

    def to_bytes(self) -> bytes:
        """Return everything written so far."""
        return bytes(self._out)

    def write_int(self, value: int, count: int) -> None:
        """Write `value` in `count` bits, its highest bits first; each byte is filled from its lowest bit on."""
        if value < 0 or value >> count:
            raise ValueError(f"{value} does not fit {count} bits")
        while count:
            if not self._free:
                self._out.append(0)
                self._free = 8
            step = min(self._free, count)
            count -= step
            self._out[-1] |= ((value >> count) & ((1 << step) - 1)) << (8 - self._free)
            self._free -= step

    def write_loop_delta(self, delta: int) -> None:
        """Write game loops since the last event, in the smallest possible width."""
        size, width = next(found for found in enumerate(LOOP_DELTA_WIDTHS) if delta >> found[1] == 0)
        self.write_int(size, 2)
        self.write_int(delta, width)

    def write_bit_indices(self, indices: Collection[int], count: int) -> None:
        """Write an array of `count` bits with those at `indices` set (see `BitArray`)."""
        for first in range(0, count, _WORD_BITS):
            size = min(_WORD_BITS, count - first)
            self.write_int(_word_of(indices, first, size), size)

    def write_bool(self, value: bool) -> None:
        self.write_int(1 if value else 0, 1)

    def align(self) -> None:
        """Fill the last byte with zero bits."""
        self._free = 0

    def write_aligned_bytes(self, data: bytes) -> None:
        """Write `data` from the start of the next byte."""
        self.align()
        self._out += data

    def write_blob(self, data: bytes, length_bits: int) -> None:
        """Write the byte count in `length_bits` bits, then `data` from the start of the next byte."""
        self.write_int(len(data), length_bits)
        self.write_aligned_bytes(data)


def _word_of(indices: Collection[int], first: int, count: int) -> int:
    """Return the integer with `count` (at most 32) bits from `first` on."""
    wanted = {index - first for index in indices}
    word = 0
    for start in range(0, count, 8):
        width = min(8, count - start)
        chunk = sum(1 << bit for bit in range(width) if start + bit in wanted)
        word = word << width | chunk
    return word


class AsU8(NamedTuple):
    """A flag, which is written as a number of one byte."""

    value: bool | None


class AsU32(NamedTuple):
    """A number that is written in four bytes."""

    value: int


class AsOptional(NamedTuple):
    """A value that the encoding marks as optional; None is absent."""

    value: Any


class VersionedWriter:
    """Collects tagged values; `to_bytes` returns them.

    `write_value` chooses the kind from the Python type; the methods named after a kind write values without a
    Python type of their own. After `begin_array`, `begin_struct` and so on the caller writes the announced values.
    """

    def __init__(self) -> None:
        self._out = ByteWriter()

    def to_bytes(self) -> bytes:
        """Return everything written so far."""
        return self._out.to_bytes()

    def begin_array(self, count: int) -> None:
        """Begin an array; `count` values follow."""
        self._out.write_u8(tags.ARRAY)
        self._out.write_vint(count)

    def write_bit_array(self, value: StoredBits) -> None:
        if len(value.data) != (value.bits + 7) // 8:
            raise ValueError(f"{value.bits} bits do not take {len(value.data)} bytes")
        self._out.write_u8(tags.BIT_ARRAY)
        self._out.write_vint(value.bits)
        self._out.write_bytes(value.data)

    def write_blob(self, value: bytes) -> None:
        self._out.write_u8(tags.BLOB)
        self._out.write_vint(len(value))
        self._out.write_bytes(value)

    def begin_choice(self, tag: int) -> None:
        """Begin a choice; its value follows."""
        self._out.write_u8(tags.CHOICE)
        self._out.write_vint(tag)

    def begin_optional(self, present: bool) -> None:
        """Begin an optional; its value follows if it is present."""
        self._out.write_u8(tags.OPTIONAL)
        self._out.write_u8(1 if present else 0)

    def begin_struct(self, count: int) -> None:
        """Begin a struct; `count` pairs of `write_field_number` and a value follow."""
        self._out.write_u8(tags.STRUCT)
        self._out.write_vint(count)

    def write_field_number(self, number: int) -> None:
        self._out.write_vint(number)

    def write_u8(self, value: int) -> None:
        self._out.write_u8(tags.U8)
        self._out.write_u8(value)

    def write_u32(self, value: int) -> None:
        self._out.write_u8(tags.U32)
        self._out.write_u32(value)

    def write_u64(self, value: int) -> None:
        self._out.write_u8(tags.U64)
        self._out.write_u64(value)

    def write_vint(self, value: int) -> None:
        if not -1 << 63 < value < 1 << 63:
            raise ValueError(f"{value} does not fit a vint of 64 bits")
        self._out.write_u8(tags.VINT)
        self._out.write_vint(value)

    def write_value(self, value: Any) -> None:
        """Write a dict as a struct, a list as an array, bytes as a blob, an int as a vint, None as an absent
        optional.

        Raises:
            TypeError: a value of another type.
            ValueError: an int that does not fit in a vint of 64 bits.
        """
        match value:
            case StoredBits():
                self.write_bit_array(value)
            case AsU8():
                self.write_u8(1 if value.value else 0)
            case AsU32():
                self.write_u32(value.value)
            case AsOptional():
                self.begin_optional(value.value is not None)
                if value.value is not None:
                    self.write_value(value.value)
            case Choice():
                self.begin_choice(value.tag)
                self.write_value(value.value)
            case dict():
                self.begin_struct(len(value))
                for number, field in value.items():
                    self.write_field_number(number)
                    self.write_value(field)
            case list():
                self.begin_array(len(value))
                for element in value:
                    self.write_value(element)
            case bytes():
                self.write_blob(value)
            case int():
                self.write_vint(value)
            case None:
                self.begin_optional(False)
            case _:
                raise TypeError(f"the tagged encoding has no kind for {type(value).__name__}")
