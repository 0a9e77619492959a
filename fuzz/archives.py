"""Replays of Blizzard's games: a query on one, and changes of their members, in valid archives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any
from zlib import crc32

import mutation
from targets import LIMITS
from tests.samples.blizzard import VersionedWriter

import playhead
from playhead.blizzard.encoding.versioned import VersionedReader
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.compression import ZLIB
from playhead.blizzard.mpq.layout import UserData
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.errors import ReplayError


def query(data: bytes, tables: Sequence[str]) -> None:
    """Open a replay and run one query: a table or the events, selected by its bytes."""
    if data[:3] != b"MPQ":
        return
    replay = playhead.open(data, limits=LIMITS)
    assert replay.info
    chosen = crc32(data) % (len(tables) + 1)
    if chosen == len(tables):
        for _ in replay.events():
            pass
    elif tables[chosen] in replay.tables:
        replay.table(tables[chosen])
    assert all(str(problem) for problem in replay.problems)


def members_of(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return the user data of a replay, and its members by name."""
    view = memoryview(data)
    archive = MpqArchive(view, ARCHIVE_OFFSET, member_names.KNOWN_NAMES, LIMITS)
    names = sorted(name for name in archive.names if not name.startswith("("))
    return bytes(UserData.read(view).content), {name: bytes(archive.read(name)) for name in names}


def packed(user: bytes, members: Mapping[str, bytes]) -> bytes:
    """Return the replay with these members."""
    return write_archive([NewMember(name, content, method=ZLIB) for name, content in members.items()], user)


def mutate(data: bytes, random: Random) -> bytes:
    """Change the content of a member, in a valid archive."""
    try:
        user, members = members_of(data)
    except ReplayError:
        return mutation.change(data, random)
    if not members:
        return mutation.change(data, random)
    chosen = random.choice((*members, ""))
    if not chosen:
        user = mutation.change(user, random)[: len(user)]
    return packed(user, {**members, **({chosen: mutation.change(members[chosen], random)} if chosen else {})})


def tagged(data: bytes, random: Random) -> bytes:
    """Tagged values with one field under another number, of another type, or left out."""
    reader, values = VersionedReader(data), []
    while reader.remaining():
        try:
            values.append(reader.read_value())
        except ReplayError:
            return data
    fields = sorted({number for value in values for number in _numbers(value)})
    number = random.choice(fields)
    new = random.choice((number, number + 1, 77, 1 << 40))
    value: Any = random.choice((b"", b"x" * 300, 0, -1, 1 << 62, None, [], {}, {0: 1}, [1, b"2"]))
    change = random.choice(("name", "drop", "type"))
    writer = VersionedWriter()
    for each in values:
        writer.write_value(_changed(each, number, change, new, value))
    return writer.to_bytes()


def _numbers(value: Any) -> set[int]:
    if isinstance(value, dict):
        return {*value, *(number for each in value.values() for number in _numbers(each))}
    if isinstance(value, list):
        return {number for each in value for number in _numbers(each)}
    return set()


def _changed(tree: Any, number: int, change: str, new: int, value: Any) -> Any:
    if isinstance(tree, list):
        return [_changed(each, number, change, new, value) for each in tree]
    if not isinstance(tree, dict):
        return tree
    out = {}
    for key, each in tree.items():
        if key != number:
            out[key] = _changed(each, number, change, new, value)
        elif change != "drop":
            out[new if change == "name" else key] = value if change == "type" else each
    return out
