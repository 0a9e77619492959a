"""Finds packed data in an archive whose tables are lost.

The tables are at the end of the archive, so a cut upload loses them first. The members remain, one after the
other. Packed data has marks: the method byte of the MPQ format and then ``BZh`` with the digits of pi, or the two
header bytes of zlib. Both formats mark their end and carry a checksum, so a unit that unpacks is intact. Members
in sectors start with a table of sector offsets. In archives of format 3, an MD5 follows every 16 KiB of a member's
stored bytes and the rest. It also delimits members that packing did not shrink, which have no marks.
"""

from __future__ import annotations

import bz2
import hashlib
import itertools
import re
import struct
import zlib
from collections.abc import Iterator

from playhead.blizzard.mpq.compression import BZIP2, ZLIB
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.runtime.records import dataclass


def _zlib_heads() -> bytes:
    """Every header that a zlib stream without dictionary can have: window size, level, check bits."""
    heads = []
    for first in range(0x08, 0x80, 0x10):
        for level in range(0, 0x100, 0x40):
            second = level + -(first * 256 + level) % 31
            heads.append(re.escape(bytes((ZLIB, first, second))))
    return b"|".join(heads)


_MARK = re.compile(rb"\x10BZh[1-9]\x31\x41\x59\x26\x53\x59|" + _zlib_heads(), re.DOTALL)
#: Damage costs one piece of packed data, so pieces are small.
_STEP = 4096

#: With more false marks, the file was made to cost time.
_MOST_FAILURES = 2000
_MOST_SECTORS = 1 << 14
#: Bytes of a member per MD5 in format 3.
_CHUNK = 1 << 14
MD5_SIZE = 16
#: The longest unpacked member to search for; real ones have less than 2 kB.
_LONGEST_STORED = 1 << 14
_LONGEST_BACKWARDS = 1 << 11
#: Less of a cut zlib stream than this proves nothing: any two bytes may look like its header.
_LEAST_CUT = 64


@dataclass(frozen=True, slots=True)
class Found:
    """One member found.

    Attributes:
        start, end: its stored bytes in the file.
        data: unpacked; empty if nothing could be unpacked.
        method: `ZLIB` or `BZIP2`; None for unpacked data.
        sectors: stored in sectors.
        error: its damage; None for a member whose checksum fits.
    """

    start: int
    end: int
    data: bytes
    method: int | None
    sectors: bool = False
    error: ReplayError | None = None


@dataclass(slots=True)
class _Budget:
    """How many bytes may still be unpacked, and how many more marks may be false."""

    output: int
    failures: int = _MOST_FAILURES


def _unpack(data: memoryview, start: int, end: int, most: int) -> Found | None:
    """Return the packed unit at `start`; None if nothing there looks like one."""
    method = data[start]
    stream = bz2.BZ2Decompressor() if method == BZIP2 else zlib.decompressobj()
    parts: list[bytes] = []
    size = 0
    at = start + 1
    error: ReplayError | None = None
    try:
        while not stream.eof and at < end:
            piece = data[at : min(at + _STEP, end)]
            at += len(piece)
            parts.append(stream.decompress(piece))
            size += len(parts[-1])
            if size > most:
                error = LimitExceeded(f"expected members of at most {most} bytes in all, found more", offset=start)
                return Found(start, at, b"", method, error=error)
    except (OSError, zlib.error) as broken:
        if method == ZLIB:
            return None
        error = CorruptReplay(f"expected sound bzip2 data: {broken}", offset=start)
    if stream.eof:
        at -= len(stream.unused_data)
    elif error is None:
        if method == ZLIB and size < _LEAST_CUT:
            return None
        error = TruncatedReplay("expected packed data to its end, found the end of the file", offset=start)
    return Found(start, at, b"".join(parts), method, error=error)


def _sector_table(data: memoryview, start: int, end: int) -> tuple[int, ...] | None:
    """Return the offsets at `start` if they look like the table of a member in sectors."""
    if end - start < 8:
        return None
    (first,) = struct.unpack_from("<I", data, start)
    count = first // 4
    if first % 4 or not 2 <= count <= _MOST_SECTORS or first > end - start:
        return None
    offsets: tuple[int, ...] = struct.unpack_from(f"<{count}I", data, start)
    steps = [after - before for before, after in itertools.pairwise(offsets)]
    # The last step may be empty: no checksums.
    return offsets if min(steps[:-1], default=1) > 0 and steps[-1] >= 0 else None


def _table_before(data: memoryview, unit: int, floor: int, end: int) -> int | None:
    """Return where the sector table of the first sector at `unit` starts."""
    for count in range(2, min(_MOST_SECTORS, (unit - floor) // 4) + 1):
        start = unit - 4 * count
        if data[start : start + 4] == struct.pack("<I", 4 * count) and _sector_table(data, start, end):
            return start
    return None


def _sectors(data: memoryview, start: int, end: int, sector_size: int, budget: _Budget) -> Found | None:
    """Return the member in sectors at `start`, up to its first damaged or cut sector; None without one."""
    offsets = _sector_table(data, start, end)
    if offsets is None:
        return None
    parts: list[bytes] = []
    error: ReplayError | None = None
    method = None
    count = len(offsets) - 1
    for number, (low, high) in enumerate(itertools.pairwise(offsets)):
        at, stop = start + low, start + high
        if stop > end:
            error = TruncatedReplay(f"expected sector {number} of {count}, found the end of the file", offset=at)
            break
        unit = None
        if stop - at != sector_size and stop > at and data[at] in (ZLIB, BZIP2):
            unit = _unpack(data, at, stop, budget.output)
        if unit is not None and unit.error is None:
            method = unit.method
            if number == count - 1 and len(unit.data) == 4 * number and len(parts[-1]) < sector_size:
                break  # checksums of the sectors, not a sector
            parts.append(unit.data)
        elif stop - at == sector_size or number >= count - 2:
            parts.append(bytes(data[at:stop]))  # unpacked, as are short checksums
        else:
            error = CorruptReplay(f"expected sound data in sector {number} of {count}", offset=at)
            break
        budget.output -= len(parts[-1])
        if len(parts[-1]) != sector_size:
            break  # the last
    if method is None or budget.output < 0:
        return None
    return Found(start, min(start + offsets[-1], end), b"".join(parts), method, sectors=True, error=error)


def _next_start(data: memoryview, found: Found, md5: bool, end: int) -> int:
    """Return the earliest start of the next member: after the digests of `found`, if it has any."""
    if md5 and has_digest(data, found):
        return min(end, found.end + MD5_SIZE * -(-(found.end - found.start) // _CHUNK))
    return found.end


def has_digest(data: memoryview, found: Found) -> bool:
    """Return whether the MD5 of a member's first 16 KiB follows it, as in format 3."""
    first = data[found.start : min(found.start + _CHUNK, found.end)]
    return hashlib.md5(first, usedforsecurity=False).digest() == data[found.end : found.end + MD5_SIZE]


def _stored_in_gap(data: memoryview, start: int, end: int) -> list[Found]:
    """Return unpacked members between `start` and `end`, each proved by the MD5 after it."""
    out: list[Found] = []
    while (found := _stored_from(data, start, end)) is not None:
        out.append(found)
        start = found.end + MD5_SIZE
    # After damage, only their ends are known.
    before: list[Found] = []
    while (found := _stored_until(data, start, end)) is not None:
        before.insert(0, found)
        end = found.start
    return out + before


def _stored_from(data: memoryview, start: int, end: int) -> Found | None:
    digest = hashlib.md5(usedforsecurity=False)
    for at in range(start, min(end - MD5_SIZE, start + _LONGEST_STORED)):
        digest.update(data[at : at + 1])
        found = digest.digest()
        if data[at + 1] == found[0] and data[at + 1 : at + 1 + MD5_SIZE] == found:
            return Found(start, at + 1, bytes(data[start : at + 1]), None)
    return None


def _stored_until(data: memoryview, start: int, end: int) -> Found | None:
    stop = end - MD5_SIZE
    for at in range(stop - 1, max(start, stop - _LONGEST_BACKWARDS) - 1, -1):
        if hashlib.md5(data[at:stop], usedforsecurity=False).digest() == data[stop:end]:
            return Found(at, stop, bytes(data[at:stop]), None)
    return None


def scan(data: memoryview, start: int, end: int, *, sector_size: int, md5: bool, most: int) -> list[Found]:
    """Return all data between `start` and `end` of the file that can be unpacked, in file order.

    Args:
        sector_size: bytes of a sector.
        md5: whether digests follow members, as in format 3.
        most: the most bytes to unpack in all.
    """
    budget = _Budget(most)
    out: list[Found] = []
    # The game leaves 1 kB of zeros after the header of format 3.
    while md5 and start < end and data[start] == 0:
        start += 1
    floor = start
    for found in _marked(data, start, end, sector_size, md5, budget):
        if md5 and found.data:
            out += _stored_in_gap(data, floor, found.start)
        out.append(found)
        if found.data:
            floor = _next_start(data, found, md5, end)
    if md5:
        out += _stored_in_gap(data, floor, end)
    return _joined(sorted(out, key=lambda found: found.start), sector_size)


def _marked(
    data: memoryview, start: int, end: int, sector_size: int, md5: bool, budget: _Budget
) -> Iterator[Found]:
    """Return the members with marks."""
    floor = at = start
    while budget.failures > 0 and budget.output > 0:
        # The first sector of a member may be unpacked and have no mark: only the sector table shows it.
        found = _sectors(data, floor, end, sector_size, budget) if at == floor else None
        if found is None:
            mark = _MARK.search(data, at, end)
            if mark is None:
                return
            at = mark.start()
            table = _table_before(data, at, floor, end)
            if table is not None:
                found = _sectors(data, table, end, sector_size, budget)
            if found is None:
                found = _unpack(data, at, end, budget.output)
                budget.output -= len(found.data) if found is not None else 0
        if found is not None:
            yield found
        if found is None or (found.error is not None and not found.data):
            budget.failures -= 1
            at += 1
        else:
            floor = at = _next_start(data, found, md5, end)


def _joined(found: list[Found], sector_size: int) -> list[Found]:
    """Join whole sectors that follow each other: the rest of a member whose sector table is damaged."""
    out: list[Found] = []
    for one in found:
        last = out[-1] if out else None
        if (
            last is not None
            and last.end == one.start
            and last.error is None
            and last.data
            and len(last.data) % sector_size == 0
            and last.method is not None
        ):
            out[-1] = Found(last.start, one.end, last.data + one.data, last.method, True, one.error)
        else:
            out.append(one)
    return out
