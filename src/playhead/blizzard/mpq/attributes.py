"""``(attributes)``: the checksums that the archive keeps of its own members."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

from playhead.blizzard.mpq.crypt import md5
from playhead.errors import CorruptReplay
from playhead.runtime.records import dataclass

VERSION = 100
HAS_CRC32 = 1
HAS_FILETIME = 2
HAS_MD5 = 4

#: The first bytes of the member.
CHECKSUMS_HEAD = struct.pack("<I", VERSION)


@dataclass(frozen=True, slots=True)
class Checksums:
    """Checksums of the unpacked data of one block; 0 and zero bytes if not recorded."""

    crc32: int
    md5: bytes

    @classmethod
    def of(cls, data: bytes) -> Checksums:
        return cls(zlib.crc32(data), md5(data))

    def check(self, data: bytes) -> None:
        """Raise CorruptReplay if `data` has other checksums."""
        if self.crc32 and zlib.crc32(data) != self.crc32:
            raise CorruptReplay(f"expected the CRC-32 {self.crc32:#010x}, found {zlib.crc32(data):#010x}")
        if any(self.md5) and md5(data) != self.md5:
            raise CorruptReplay(f"expected the MD5 {self.md5.hex()}, found another")


NO_CHECKSUMS = Checksums(0, bytes(16))


def read_checksums(data: bytes, blocks: int) -> list[Checksums]:
    """Return the checksums of every block of the archive.

    Raises:
        CorruptReplay: an unknown version, or not as many rows as `blocks`.
    """
    if len(data) < 8:
        raise CorruptReplay(f"expected at least 8 bytes, found {len(data)}")
    version, columns = struct.unpack_from("<II", data)
    if version != VERSION or columns & ~(HAS_CRC32 | HAS_FILETIME | HAS_MD5):
        raise CorruptReplay(f"expected version {VERSION} and columns up to 0x7, found {version} and {columns:#x}")
    # One column after the other, each with a value for every block.
    sizes = [size if columns & flag else 0 for flag, size in ((HAS_CRC32, 4), (HAS_FILETIME, 8), (HAS_MD5, 16))]
    if len(data) != 8 + sum(sizes) * blocks:
        raise CorruptReplay(f"expected {8 + sum(sizes) * blocks} bytes for {blocks} blocks, found {len(data)}")
    crc32: Sequence[int] = (0,) * blocks
    md5: Sequence[bytes] = (bytes(16),) * blocks
    if columns & HAS_CRC32:
        crc32 = struct.unpack_from(f"<{blocks}I", data, 8)
    if columns & HAS_MD5:
        start = len(data) - 16 * blocks
        md5 = [data[start + 16 * i : start + 16 * i + 16] for i in range(blocks)]
    return [Checksums(*both) for both in zip(crc32, md5, strict=True)]


def read_all_checksums(data: bytes) -> list[Checksums]:
    """Return the checksums of every block if the number of blocks is unknown.

    Raises:
        CorruptReplay: `data` is not this member.
    """
    version, columns = struct.unpack_from("<II", data) if len(data) >= 8 else (0, 0)
    row = sum(size for flag, size in ((HAS_CRC32, 4), (HAS_FILETIME, 8), (HAS_MD5, 16)) if columns & flag)
    if version != VERSION or not row or (len(data) - 8) % row:
        raise CorruptReplay(f"expected version {VERSION} and whole columns, found {version} and {len(data)} bytes")
    return read_checksums(data, (len(data) - 8) // row)


def write_checksums(blocks: Sequence[Checksums]) -> bytes:
    """Return the member as today's game writes it: CRC-32 and MD5 for every block."""
    crc32 = struct.pack(f"<{len(blocks)}I", *(block.crc32 for block in blocks))
    return struct.pack("<II", VERSION, HAS_CRC32 | HAS_MD5) + crc32 + b"".join(block.md5 for block in blocks)
