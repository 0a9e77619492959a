"""Decompress single blocks of a bzip2 stream: a damaged block does not cost the blocks after it.

A stream is the head ``BZh9``, blocks of up to 900 kB unpacked data, and an end mark. Each block starts at any bit
with a mark of 48 bits and the CRC of its data, so a block with a new head and end is a stream of its own
(https://en.wikipedia.org/wiki/Bzip2#File_format).
"""

from __future__ import annotations

import bz2
from collections.abc import Iterator

_HEAD_SIZE = 4
_MARK_BITS = 48
_CRC_BITS = 32
_BLOCK = 0x314159265359
_END = 0x177245385090
#: The most that one block unpacks to: runs of 255 equal bytes take five of its 900,000.
_MOST_UNPACKED = 900_000 * 52
#: More marks than a damaged stream can have: the data is noise.
_MOST_MARKS = 256


def _marks(packed: bytes) -> list[tuple[int, bool]]:
    """Return the bits at which blocks and the end mark (true) begin, in ascending order."""
    found: list[tuple[int, bool]] = []
    for mark, ends in ((_BLOCK, False), (_END, True)):
        for shift in range(8):
            # The whole bytes of a mark that begins at bit `shift` of the byte before them.
            inner = mark.to_bytes(6, "big") if not shift else (mark >> shift & (1 << 40) - 1).to_bytes(5, "big")
            at = packed.find(inner, _HEAD_SIZE)
            while at >= 0 and len(found) < _MOST_MARKS:
                bit = at * 8 if not shift else at * 8 - 8 + shift
                if _bits(packed, bit, _MARK_BITS) == mark:
                    found.append((bit, ends))
                at = packed.find(inner, at + 1)
    return sorted(found)


def _bits(packed: bytes, start: int, count: int) -> int:
    """Return `count` bits from bit `start` as a number; fewer at the end of `packed`."""
    stop = min(start + count, len(packed) * 8)
    whole = int.from_bytes(packed[start >> 3 : (stop + 7) >> 3], "big")
    return whole >> (-stop & 7) & ((1 << (stop - start)) - 1)


def _unpack_block(packed: bytes, start: int, stop: int, most: int) -> bytes | None:
    """Return the data of the block between two bits; None if it is damaged or longer than `most` bytes."""
    crc = _bits(packed, start + _MARK_BITS, _CRC_BITS)
    bits = (_bits(packed, start, stop - start) << _MARK_BITS | _END) << _CRC_BITS | crc
    count = stop - start + _MARK_BITS + _CRC_BITS
    stream = b"BZh9" + (bits << (-count & 7)).to_bytes((count + 7) >> 3, "big")
    unpacker = bz2.BZ2Decompressor()
    try:
        out = unpacker.decompress(stream, most + 1)
    except OSError:
        return None
    return out if unpacker.eof and len(out) <= most else None


def _backwards(packed: bytes, most: int) -> Iterator[bytes]:
    """Yield the data of sound blocks, from the last back to the first damaged one."""
    marks = _marks(packed)
    if not marks or not marks[-1][1]:
        return  # the end is missing, so the distances of blocks from it are unknown
    for (start, ends), (stop, _) in zip(marks[-2::-1], marks[:0:-1], strict=True):
        out = None if ends else _unpack_block(packed, start, stop, min(most, _MOST_UNPACKED))
        if out is None:
            return
        most -= len(out)
        yield out


def sound_blocks(packed: bytes, before: int, size: int) -> bytes:
    """Return the data after the last damaged block of a bzip2 stream of `size` unpacked bytes; `before` bytes
    are already known. Empty if the last block is damaged or the end is missing."""
    return b"".join(reversed(list(_backwards(packed, size - before))))
