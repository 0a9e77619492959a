"""``(attributes)``: the checksums that the archive keeps of its own members."""

from __future__ import annotations

import struct

from playhead.errors import CorruptReplay

VERSION = 100
HAS_CRC32 = 1
HAS_FILETIME = 2
HAS_MD5 = 4

#: Bytes for each block of each column, in the order of the file.
_COLUMN_SIZES = ((HAS_CRC32, 4), (HAS_FILETIME, 8), (HAS_MD5, 16))


def read_checksums(data: bytes, blocks: int) -> tuple[int, ...]:
    """The CRC-32 of the unpacked data of every block, 0 where none is kept; empty if the file has no CRC-32.

    Raises:
        CorruptReplay: an unknown version, or not as many rows as `blocks`.
    """
    if len(data) < 8:
        raise CorruptReplay(f"expected at least 8 bytes, found {len(data)}")
    version, columns = struct.unpack_from("<II", data)
    if version != VERSION:
        raise CorruptReplay(f"expected version {VERSION}, found {version}")
    wanted = 8 + sum(size * blocks for flag, size in _COLUMN_SIZES if columns & flag)
    if columns & ~(HAS_CRC32 | HAS_FILETIME | HAS_MD5) or len(data) != wanted:
        raise CorruptReplay(
            f"expected {wanted} bytes for {blocks} blocks, found {len(data)} (columns {columns:#x})"
        )
    if not columns & HAS_CRC32:
        return ()
    checksums: tuple[int, ...] = struct.unpack_from(f"<{blocks}I", data, 8)
    return checksums


def write_checksums(crc32: list[int], md5: list[bytes]) -> bytes:
    """The member with a CRC-32 and an MD5 for every block."""
    count = len(crc32)
    return struct.pack(f"<II{count}I", VERSION, HAS_CRC32 | HAS_MD5, *crc32) + b"".join(md5)
