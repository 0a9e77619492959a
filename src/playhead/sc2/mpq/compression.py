"""Packing of one unit of an MPQ member: a whole single-unit member, or one sector.

A packed unit starts with a byte that names the method. Of the format's many methods replays use two: bzip2
(about 97 of 100 units seen) and zlib.
"""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable

from playhead.errors import CorruptReplay, ReplayError, TruncatedReplay, UnsupportedVersion
from playhead.runtime.records import dataclass
from playhead.sc2.mpq.bzip2_blocks import sound_blocks

ZLIB = 0x02
BZIP2 = 0x10

METHOD_NAMES = {ZLIB: "zlib", BZIP2: "bzip2"}

#: Damage loses what one piece of packed data gives, so that pieces are small.
_STEP = 4096


@dataclass(frozen=True, slots=True)
class Damage:
    """A gap in a member: bytes `start` to `end` of what it unpacks to could not be read. The data have zeros
    there, or end at `start` if nothing behind it could be read either; how much that is may not be known (None).
    """

    error: ReplayError
    start: int
    end: int | None

    @property
    def cost(self) -> str:
        """What is missing, in words."""
        return f"its bytes from {self.start} on" if self.end is None else f"its bytes {self.start} to {self.end}"


#: Called with damage that leaves some data; without one, such damage is raised.
OnDamage = Callable[[Damage], None]


def unpack(unit: bytes | memoryview, size: int, on_damage: OnDamage | None = None) -> bytes:
    """The `size` bytes that a packed unit (method byte first) stands for.

    Never makes more than `size` + 1 bytes, whatever the unit would expand to. Where it gives fewer, `on_damage`
    is called with it, if there is one, and they are returned; of bzip2 the blocks behind a damaged one too.

    Raises:
        UnsupportedVersion: packed with a method that no replay has been seen to use.
        TruncatedReplay: the packed data is cut.
        CorruptReplay: it is damaged, or does not give `size` bytes.
    """
    method = unit[0] if len(unit) else None
    packed = bytes(unit[1:])
    if method == BZIP2:
        out, ended, broken = _bunzip(packed, size + 1)
        if broken is not None:
            if on_damage is None:
                raise broken
            behind = sound_blocks(packed, len(out), size)
            if not out and not behind:
                raise broken
            end = size - len(behind)
            on_damage(Damage(broken, len(out), end))
            return out + bytes(end - len(out)) + behind if behind else out
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
    """Up to `most` bytes, whether the data end there, and what is wrong with the first block that is damaged;
    the blocks before it, of 900 kB, are kept."""
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
    """`data` as a packed unit. Deterministic, but not what the game would have written byte for byte."""
    if method == BZIP2:
        return bytes((BZIP2,)) + bz2.compress(data)
    if method == ZLIB:
        return bytes((ZLIB,)) + zlib.compress(data)
    raise ValueError(f"expected ZLIB or BZIP2, got {method:#x}")
