"""Valve's LZSS, the compression of initial string tables in recordings of 2015.

Layout: ``LZSS``, the unpacked size as u32 little-endian, then groups of a command byte and eight items. A
command bit (lowest first) of 0 is a literal byte. A bit of 1 is two bytes: 12 bits of distance less one (upper
byte first) and 4 bits of length less one; a length of one ends the data.
"""

from __future__ import annotations

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded

MAGIC = b"LZSS"


def unpack(data: bytes, most: int) -> bytes:
    """Return the unpacked data.

    Raises:
        LimitExceeded: it declares more than `most` bytes.
        TruncatedReplay: the data ends too early.
        CorruptReplay: a reference goes before the start, or the size is not the declared one.
    """
    reader = ByteReader(data)
    if reader.read_bytes(len(MAGIC)) != MAGIC:
        raise CorruptReplay(f"expected the magic bytes {MAGIC!r}", offset=0)
    size = reader.read_u32()
    if size > most:
        raise LimitExceeded(f"an LZSS block of {size} bytes is over the limit of {most}")
    out = bytearray()
    while True:
        commands = reader.read_u8()
        for bit in range(8):
            if not commands >> bit & 1:
                out.append(reader.read_u8())
                continue
            upper, lower = reader.read_u8(), reader.read_u8()
            distance, count = (upper << 4 | lower >> 4) + 1, (lower & 15) + 1
            if count == 1:
                if len(out) != size:
                    raise CorruptReplay(f"expected {size} unpacked bytes, found {len(out)}", offset=reader.tell())
                return bytes(out)
            if distance > len(out):
                raise CorruptReplay(
                    f"expected a reference into {len(out)} bytes, found distance {distance}", offset=reader.tell()
                )
            for _ in range(count):
                out.append(out[-distance])
        if len(out) > size:
            raise CorruptReplay(f"expected {size} unpacked bytes, found more", offset=reader.tell())
