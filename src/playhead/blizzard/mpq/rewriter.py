"""Rewrites an archive with some members changed.

Unchanged members keep their stored bytes, their order, their flags and their index in the hash table, so members
with unknown names can still be found. The second pair of tables of format 3, HET and BET, is dropped: it
duplicates the first pair, which all readers use.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Collection, Mapping

from playhead.blizzard.mpq import layout
from playhead.blizzard.mpq.archive import MpqArchive
from playhead.blizzard.mpq.attributes import (
    CHECKSUMS_HEAD,
    HAS_CRC32,
    HAS_FILETIME,
    HAS_MD5,
    Checksums,
    read_checksums,
)
from playhead.blizzard.mpq.crypt import encrypt
from playhead.blizzard.mpq.writer import NewMember, chunk_digests
from playhead.errors import UnsupportedVersion

_LISTFILE = "(listfile)"
_ATTRIBUTES = "(attributes)"

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
