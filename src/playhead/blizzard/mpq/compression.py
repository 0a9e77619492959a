"""Packing of one unit of an MPQ member: a whole single-unit member, or one sector.

The first byte of a packed unit names the method. Replays use two of the format's many methods: bzip2 (about 97 of
100 units) and zlib.

Blocks of a bzip2 stream are decompressed alone, so a damaged block does not cost those after it. A stream is the
head ``BZh9``, blocks of up to 900 kB unpacked data, and an end mark. Each block starts at any bit with a mark of
48 bits and the CRC of its data, so a block with a new head and end is a stream of its own
(https://en.wikipedia.org/wiki/Bzip2#File_format).
"""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable, Iterator

from playhead.errors import CorruptReplay, ReplayError, TruncatedReplay, UnsupportedVersion
from playhead.runtime.records import dataclass

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


ZLIB = 0x02
BZIP2 = 0x10

METHOD_NAMES = {ZLIB: "zlib", BZIP2: "bzip2"}

#: Damage costs one piece of packed data, so pieces are small.
_STEP = 4096


@dataclass(frozen=True, slots=True)
class Damage:
    """A gap in a member: its unpacked bytes from `start` to `end` are lost. The data has zeros there; if nothing
    after the gap is readable, the data ends at `start`, and `end` may be None (unknown)."""

    error: ReplayError
    start: int
    end: int | None

    @property
    def cost(self) -> str:
        """Describe the lost bytes."""
        return f"its bytes from {self.start} on" if self.end is None else f"its bytes {self.start} to {self.end}"


#: Called with damage that leaves some data sound.
OnDamage = Callable[[Damage], None]


def unpack(unit: bytes | memoryview, size: int, on_damage: OnDamage | None = None) -> bytes:
    """Return the `size` bytes of a packed unit (method byte first).

    Never decompresses more than `size` + 1 bytes. A damaged unit raises, or, if `on_damage` is given, is passed to
    it, and the sound bytes are returned; with bzip2 also the blocks after a damaged one.

    Raises:
        UnsupportedVersion: packed with a method that no known replay uses.
        TruncatedReplay: the packed data is cut.
        CorruptReplay: it is damaged, or unpacks to another size.
    """
    method = unit[0] if len(unit) else None
    packed = bytes(unit[1:])
    if method == BZIP2:
        out, ended, broken = _bunzip(packed, size + 1)
        if broken is not None:
            if on_damage is None:
                raise broken
            after = sound_blocks(packed, len(out), size)
            if not out and not after:
                raise broken
            end = size - len(after)
            on_damage(Damage(broken, len(out), end))
            return out + bytes(end - len(out)) + after if after else out
    elif method == ZLIB:
        inflater = zlib.decompressobj()
        try:
            out = inflater.decompress(packed, size + 1)
        except zlib.error as error:
            raise CorruptReplay(f"expected sound zlib data: {error}") from None
        ended = inflater.eof
    elif method is None:
        raise TruncatedReplay("expected packed data, found nothing")
    else:
        raise UnsupportedVersion(
            f"expected data packed with zlib (0x02) or bzip2 (0x10), found the method byte {method:#04x}"
        )
    name = METHOD_NAMES[method]
    if len(out) > size:
        raise CorruptReplay(f"expected {size} bytes unpacked, but the {name} data goes on")
    if len(out) < size:
        short: ReplayError
        if ended:
            short = CorruptReplay(f"expected {size} bytes unpacked, but the {name} data ends after {len(out)}")
        else:
            short = TruncatedReplay(f"expected {size} bytes unpacked, but the {name} data is cut after {len(out)}")
        if on_damage is None or not out:
            raise short
        on_damage(Damage(short, len(out), size))
    return out


def _bunzip(packed: bytes, most: int) -> tuple[bytes, bool, ReplayError | None]:
    """Return up to `most` bytes, whether the data ends there, and the error of the first damaged block. The blocks
    of 900 kB before it are sound."""
    stream = bz2.BZ2Decompressor()
    try:
        whole = stream.decompress(packed, most)
    except OSError:
        return _bunzip_pieces(packed, most)
    return whole, stream.eof, None


def _bunzip_pieces(packed: bytes, most: int) -> tuple[bytes, bool, ReplayError | None]:
    """Return the same as `_bunzip`. An error costs all that its call has made, so this feeds small pieces."""
    stream = bz2.BZ2Decompressor()
    out = bytearray()
    for at in range(0, len(packed), _STEP):
        piece = packed[at : at + _STEP]
        try:
            while len(out) < most and not stream.eof:
                made = stream.decompress(piece, most - len(out))
                out += made
                piece = b""
                if not made and stream.needs_input:
                    break
        except OSError as error:
            return bytes(out), False, CorruptReplay(f"expected sound bzip2 data: {error}")
        if len(out) >= most or stream.eof:
            break
    return bytes(out), stream.eof, None


def pack(data: bytes, method: int) -> bytes:
    """Return `data` as a packed unit. Deterministic, but not byte for byte as the game's."""
    if method == BZIP2:
        return bytes((BZIP2,)) + bz2.compress(data)
    if method == ZLIB:
        return bytes((ZLIB,)) + zlib.compress(data)
    raise ValueError(f"expected ZLIB or BZIP2, got {method:#x}")
