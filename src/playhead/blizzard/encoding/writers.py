"""Writers of single values of both encodings, for changes within recordings."""

from __future__ import annotations

from playhead.bits import ByteWriter
from playhead.blizzard.encoding import tags
from playhead.blizzard.encoding.bit_packed import LOOP_DELTA_WIDTHS


class BitPackedWriter:
    """Collects bits as `bit_packed` reads them; `to_bytes` returns them, padded with zero bits."""

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


def tagged(value: bytes | int, tag: int = tags.VINT) -> bytes:
    """Return bytes as a tagged blob, or a number as a tagged value of a kind."""
    out = ByteWriter()
    out.write_u8(tags.BLOB if isinstance(value, bytes) else tag)
    if isinstance(value, bytes):
        out.write_vint(len(value))
        out.write_bytes(value)
    elif tag == tags.U32:
        out.write_u32(value)
    elif tag == tags.U64:
        out.write_u64(value)
    else:
        out.write_vint(value)
    return out.to_bytes()
