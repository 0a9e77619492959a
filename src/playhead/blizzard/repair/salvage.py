"""An archive whose tables are lost: members found by scanning, named by their content.

`SalvagedArchive` has the interface of `MpqArchive`, which fails without tables, so callers read both alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import Protocol
from zlib import crc32

from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import layout
from playhead.blizzard.mpq.archive import MpqArchive, bytes_together
from playhead.blizzard.mpq.attributes import CHECKSUMS_HEAD, read_all_checksums
from playhead.blizzard.mpq.compression import METHOD_NAMES, Damage, OnDamage
from playhead.blizzard.mpq.scan import Found, has_digest, scan
from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.runtime.records import dataclass

#: In format 3, two more tables follow the members; the scan finds them by their MD5, like members.
_TABLE_MAGICS = (b"HET\x1a", b"BET\x1a")

#: Archives without digests have sectors of this size.
_SMALL_SECTOR = 4096
#: Unpacked members are searched byte by byte; real ones have less than 2 kB.
_LONGEST_GAP = 1 << 14
_LONGEST_BACKWARDS = 1 << 11

#: How many splits of a gap into two members are tried.
_MOST_SPLITS = 64

_BACKUPS = {
    member_names.DETAILS: member_names.DETAILS_BACKUP,
    member_names.INIT_DATA: member_names.INIT_DATA_BACKUP,
}

#: The members before and after the undocumented camera notes, in every archive of the corpus.
_BEFORE_SMARTCAM = (
    *(member_names.SYNC_EVENTS, member_names.TRACKER_EVENTS, member_names.LOAD_INFO),
    *(member_names.MESSAGE_EVENTS, member_names.GAME_EVENTS),
)
_AFTER_SMARTCAM = frozenset({member_names.GAME_ATTRIBUTES, member_names.LISTFILE, member_names.RESUMABLE, None})


@dataclass(frozen=True, slots=True)
class ArchivePlace:
    """The archive's offset: the part of an archive header that `SalvagedArchive` has."""

    offset: int


def _front(data: memoryview, offset: int) -> tuple[int, int, int, bool]:
    """Return where members begin and end, the sector size, and whether digests follow members: from the archive
    header, or else the usual values."""
    try:
        header = layout.ArchiveHeader.read(data, offset)
    except ReplayError:
        # The smaller of the two headers that replays have; the rest of the larger one is not a member. Digests
        # are searched for; only archives with digests have large sectors.
        return min(offset + layout.HEADER_SIZES[1], len(data)), len(data), _SMALL_SECTOR, True
    start = min(offset + layout.HEADER_SIZES[header.format_version], len(data))
    tables = offset + min(header.hash_table_offset, header.block_table_offset)
    end = tables if start < tables < len(data) else len(data)
    return start, end, header.sector_size, header.format_version == 3


def find_archive(data: memoryview, offset: int) -> int:
    """Return the offset of the archive: `offset` if its magic is there, else that of the first magic."""
    if data[offset : offset + 4] == layout.ARCHIVE_MAGIC:
        return offset
    found = bytes(data[: 1 << 16]).find(layout.ARCHIVE_MAGIC)
    return found if found >= 0 else min(offset, len(data))


class Guesser(Protocol):
    """Recognises the members of one replay by their content."""

    def name(self, data: bytes, *, cut: bool = False, sure: bool = False) -> str | None:
        """Return the name of the member with this `data`, or None. `cut` says that its end is missing.

        With `sure`, names that a few random bytes could also match are excluded.
        """
        ...

    def splits(self, data: bytes) -> Iterable[int]:
        """Return where a second member may begin in `data`."""
        ...


class SalvagedArchive:
    """The members found by a scan of the file, with the interface of an `MpqArchive`.

    Attributes:
        header: the archive's offset.
        blocks: the members in file order, as rows of a block table.
        names: block numbers by member name.
        dangling: empty, as there is no hash table.
        expected: number of members of the archive, not counting itself; None if unknown.
        lost: packed data that could not be unpacked.
    """

    def __init__(self, data: memoryview, offset: int, guesser: Guesser, limits: Limits) -> None:
        self.header = ArchivePlace(find_archive(data, offset))
        self.dangling: dict[str, int] = {}
        self.names: dict[str, int] = {}
        self._data = data
        self._guesser = guesser
        start, end, sector_size, md5 = _front(data, self.header.offset)
        found = scan(data, start, end, sector_size=sector_size, md5=md5, most=bytes_together(data, limits))
        self.lost: list[ReplayError] = [one.error for one in found if one.error is not None and not one.data]
        found = [one for one in found if one.data and one.data[:4] not in _TABLE_MAGICS]
        checksums = self._known_checksums(found, end)
        self.expected = len(checksums) or None
        self._checksums = frozenset(checksums)
        if not any(has_digest(data, one) for one in found):
            found = self._with_gaps(found, start, end)
        self._found = found
        self.blocks = tuple(self._block(index, one) for index, one in enumerate(found))
        self._name()

    def _known_checksums(self, found: list[Found], end: int) -> list[int]:
        """Return the CRC-32 of every member from the archive's ``(attributes)``, if it was found: the last one, as
        editors leave older ones in the file. It is the last member; unpacked, it ends where the tables begin."""
        rest = bytes(self._data[found[-1].end : end]) if found else b""
        at = rest[-_LONGEST_GAP:].find(CHECKSUMS_HEAD)
        known: list[int] = []
        for data in [*(one.data for one in found), rest[-_LONGEST_GAP:][at:] if at >= 0 else b""]:
            with suppress(ReplayError):
                known = [checksum.crc32 for checksum in read_all_checksums(data) if checksum.crc32]
        return known

    def _with_gaps(self, found: list[Found], start: int, end: int) -> list[Found]:
        """Return `found` and the recognised members between them: unpacked members have no marks."""
        out: list[Found] = []
        for one in found:
            out += self._in_gap(start, one.start)
            out.append(one)
            start = one.end
        # A cut file cuts its last member.
        if self._checksums or end < len(self._data):
            out += self._in_gap(start, end)
        return out

    def _in_gap(self, start: int, end: int) -> list[Found]:
        """Return unpacked members, proved by their CRC-32; without checksums, one or two recognised members."""
        gap = bytes(self._data[start : min(end, start + _LONGEST_GAP)])
        if not any(gap):
            return []
        if self._checksums:
            return self._by_checksum(gap, start)
        if self._guesser.name(gap, sure=True) is not None:
            return [Found(start, start + len(gap), gap, None)]
        for split in islice(self._guesser.splits(gap), _MOST_SPLITS):
            parts = (gap[:split], gap[split:])
            if all(self._guesser.name(part, sure=True) is not None for part in parts):
                middle = start + split
                return [Found(start, middle, parts[0], None), Found(middle, start + len(gap), parts[1], None)]
        return []

    def _by_checksum(self, gap: bytes, start: int) -> list[Found]:
        out: list[Found] = []
        at, value = 0, 0
        for end, byte in enumerate(gap, 1):
            value = crc32(bytes((byte,)), value)
            if value in self._checksums:
                out.append(Found(start + at, start + end, gap[at:end], None))
                at, value = end, 0
        if self._guesser.name(gap[at:], sure=True) == member_names.ATTRIBUTES:  # it has no checksum of itself
            return [*out, Found(start + at, start + len(gap), gap[at:], None)]
        # After damage, only their ends are known.
        before: list[Found] = []
        stop = begin = len(gap)
        while begin > max(at, stop - _LONGEST_BACKWARDS):
            begin -= 1
            if crc32(gap[begin:stop]) in self._checksums:
                before.insert(0, Found(start + begin, start + stop, gap[begin:stop], None))
                stop = begin
        return out + before

    def _block(self, index: int, found: Found) -> layout.Block:
        flags = layout.FLAG_EXISTS | (0 if found.method is None else layout.FLAG_COMPRESS)
        if not found.sectors:
            flags |= layout.FLAG_SINGLE_UNIT
        offset = found.start - self.header.offset
        return layout.Block(index, offset, found.end - found.start, len(found.data), flags)

    def _name(self) -> None:
        names = [self._guesser.name(one.data, cut=one.error is not None) for one in self._found]
        # An editor may leave replaced members in the file: those that match the archive's checksums come first.
        order = sorted(range(len(names)), key=lambda index: crc32(self._found[index].data) not in self._checksums)
        for index in order:
            name = names[index]
            if name in self.names:
                # Anonymised replays have two with blank names; the first is the original's place.
                name = names[index] = _BACKUPS.get(name)
            if name is not None and self.names.setdefault(name, index) != index:
                names[index] = None
        nameless = [index for index, name in enumerate(names) if name is None]
        if len(nameless) == 1:
            (index,) = nameless
            before = names[index - 1] if index else None
            after = names[index + 1] if index + 1 < len(names) else None
            if before in _BEFORE_SMARTCAM and after in _AFTER_SMARTCAM:
                self.names[member_names.SMARTCAM] = index

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def learn_names(self, names: Iterable[str]) -> None:
        """Do nothing: without tables, a name leads to no block."""

    def compression(self, index: int, name: str | None = None) -> str | None:
        """Return how a block is packed."""
        method = self._found[index].method
        return "stored" if method is None else METHOD_NAMES[method]

    def read(self, name: str, on_damage: OnDamage | None = None) -> bytes:
        """Return a member as `MpqArchive.read` does."""
        try:
            return self.read_block(self.names[name], name, on_damage)
        except ReplayError as error:
            raise error.locate(where=name) from None

    def read_block(self, index: int, name: str | None = None, on_damage: OnDamage | None = None) -> bytes:
        """Return a block as `MpqArchive.read_block` does."""
        found = self._found[index]
        if found.error is not None:
            error = type(found.error)(found.error.message)
            if on_damage is None:
                raise error
            on_damage(Damage(error, len(found.data), None))
        return found.data


Archive = MpqArchive | SalvagedArchive


def salvage(data: memoryview, offset: int, guesser: Guesser, limits: Limits) -> SalvagedArchive | None:
    """Return the members found by a scan; None without any."""
    archive = SalvagedArchive(data, offset, guesser, limits)
    return archive if archive.blocks else None
