"""Rewrite archives with replaced and removed members. The first byte selects these."""

from __future__ import annotations

from collections import Counter
from random import Random

from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, rewrite_archive
from playhead.errors import ReplayError
from targets import LIMITS, sc2_mpq

OWN = frozenset({member_names.LISTFILE, member_names.ATTRIBUTES})


def fuzz(data: bytes) -> None:
    if not data:
        return
    view = memoryview(data)[1:]
    archive = MpqArchive(view, ARCHIVE_OFFSET, member_names.KNOWN_NAMES, LIMITS)
    names = sorted(set(archive.names) - OWN)
    replace, remove = {}, []
    for number, name in enumerate(names[:4]):
        action = data[0] >> 2 * number & 3
        if action == 1:
            replace[name] = b"new content " * (1 + number * 50)
        elif action == 2:
            remove.append(name)
    made = rewrite_archive(view, archive, replace, remove, drop_nameless=len(view) % 2 == 0)
    again = MpqArchive(memoryview(made), ARCHIVE_OFFSET, member_names.KNOWN_NAMES, LIMITS)
    named = Counter(archive.names.values())
    for name in names:
        if named[archive.names[name]] > 1:
            continue  # two names of the same member change together
        if name in remove:
            assert name not in again
        elif name in replace:
            assert again.read(name) == replace[name]
        else:
            assert _content(again, name) == _content(archive, name)


def _content(archive: MpqArchive, name: str) -> bytes | None:
    try:
        return archive.read(name)
    except ReplayError:
        return None


def mutate(data: bytes, random: Random) -> bytes:
    """Change the tables of the archive, or the selection."""
    if random.random() < 0.2:
        return random.randbytes(1) + data[1:]
    return data[:1] + sc2_mpq.mutate(data[1:], random)
