"""Writes the bit-packed encoding: the mirror image of `playhead.sc2.encoding.bit_packed`."""

from __future__ import annotations


class BitPackedWriter:
    """Collects bits; `to_bytes` gives them, the last byte filled up with zero bits."""

    def __init__(self) -> None:
        self._out = bytearray()
        self._free = 0  # bits of the last byte that are not taken yet: its highest

    def to_bytes(self) -> bytes:
        """Everything written so far."""
        return bytes(self._out)

    def write_int(self, value: int, count: int) -> None:
        """`value` in `count` bits, its highest bits first; each byte is filled from its lowest bit on."""
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

    def write_bool(self, value: bool) -> None:
        self.write_int(1 if value else 0, 1)

    def align(self) -> None:
        """Leave the rest of the last byte zero."""
        self._free = 0

    def write_aligned_bytes(self, data: bytes) -> None:
        """`data` from the next start of a byte on."""
        self.align()
        self._out += data

    def write_blob(self, data: bytes, length_bits: int) -> None:
        """The byte count in `length_bits` bits, then `data` from the next start of a byte on."""
        self.write_int(len(data), length_bits)
        self.write_aligned_bytes(data)
