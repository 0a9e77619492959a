"""`Vpk`: the files in a game's pack: a directory (``pak01_dir.vpk``) and archives of data (``pak01_007.vpk``).

All numbers are little-endian. The directory begins with 0x55aa1234, its version (1 or 2) and the size of its tree;
version 2 has 16 more bytes. The tree lists extensions, of each the folders, of each the names, as texts that end
with a zero byte; an empty text ends each list. After each name: CRC-32, bytes that follow here (uint16), archive
(uint16; 0x7fff is the directory itself, after the tree), offset, length, and 0xffff.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from playhead.errors import CorruptReplay, LimitExceeded, TruncatedReplay
from playhead.io.ordinary import open_ordinary

_MAGIC, _HERE, _END = 0x55AA1234, 0x7FFF, 0xFFFF
_ENTRY = struct.Struct("<IHHIIH")
#: Limits of the tree and of a file: those of real packs are 20 MB, and a radar picture has 4 MB.
MOST_TREE, MOST_FILE = 64 << 20, 32 << 20


class _Entry(NamedTuple):
    crc: int
    archive: int
    offset: int
    length: int
    preload: bytes


class Vpk:
    """A pack, with the requested files."""

    def __init__(self, path: Path, folders: Collection[str]) -> None:
        """Read the directory for the files in these folders.

        Raises:
            CorruptReplay, TruncatedReplay, LimitExceeded: it is not the directory of a pack, or too large.
            OSError: it cannot be read.
        """
        self.path = path
        with open_ordinary(path) as file:
            head = file.read(12)
            if len(head) < 12:
                raise TruncatedReplay(f"expected 12 bytes, found {len(head)}", file=str(path))
            magic, version, size = struct.unpack("<3I", head)
            if magic != _MAGIC or version not in (1, 2):
                raise CorruptReplay(f"expected a pack, found {head[:8]!r}", file=str(path), offset=0)
            if size > MOST_TREE:
                raise LimitExceeded(f"expected a tree of at most {MOST_TREE} bytes, found {size}", file=str(path))
            file.read(16 if version == 2 else 0)
            self._after = file.tell() + size
            tree = file.read(size)
        try:
            self._entries = _entries(tree, {folder.encode() for folder in folders})
        except (ValueError, struct.error):
            raise CorruptReplay("expected a tree of files, found another end", file=str(path)) from None

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def read(self, name: str) -> bytes:
        """Return a file.

        Raises:
            KeyError: the pack does not have it, or it was in no wanted folder.
            CorruptReplay, LimitExceeded: the data is damaged or too large.
            OSError: an archive cannot be read.
        """
        entry = self._entries[name]
        if entry.length > MOST_FILE:
            raise LimitExceeded(f"{name}: expected at most {MOST_FILE} bytes, found {entry.length}")
        data = entry.preload
        if entry.length:
            path, start = self.path, self._after
            if entry.archive != _HERE:
                stem = path.name.removesuffix("_dir.vpk")
                path, start = path.with_name(f"{stem}_{entry.archive:03d}.vpk"), 0
            with open_ordinary(path) as file:
                file.seek(start + entry.offset)
                data += file.read(entry.length)
        if zlib.crc32(data) != entry.crc:
            raise CorruptReplay(f"{name}: expected the CRC-32 {entry.crc:08x}", file=str(self.path))
        return data


def _entries(tree: bytes, folders: set[bytes]) -> dict[str, _Entry]:
    found: dict[str, _Entry] = {}
    at = 0
    index, unpack, size = tree.index, _ENTRY.unpack_from, _ENTRY.size
    while (end := index(0, at)) > at:
        extension, at = tree[at:end], end + 1
        while (end := index(0, at)) > at:
            folder, at = tree[at:end], end + 1
            wanted = folder in folders
            while (end := index(0, at)) > at:
                crc, preload, archive, offset, length, mark = unpack(tree, end + 1)
                if mark != _END:
                    raise ValueError
                start, after = end + 1 + size, end + 1 + size + preload
                if wanted:
                    name = b"%s/%s.%s" % (folder, tree[at:end], extension)
                    entry = _Entry(crc, archive, offset, length, tree[start:after])
                    found[name.decode("utf-8", "replace")] = entry
                at = after
            at = end + 1
        at = end + 1
    return found
