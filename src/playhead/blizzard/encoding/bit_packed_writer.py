"""Writes the bit-packed encoding: the mirror image of `playhead.blizzard.encoding.bit_packed`."""

from __future__ import annotations

from collections.abc import Collection

from playhead.blizzard.encoding.bit_packed import LOOP_DELTA_WIDTHS

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
