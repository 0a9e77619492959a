"""A StarCraft II replay whose members mean something else: keys and types of the metadata's JSON, of the tagged
values of the details, of the events of the tracker.

The first byte chooses the member, the others what is changed.
"""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

import meaning

from playhead.blizzard.encoding.versioned import VersionedReader
from playhead.blizzard.encoding.versioned_writer import VersionedWriter
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.compression import ZLIB
from playhead.blizzard.mpq.layout import UserData
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.errors import ReplayError
from playhead.samples.sc2 import replay as sample
from targets import LIMITS

#: Tables that the details and the metadata fill; real recordings lack files of the cache too.
_OF_PEOPLE = frozenset({"players", "info", "teams", "cache_files"})


@cache
def members() -> tuple[bytes, bytes, dict[str, bytes]]:
    """The sample, its user data, and its members by name."""
    data = sample.sample_bytes()
    archive = MpqArchive(memoryview(data), ARCHIVE_OFFSET, member_names.KNOWN_NAMES, LIMITS)
    names = sorted(name for name in archive.names if isinstance(name, str) and not name.startswith("("))
    user = bytes(UserData.read(memoryview(data)).content)
    return data, user, {name: bytes(archive.read(name)) for name in names}


def fuzz(data: bytes) -> None:
    if len(data) < 2:
        return
    sound, user, held = members()
    random = Random(data[1:])
    kind = data[0] % 3
    if kind == 0:
        name = member_names.METADATA
        changed = json.dumps(meaning.other_json(json.loads(held[name]), random)).encode()
    else:
        name = member_names.DETAILS if kind == 1 else member_names.TRACKER_EVENTS
        changed = _tagged(held[name], random)
    new = {**held, name: changed}
    made = write_archive([NewMember(each, content, method=ZLIB) for each, content in new.items()], user)
    meaning.check(sound, made, _OF_PEOPLE if kind < 2 else ())


def _tagged(data: bytes, random: Random) -> bytes:
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
