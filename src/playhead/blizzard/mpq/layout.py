"""The layout of an MPQ archive: user data, archive header, hash table, block table.

All offsets in the archive header and in blocks count from the archive header, not from the start of the file.
"""

from __future__ import annotations

import struct

from playhead.blizzard.mpq.crypt import KEY, decrypt, hash_name, md5
from playhead.errors import CorruptReplay, LimitExceeded, TruncatedReplay
from playhead.limits import Limits
from playhead.runtime.records import dataclass

USER_DATA_MAGIC = b"MPQ\x1b"
ARCHIVE_MAGIC = b"MPQ\x1a"

#: Bytes that the game reserves for user data.
USER_DATA_CAPACITY = 512

#: Archive header sizes by format version. Replays have two: 1 (builds up to 21029) and 3 (from 22612 on).
HEADER_SIZES = {0: 32, 1: 44, 3: 208}

#: Bytes of a row of either table.
ENTRY_SIZE = 16

#: Rows of either table; replays have 32 at most.
MAX_ENTRIES = 1 << 16

#: Bytes of the list of names; real ones have less than 1 kB, and every name costs two hashes.
MAX_LISTFILE = 1 << 20

#: In a hash entry, instead of a block index: never used; deleted.
HASH_EMPTY = 0xFFFFFFFF
HASH_DELETED = 0xFFFFFFFE

HASH_TABLE_KEY = hash_name("(hash table)", KEY)
BLOCK_TABLE_KEY = hash_name("(block table)", KEY)

FLAG_IMPLODE = 0x00000100
FLAG_COMPRESS = 0x00000200
FLAG_ENCRYPTED = 0x00010000
FLAG_FIX_KEY = 0x00020000
FLAG_PATCH = 0x00100000
FLAG_SINGLE_UNIT = 0x01000000
FLAG_SECTOR_CRC = 0x04000000
FLAG_EXISTS = 0x80000000


@dataclass(frozen=True, slots=True)
class UserData:
    """The user data at the start of the file, before the archive.

    Attributes:
        archive_offset: byte offset of the archive header in the file.
        content: the user data; of a replay, the replay header.
    """

    archive_offset: int
    content: memoryview

    #: Byte offset of `content` in the file.
    OFFSET = 16

    @classmethod
    def read(cls, data: memoryview) -> UserData:
        """Return the user data of a file that starts with `USER_DATA_MAGIC`, as far as a cut file has it."""
        if len(data) < cls.OFFSET:
            raise TruncatedReplay(f"expected a user data header of 16 bytes, found {len(data)}", offset=len(data))
        magic, _capacity, archive_offset, size = struct.unpack_from("<4s3I", data)
        if magic != USER_DATA_MAGIC:
            raise CorruptReplay(f"expected the user data magic {USER_DATA_MAGIC!r}, found {magic!r}", offset=0)
        return cls(archive_offset, data[cls.OFFSET : cls.OFFSET + size])

    @staticmethod
    def front(archive_offset: int, size: int) -> bytes:
        """Return the bytes before `content` of this size."""
        return struct.pack("<4s3I", USER_DATA_MAGIC, USER_DATA_CAPACITY, archive_offset, size)

    @staticmethod
    def leads_to(data: memoryview, archive_offset: int) -> bool:
        """Return whether the start of a file fits an archive at this offset."""
        return data[:4] == USER_DATA_MAGIC and struct.unpack_from("<I", data, 8) == (archive_offset,)


@dataclass(frozen=True, slots=True)
class ArchiveHeader:
    """The archive header.

    Attributes:
        offset: byte offset of the archive in the file; all other offsets count from here.
        format_version: 0, 1 or 3 (the field's own count, which starts at 0).
        archive_size: declared bytes from the header to the end of the archive.
        sector_size: unpacked bytes of a sector, for members in several sectors.
        hash_table_md5, block_table_md5: digests of the two stored tables in format 3; else None.
        chunk_size: the MD5 of every so many stored bytes follows a member; 0 if none does.
    """

    offset: int
    format_version: int
    archive_size: int
    sector_size: int
    hash_table_offset: int
    block_table_offset: int
    hash_table_entries: int
    block_table_entries: int
    hash_table_md5: bytes | None = None
    block_table_md5: bytes | None = None
    chunk_size: int = 0

    @classmethod
    def read(cls, data: memoryview, offset: int) -> ArchiveHeader:
        """Return the header at byte `offset` of the file."""
        if offset + 32 > len(data):
            raise TruncatedReplay(
                f"expected an archive header at {offset:#x}, found the end of the file", offset=len(data)
            )
        magic, header_size, archive_size, version, shift = struct.unpack_from("<4sIIHH", data, offset)
        if magic != ARCHIVE_MAGIC:
            raise CorruptReplay(f"expected the archive magic {ARCHIVE_MAGIC!r}, found {magic!r}", offset=offset)
        if HEADER_SIZES.get(version) != header_size:
            raise CorruptReplay(
                f"expected an archive header of format 0 (32 bytes), 1 (44 bytes) or 3 (208 bytes), "
                f"found format {version} with {header_size} bytes",
                offset=offset + 4,
            )
        if shift > 20:
            raise CorruptReplay(f"expected a sector shift of at most 20, found {shift}", offset=offset + 14)
        hash_md5 = block_md5 = None
        chunk_size = 0
        if version == 3:
            if offset + header_size > len(data):
                raise TruncatedReplay("expected an archive header of 208 bytes", offset=len(data))
            chunk_size, block_md5, hash_md5 = struct.unpack_from("<I16s16s", data, offset + 108)
        # The offsets of both tables, their entries.
        tables: tuple[int, int, int, int] = struct.unpack_from("<4I", data, offset + 16)
        return cls(offset, version, archive_size, 512 << shift, *tables, hash_md5, block_md5, chunk_size)


@dataclass(frozen=True, slots=True)
class HashEntry:
    """One entry of the hash table: two hashes of a name, and the block that has its data."""

    name_a: int
    name_b: int
    locale: int
    platform: int
    block: int


@dataclass(frozen=True, slots=True)
class Block:
    """One row of the block table, which locates the data of a member.

    Attributes:
        index: row number.
        offset: from the archive header.
        stored_size, unpacked_size: in bytes, as declared.
        flags: the `FLAG_…` bits.
    """

    index: int
    offset: int
    stored_size: int
    unpacked_size: int
    flags: int

    @property
    def exists(self) -> bool:
        """False for the row of a deleted member."""
        return bool(self.flags & FLAG_EXISTS)

    @property
    def encrypted(self) -> bool:
        return bool(self.flags & FLAG_ENCRYPTED)

    @property
    def single_unit(self) -> bool:
        """Whether the data is one unit instead of sectors."""
        return bool(self.flags & FLAG_SINGLE_UNIT)


def _table(
    data: memoryview, start: int, count: int, what: str, key: int, digest: bytes | None, limits: Limits
) -> bytes:
    if count == 0:
        raise CorruptReplay(f"expected entries in the {what}, found an empty archive", offset=start)
    most = min(limits.elements, MAX_ENTRIES)
    if count > most:
        raise LimitExceeded(f"expected at most {most} entries in the {what}, found {count}", offset=start)
    end = start + count * ENTRY_SIZE
    if end > len(data):
        raise TruncatedReplay(
            f"expected the {what} ({count} entries) at {start:#x}, found the end of the file", offset=len(data)
        )
    raw = data[start:end]
    if digest is not None and any(digest) and md5(raw) != digest:
        raise CorruptReplay(f"expected the {what} to have the MD5 that the archive header gives", offset=start)
    return decrypt(raw, key)


def read_hash_table(data: memoryview, header: ArchiveHeader, limits: Limits) -> list[HashEntry]:
    """Return all entries of the hash table, empty ones included."""
    start, count = header.offset + header.hash_table_offset, header.hash_table_entries
    raw = _table(data, start, count, "hash table", HASH_TABLE_KEY, header.hash_table_md5, limits)
    return [HashEntry(*row) for row in struct.iter_unpack("<IIHHI", raw)]


def read_block_table(data: memoryview, header: ArchiveHeader, limits: Limits) -> list[Block]:
    """Return all rows of the block table, deleted ones included."""
    start, count = header.offset + header.block_table_offset, header.block_table_entries
    raw = _table(data, start, count, "block table", BLOCK_TABLE_KEY, header.block_table_md5, limits)
    return [Block(index, *row) for index, row in enumerate(struct.iter_unpack("<4I", raw))]


def read_listfile(data: bytes) -> list[str]:
    """Return the names in ``(listfile)``, the archive's own list, one a line.

    Invalid UTF-8 becomes U+FFFD; such a name matches no member.

    Raises:
        LimitExceeded: more than `MAX_LISTFILE` bytes.
    """
    if len(data) > MAX_LISTFILE:
        raise LimitExceeded(f"expected a list of names of at most {MAX_LISTFILE} bytes, found {len(data)}")
    return data.decode("utf-8", "replace").split("\r\n")
