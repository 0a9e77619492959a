"""`MpqArchive`: finds members by name and reads them.

The archive's own list of names, ``(listfile)``, is a member too, and MPQ editors remove or encrypt it. Therefore
the caller provides the known names, and their hashes lead to blocks. A block without a known name is still listed,
by its number.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

from playhead.blizzard.mpq import layout
from playhead.blizzard.mpq.compression import METHOD_NAMES, Damage, OnDamage, unpack
from playhead.blizzard.mpq.crypt import NAME_A, NAME_B, decrypt, hash_name, md5, member_key
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnsupportedVersion
from playhead.limits import Limits

#: Bytes that the members of any archive may have together.
_FREE_BYTES = 16 << 20

#: Digests of less than a sector would cost too much time; replays have 16 KiB.
_LEAST_CHUNK = 512


def bytes_together(data: memoryview, limits: Limits) -> int:
    """Return the bytes that all members of an archive may have together once unpacked."""
    return min(4 * limits.member, max(_FREE_BYTES, limits.expansion * len(data)))


class MpqArchive:
    """An archive inside `data`: its tables are read at once, its members on request.

    Attributes:
        header: the archive header.
        blocks: every row of the block table, deleted ones included.
        names: block numbers by member name, for names that lead to a block.
        dangling: block numbers by name, for names that lead to a missing row or to a deleted member.
        limits: bounds on allocations.

    Raises:
        TruncatedReplay: header or tables are beyond the end of `data`.
        CorruptReplay: they contradict the format.
        LimitExceeded: a table has more than `limits.elements` or `MAX_ENTRIES` entries.
    """

    def __init__(
        self, data: memoryview, offset: int, known_names: Iterable[str], limits: Limits | None = None
    ) -> None:
        self._data = data
        self.limits = limits or Limits()
        self._paid: set[int] = set()
        self._left = bytes_together(data, self.limits)
        self.header = layout.ArchiveHeader.read(data, offset)
        self.blocks = tuple(layout.read_block_table(data, self.header, self.limits))
        # Of several entries for one name (locales) the first wins, as in every replay there is only one.
        self._places: dict[tuple[int, int], int] = {}
        for entry in layout.read_hash_table(data, self.header, self.limits):
            if entry.block < layout.HASH_DELETED:
                self._places.setdefault((entry.name_a, entry.name_b), entry.block)
        self.names: dict[str, int] = {}
        self.dangling: dict[str, int] = {}
        self.learn_names(known_names)

    def learn_names(self, names: Iterable[str]) -> None:
        """Look up more names; add those that lead to a block to `names`."""
        for name in names:
            block = self._places.get((hash_name(name, NAME_A), hash_name(name, NAME_B)))
            if block is None:
                continue
            if block < len(self.blocks) and self.blocks[block].exists:
                self.names[name] = block
            else:
                self.dangling[name] = block

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def read(self, name: str, on_damage: OnDamage | None = None) -> bytes:
        """Return the unpacked data of a member; see `read_block` for `on_damage`.

        Raises:
            KeyError: the archive has no member of that name.
            ReplayError: as `read_block`; its `where` is the name.
        """
        try:
            return self.read_block(self.names[name], name, on_damage)
        except ReplayError as error:
            raise error.locate(where=name) from None

    def stored(self, block: layout.Block) -> memoryview:
        """Return the bytes of a block as stored: packed and perhaps encrypted."""
        start = self.header.offset + block.offset
        end = start + block.stored_size
        if end > len(self._data):
            raise TruncatedReplay(
                f"expected {block.stored_size} stored bytes at {start:#x} of the file, found the end of the file "
                f"after {max(0, len(self._data) - start)}"
            )
        return self._data[start:end]

    def has_digests(self, index: int) -> bool:
        """Return whether digests follow the stored bytes of a block."""
        block = self.blocks[index]
        return self.header.chunk_size >= _LEAST_CHUNK and block.exists and block.stored_size > 0

    def check_digests(self, index: int) -> None:
        """Compare the stored bytes of a block with the MD5 of each chunk that follow them, if any.

        Raises:
            CorruptReplay: one differs.
            TruncatedReplay: they are beyond the end of the file.
        """
        if not self.has_digests(index):
            return
        block, chunk = self.blocks[index], self.header.chunk_size
        stored = self.stored(block)
        place = self.header.offset + block.offset + block.stored_size
        for start in range(0, len(stored), chunk):
            digest = md5(stored[start : start + chunk])
            found = self._data[place : place + len(digest)]
            if len(found) < len(digest):
                raise TruncatedReplay("expected the MD5 of stored bytes, found the end of the file", offset=place)
            if found != digest:
                end = min(start + chunk, len(stored))
                raise CorruptReplay(f"expected stored bytes {start} to {end} to match the MD5 after them")
            place += len(digest)

    def read_block(self, index: int, name: str | None = None, on_damage: OnDamage | None = None) -> bytes:
        """Return the unpacked data of row `index` of the block table. Only an encrypted member needs its `name`.

        Damage raises, unless `on_damage` is given: then each gap is passed to it, and the sound data are returned.
        Gaps before sound data are filled with zeros.

        Raises:
            TruncatedReplay: the data is beyond the end of the file, or cut.
            CorruptReplay: it is damaged, or its size is not the declared one.
            UnsupportedVersion: it uses a feature of the MPQ format that no known replay uses.
            LimitExceeded: the declared size is above `limits.member`, or the members read so far have
                `limits.expansion` times the size of the archive together.
        """
        block = self.blocks[index]
        size = block.unpacked_size
        if not block.exists:
            raise CorruptReplay(f"expected data in block {index}, found the row of a deleted member")
        if size > self.limits.member:
            raise LimitExceeded(
                f"expected a member of at most {self.limits.member} bytes, found one that declares {size}"
            )
        if index not in self._paid:
            if size > self._left:
                raise LimitExceeded(
                    f"expected members of at most {bytes_together(self._data, self.limits)} bytes together in a "
                    f"file of {len(self._data)}, found another of {size}"
                )
            self._left -= size
            self._paid.add(index)
        if block.flags & (layout.FLAG_IMPLODE | layout.FLAG_PATCH):
            raise UnsupportedVersion(
                f"expected a stored or compressed member, found flags {block.flags:#010x} (implode or patch)"
            )
        if size == 0:
            return b""
        stored = self.stored(block)
        if block.single_unit:
            key = self._key(block, name)
            unit = stored if key is None else decrypt(stored, key)
            if block.flags & layout.FLAG_COMPRESS and block.stored_size < size:
                return unpack(unit, size, on_damage)
            return self._as_stored(unit, size)
        return self._read_sectors(block, stored, self._key(block, name), on_damage)

    def compression(self, index: int, name: str | None = None) -> str | None:
        """Return how a block is packed: ``zlib``, ``bzip2``, ``stored``; None if it is empty or unknown."""
        block = self.blocks[index]
        if not block.exists or block.unpacked_size == 0:
            return None
        if not block.flags & layout.FLAG_COMPRESS or block.stored_size == block.unpacked_size:
            return "stored"
        try:
            key = self._key(block, name)
            stored = self.stored(block)
            first = 0
            if not block.single_unit:
                first, second = self._sector_offsets(block, stored, key)[:2]
                if second - first == min(block.unpacked_size, self.header.sector_size):
                    return "stored"
            # Deciphering proceeds by words from the start of a unit, so its first word is enough.
            unit = stored[first : first + 4]
            method = unit[0] if key is None else decrypt(unit, key)[0]
        except (ReplayError, IndexError):
            return None  # reading the member reports the damage
        return METHOD_NAMES.get(method, f"{method:#04x}")

    @staticmethod
    def _as_stored(unit: bytes | memoryview, size: int) -> bytes:
        if len(unit) != size:
            raise CorruptReplay(f"expected {size} bytes stored as they are, found {len(unit)}")
        return bytes(unit)

    @staticmethod
    def _key(block: layout.Block, name: str | None) -> int | None:
        if not block.encrypted:
            return None
        if name is None:
            raise CorruptReplay(
                f"expected a known name for the encrypted block {block.index}: its key is made of it"
            )
        key = member_key(name)
        if block.flags & layout.FLAG_FIX_KEY:
            key = ((key + block.offset) ^ block.unpacked_size) & 0xFFFFFFFF
        return key

    def _sector_offsets(
        self, block: layout.Block, stored: memoryview, key: int | None, *, lenient: bool = False
    ) -> tuple[int, ...]:
        """Return where each sector of a compressed member starts in `stored`, and where the last ends; with
        checksums, also where these end. Damaged offsets are returned too."""
        sectors = -(-block.unpacked_size // self.header.sector_size)
        count = sectors + 1 + bool(block.flags & layout.FLAG_SECTOR_CRC)
        if count * 4 > len(stored):
            raise TruncatedReplay(f"expected {count} sector offsets, found {len(stored)} bytes in all")
        raw: bytes | memoryview = stored[: count * 4]
        if key is not None:
            raw = decrypt(raw, key - 1)
        offsets: tuple[int, ...] = struct.unpack(f"<{count}I", raw)
        if lenient:
            return offsets
        if offsets[0] != count * 4 or offsets[-1] > len(stored) or list(offsets) != sorted(offsets):
            raise CorruptReplay(f"expected {count} rising sector offsets from {count * 4} to {len(stored)}")
        return offsets

    def _read_sectors(
        self, block: layout.Block, stored: memoryview, key: int | None, on_damage: OnDamage | None
    ) -> bytes:
        sector_size = self.header.sector_size
        sectors = range(-(-block.unpacked_size // sector_size))
        checksums: tuple[int, ...] = ()
        if block.flags & layout.FLAG_COMPRESS:
            offsets = self._sector_offsets(block, stored, key, lenient=on_damage is not None)
            if block.flags & layout.FLAG_SECTOR_CRC:
                try:
                    checksums = self._checksums(stored[offsets[-2] : offsets[-1]], len(sectors))
                except ReplayError:
                    if on_damage is None:
                        raise
        else:
            self._as_stored(stored, block.unpacked_size)
            offsets = tuple(min(i * sector_size, block.unpacked_size) for i in range(len(sectors) + 1))
        out = bytearray()
        gaps: list[Damage] = []
        for i in sectors:
            start = len(out)
            wanted = min(sector_size, block.unpacked_size - start)
            try:
                if not offsets[i] <= offsets[i + 1] <= len(stored):
                    raise CorruptReplay(
                        f"expected sector {i} inside {len(stored)} bytes, found it from {offsets[i]} to "
                        f"{offsets[i + 1]}"
                    )
                out += self._sector(stored[offsets[i] : offsets[i + 1]], i, key, checksums, wanted)
            except ReplayError as error:
                if on_damage is None:
                    raise
                gaps.append(Damage(error, start, start + wanted))
                out += bytes(wanted)
        if len(gaps) == len(sectors):
            raise gaps[0].error
        for gap in reversed(gaps):
            if gap.end != len(out):
                break
            del out[gap.start :]
        for gap in gaps:
            if on_damage is not None:
                on_damage(gap)
        return bytes(out)

    @staticmethod
    def _sector(
        packed: memoryview, number: int, key: int | None, checksums: tuple[int, ...], wanted: int
    ) -> bytes:
        """Return one unpacked sector."""
        unit: bytes | memoryview = packed if key is None else decrypt(packed, key + number)
        if checksums and checksums[number] and zlib.adler32(unit, 0) != checksums[number]:
            raise CorruptReplay(f"expected sector {number} to have the checksum {checksums[number]:#010x}")
        return bytes(unit) if len(unit) == wanted else unpack(unit, wanted)

    @staticmethod
    def _checksums(unit: memoryview, sectors: int) -> tuple[int, ...]:
        """Return the checksum of every sector: Adler-32 of the packed bytes from the initial value 0; 0 means
        unknown."""
        if len(unit) == 0:
            return ()
        raw = bytes(unit) if len(unit) == sectors * 4 else unpack(unit, sectors * 4)
        return struct.unpack(f"<{sectors}I", raw)


def restore_line_endings(data: memoryview) -> memoryview | None:
    """Return a file as it was before a transfer in text mode; None if its line ends were not changed.

    Version control that takes a replay for text replaces every LF by CR LF. It does so only to files without any
    CR LF, so removing the CR before every LF restores the file exactly.
    """
    raw = bytes(data)
    changed = raw.count(b"\r\n")
    if not changed or raw.count(b"\n") != changed:
        return None
    return memoryview(raw.replace(b"\r\n", b"\n"))
