"""A whole replay: `open`, its tables and events."""

from __future__ import annotations

from random import Random
from zlib import crc32

import mutation

import playhead
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.compression import ZLIB
from playhead.blizzard.mpq.layout import UserData
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.errors import ReplayError
from targets import LIMITS

TABLES = ("players", "chat", "units", "commands", "members")


def fuzz(data: bytes) -> None:
    if data[:3] != b"MPQ":
        return
    replay = playhead.open(data, limits=LIMITS)
    assert replay.info
    # Each input runs one query, selected by its bytes.
    chosen = crc32(data) % (len(TABLES) + 1)
    if chosen == len(TABLES):
        for _ in replay.events():
            pass
    elif TABLES[chosen] in replay.tables:
        replay.table(TABLES[chosen])
    assert all(str(problem) for problem in replay.problems)


def mutate(data: bytes, random: Random) -> bytes:
    """Change the content of a member, in a valid archive."""
    view = memoryview(data)
    members = []
    try:
        archive = MpqArchive(view, ARCHIVE_OFFSET, member_names.KNOWN_NAMES, LIMITS)
        user_data = bytes(UserData.read(view).content)
        for name in sorted(archive.names):
            if not name.startswith("("):
                members.append((name, archive.read(name)))
    except ReplayError:
        return mutation.change(data, random)
    if not members:
        return mutation.change(data, random)
    chosen = random.randrange(len(members) + 1)
    if chosen == len(members):
        user_data = mutation.change(user_data, random)[: len(user_data)]
    return write_archive(
        [
            NewMember(name, mutation.change(content, random) if number == chosen else content, method=ZLIB)
            for number, (name, content) in enumerate(members)
        ],
        user_data,
    )
