"""Writes archives: new ones, and existing ones with some members changed."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Collection, Mapping, Sequence

from playhead.blizzard.mpq import layout
from playhead.blizzard.mpq.archive import MpqArchive
from playhead.blizzard.mpq.attributes import (
    CHECKSUMS_HEAD,
    HAS_CRC32,
    HAS_FILETIME,
    HAS_MD5,
    NO_CHECKSUMS,
    Checksums,
    read_checksums,
    write_checksums,
)
from playhead.blizzard.mpq.compression import BZIP2, pack
from playhead.blizzard.mpq.crypt import NAME_A, NAME_B, PLACE, encrypt, hash_name, member_key
from playhead.errors import UnsupportedVersion
from playhead.runtime.records import dataclass

#: Offset of the archive in the game's own files.
ARCHIVE_OFFSET = 1024

#: Stored bytes per digest in format 3.
DIGEST_CHUNK = 1 << 14

#: Header fields of the game by format version.
_SECTOR_SHIFTS = {1: 3, 3: 5}

_LISTFILE = "(listfile)"
_ATTRIBUTES = "(attributes)"


@dataclass(frozen=True, slots=True)
class NewMember:
    """A member to write.

    Attributes:
        method: `BZIP2`, `ZLIB`, or None to store the data unpacked. Data that packing does not shrink is always
            stored unpacked, as the format demands.
        single_unit: one unit, as nearly all members of replays are; else sectors.
        sector_checksums: of members in sectors only.
        encrypted, fix_key: encipher; with `fix_key` the key depends on offset and size too.
    """

    name: str
    data: bytes
    method: int | None = BZIP2
    single_unit: bool = True
    sector_checksums: bool = False
    encrypted: bool = False
    fix_key: bool = False

    @property
    def flags(self) -> int:
        flags = layout.FLAG_EXISTS
        if self.method is not None:
            flags |= layout.FLAG_COMPRESS
        if self.single_unit:
            flags |= layout.FLAG_SINGLE_UNIT
        elif self.sector_checksums and self.method is not None:
            flags |= layout.FLAG_SECTOR_CRC
        if self.encrypted:
            flags |= layout.FLAG_ENCRYPTED | (layout.FLAG_FIX_KEY if self.fix_key else 0)
        return flags

    def stored(self, offset: int, sector_size: int) -> bytes:
        """Return the bytes of this member in an archive, at `offset`."""
        if not self.data:
            return b""
        key = None
        if self.encrypted:
            key = member_key(self.name)
            if self.fix_key:
                key = ((key + offset) ^ len(self.data)) & 0xFFFFFFFF
        size = len(self.data) if self.single_unit else sector_size
        units = [_pack(self.data[at : at + size], self.method) for at in range(0, len(self.data), size)]
        sealed = [unit if key is None else encrypt(unit, key + i) for i, unit in enumerate(units)]
        if self.single_unit or self.method is None:
            return b"".join(sealed)
        if self.sector_checksums:
            sealed.append(_pack(struct.pack(f"<{len(units)}I", *(zlib.adler32(u, 0) for u in units)), self.method))
        ends = [4 * (len(sealed) + 1)]
        for unit in sealed:
            ends.append(ends[-1] + len(unit))
        offsets = struct.pack(f"<{len(ends)}I", *ends)
        return (offsets if key is None else encrypt(offsets, key - 1)) + b"".join(sealed)


def _pack(unit: bytes, method: int | None) -> bytes:
    if method is None:
        return unit
    packed = pack(unit, method)
    return packed if len(packed) < len(unit) else unit


def _hash_table(names: Sequence[str]) -> bytes:
    places = 16
    while places < 2 * len(names):
        places *= 2
    table = [struct.pack("<IIHHI", 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFF, 0xFFFF, layout.HASH_EMPTY)] * places
    taken = [False] * places
    for block, name in enumerate(names):
        place = hash_name(name, PLACE) & (places - 1)
        while taken[place]:
            place = (place + 1) & (places - 1)
        taken[place] = True
        table[place] = struct.pack("<IIHHI", hash_name(name, NAME_A), hash_name(name, NAME_B), 0, 0, block)
    return encrypt(b"".join(table), layout.HASH_TABLE_KEY)


def chunk_digests(stored: bytes, size: int) -> bytes:
    """Return the digests that follow a stored member in format 3: the MD5 of each `size` bytes."""
    chunks = [stored[at : at + size] for at in range(0, len(stored), size)] if size else []
    return b"".join(hashlib.md5(chunk, usedforsecurity=False).digest() for chunk in chunks)


def _archive_header(version: int, end: int, hash_table: bytes, block_table: bytes) -> bytes:
    """Return the header of an archive that ends with its hash table and its block table."""
    block_offset = end - len(block_table)
    hash_offset = block_offset - len(hash_table)
    header = struct.pack(
        "<4sIIHH4IQHH",
        layout.ARCHIVE_MAGIC,
        layout.HEADER_SIZES[version],
        end,
        version,
        _SECTOR_SHIFTS[version],
        hash_offset,
        block_offset,
        len(hash_table) // layout.ENTRY_SIZE,
        len(block_table) // layout.ENTRY_SIZE,
        *(0, 0, 0),  # upper halves of 64-bit offsets
    )
    if version < 3:
        return header
    # Archive size in 64 bits; no extended tables; sizes of the two; stored bytes per digest.
    header += struct.pack("<3Q5QI", end, 0, 0, len(hash_table), len(block_table), 0, 0, 0, DIGEST_CHUNK)
    for part in (block_table, hash_table, None, None, None):
        header += bytes(16) if part is None else hashlib.md5(part, usedforsecurity=False).digest()
    return header + hashlib.md5(header, usedforsecurity=False).digest()


def write_archive(members: Sequence[NewMember], user_data: bytes, *, version: int = 3) -> bytes:
    """Return a file with `user_data` and an archive of `members`; list and checksums of members are added.

    The result depends on the arguments alone.

    Args:
        version: archive format, 1 or 3.

    Raises:
        ValueError: two members of one name (case does not count), or too much user data.
    """
    names = [member.name for member in members] + [_LISTFILE, _ATTRIBUTES]
    if len({(hash_name(name, NAME_A), hash_name(name, NAME_B)) for name in names}) != len(names):
        raise ValueError(f"two members have the same name: {names}")
    if len(user_data) > layout.USER_DATA_CAPACITY:
        raise ValueError(f"expected at most {layout.USER_DATA_CAPACITY} bytes of user data, got {len(user_data)}")
    sector_size = 512 << _SECTOR_SHIFTS[version]
    listed = "".join(f"{member.name}\r\n" for member in members).encode()
    everything = [*members, NewMember(_LISTFILE, listed)]
    checksums = write_checksums([*(Checksums.of(member.data) for member in everything), NO_CHECKSUMS])
    everything.append(NewMember(_ATTRIBUTES, checksums))

    body = bytearray(layout.HEADER_SIZES[version])
    rows = []
    for member in everything:
        stored = member.stored(len(body), sector_size)
        rows.append(struct.pack("<4I", len(body), len(stored), len(member.data), member.flags))
        body += stored + chunk_digests(stored, DIGEST_CHUNK if version == 3 else 0)
    hash_table, block_table = _hash_table(names), encrypt(b"".join(rows), layout.BLOCK_TABLE_KEY)
    body += hash_table + block_table
    header = _archive_header(version, len(body), hash_table, block_table)
    body[: len(header)] = header
    front = layout.UserData.front(ARCHIVE_OFFSET, len(user_data)) + user_data
    return front.ljust(ARCHIVE_OFFSET, b"\0") + bytes(body)


#: Offsets in a header of format 3: the changed fields, and the last digest, which covers the header.
_SIZES = struct.Struct("<8Q")
_SIZES_AT = 44
_DIGESTS_AT = 112
_OWN_DIGEST_AT = 192


def _patched_checksums(data: bytes, blocks: int, changed: Mapping[int, bytes | None]) -> bytes:
    """Return ``(attributes)`` with new checksums for changed blocks (None: removed), if the archive has any."""
    before = read_checksums(data, blocks)
    (columns,) = struct.unpack_from("<I", data, len(CHECKSUMS_HEAD))
    out = bytearray(data)
    md5_at = 8 + blocks * ((4 if columns & HAS_CRC32 else 0) + (8 if columns & HAS_FILETIME else 0))
    for index, content in changed.items():
        new = Checksums(0, bytes(16)) if content is None else Checksums.of(content)
        if columns & HAS_CRC32 and before[index].crc32:
            struct.pack_into("<I", out, 8 + 4 * index, new.crc32)
        if columns & HAS_MD5 and any(before[index].md5):
            out[md5_at + 16 * index : md5_at + 16 * index + 16] = new.md5
    return bytes(out)


class _Rewriter:
    def __init__(self, data: memoryview, archive: MpqArchive) -> None:
        self._data = data
        self._archive = archive
        self._names = {index: name for name, index in archive.names.items()}

    def _block(self, block: layout.Block, offset: int, content: bytes | None) -> tuple[bytes, int, int]:
        """Return stored bytes, size and flags of a block; `content` is None for an unchanged one."""
        moved = block.encrypted and block.flags & layout.FLAG_FIX_KEY and block.offset != offset
        name = self._names.get(block.index)
        if moved and content is None:
            content = self._archive.read_block(block.index, name)
        if content is None:
            return bytes(self._archive.stored(block)), block.unpacked_size, block.flags
        if block.encrypted and name is None:
            raise UnsupportedVersion("expected a known name for an enciphered member that moves")
        fix_key = bool(block.flags & layout.FLAG_FIX_KEY)
        new = NewMember(name or "", content, encrypted=block.encrypted, fix_key=fix_key)
        return new.stored(offset, 0), len(content), new.flags

    def _hash_table(self, removed: Collection[int]) -> bytes:
        entries = layout.read_hash_table(self._data, self._archive.header, self._archive.limits)
        rows = []
        for entry in entries:
            block = layout.HASH_DELETED if entry.block in removed else entry.block
            rows.append(struct.pack("<IIHHI", entry.name_a, entry.name_b, entry.locale, entry.platform, block))
        return encrypt(b"".join(rows), layout.HASH_TABLE_KEY)

    def _header(self, size: int, hash_table: bytes, block_table: bytes) -> bytes:
        old = self._archive.header
        length = layout.HEADER_SIZES[old.format_version]
        out = bytearray(self._data[old.offset : old.offset + length])
        block_offset = size - len(block_table)
        struct.pack_into("<I", out, 8, size)
        entries = len(hash_table) // layout.ENTRY_SIZE, len(block_table) // layout.ENTRY_SIZE
        struct.pack_into("<4I", out, 16, block_offset - len(hash_table), block_offset, *entries)
        if length > 32:
            struct.pack_into("<QHH", out, 32, 0, 0, 0)  # upper halves of 64-bit offsets
        if old.format_version == 3:
            # Archive size; places of BET and HET; sizes of hash, block, high block, HET and BET table.
            _SIZES.pack_into(out, _SIZES_AT, size, 0, 0, len(hash_table), len(block_table), 0, 0, 0)
            digests = [hashlib.md5(table, usedforsecurity=False).digest() for table in (block_table, hash_table)]
            out[_DIGESTS_AT:_OWN_DIGEST_AT] = b"".join(digests) + bytes(_OWN_DIGEST_AT - _DIGESTS_AT - 32)
            out[_OWN_DIGEST_AT:] = hashlib.md5(out[:_OWN_DIGEST_AT], usedforsecurity=False).digest()
        return bytes(out)

    def write(self, replace: Mapping[int, bytes], removed: Collection[int]) -> bytes:
        archive, data = self._archive, self._data
        blocks = archive.blocks
        start = archive.header.offset
        first = min((b.offset for b in blocks if b.exists and b.stored_size), default=0)
        # Remains of members that an editor moved are dropped. A block beyond the end raises.
        first = min(first, len(data) - start)
        body = bytearray(max(first, layout.HEADER_SIZES[archive.header.format_version]))
        rows: dict[int, bytes] = {}
        # Members may be stored in another order than their rows.
        for block in sorted(blocks, key=lambda block: (block.offset, block.index)):
            if not block.exists or block.index in removed:
                rows[block.index] = struct.pack("<4I", 0, 0, 0, block.flags & ~layout.FLAG_EXISTS)
                continue
            stored, size, flags = self._block(block, len(body), replace.get(block.index))
            place = len(body) if stored else block.offset and len(body)
            rows[block.index] = struct.pack("<4I", place, len(stored), size, flags)
            body += stored + chunk_digests(stored, archive.header.chunk_size)
        hash_table = self._hash_table(removed)
        block_table = encrypt(b"".join(rows[block.index] for block in blocks), layout.BLOCK_TABLE_KEY)
        body += hash_table + block_table
        header = self._header(len(body), hash_table, block_table)
        body[: len(header)] = header
        return bytes(data[:start]) + bytes(body)


def rewrite_archive(
    data: memoryview,
    archive: MpqArchive,
    replace: Mapping[str, bytes],
    remove: Collection[str] = (),
    *,
    drop_nameless: bool = False,
) -> bytes:
    """Return the file `data`, whose archive is `archive`, with members replaced and removed.

    The archive's own list of names and its checksums are updated. `drop_nameless` also removes members without a
    known name.

    Raises:
        KeyError: there is no member of that name.
        ReplayError: an old member that has to be read or moved is damaged.
    """
    changed: dict[int, bytes | None] = {archive.names[name]: content for name, content in replace.items()}
    changed |= {archive.names[name]: None for name in remove}
    if drop_nameless:
        named = set(archive.names.values())
        changed |= {block.index: None for block in archive.blocks if block.exists and block.index not in named}
    if remove and _LISTFILE in archive and _LISTFILE not in replace:
        gone = {name.lower() for name in remove}
        names = [name for name in layout.read_listfile(archive.read(_LISTFILE)) if name.lower() not in gone]
        changed[archive.names[_LISTFILE]] = "\r\n".join(names).encode()
    if _ATTRIBUTES in archive and _ATTRIBUTES not in replace and changed:
        checksums = archive.read(_ATTRIBUTES)
        changed[archive.names[_ATTRIBUTES]] = _patched_checksums(checksums, len(archive.blocks), changed)
    contents = {index: content for index, content in changed.items() if content is not None}
    removed = {index for index, content in changed.items() if content is None}
    return _Rewriter(data, archive).write(contents, removed)
