"""Floods of StarCraft II and Heroes: events of each kind in one loop, and members of an archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from tests.samples.blizzard import EventWriter
from tests.samples.hots import replay as hots
from tests.samples.sc2 import replay as sc2

from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.compression import ZLIB
from playhead.blizzard.mpq.layout import UserData
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER, ProtocolTable, TypePool, short_name
from playhead.hots.protocol import PROTOCOLS
from playhead.sc2.protocol.tables import protocol_table

_STREAMS = {
    GAME: member_names.GAME_EVENTS,
    MESSAGE: member_names.MESSAGE_EVENTS,
    TRACKER: member_names.TRACKER_EVENTS,
}
#: Events of a kind that differ.
_DIFFERENT = 300
_MEMBER = "member"
_NAMES = (b"Marine", b"CommandCenter", b"HeroJaina", b"SprayTerran", b"GatesAreOpen", b"RegenGlobe")
#: Words in names of fields that number a player.
_PEOPLE = ("player", "user", "slot", "team")


def _table(game: str) -> ProtocolTable:
    if game == "hots":
        return PROTOCOLS.table(hots.BUILD, hots.BUILD)
    return protocol_table(sc2.HEADER.base_build, sc2.HEADER.build)


@cache
def kinds(game: str) -> Mapping[str, tuple[str, int]]:
    """Return the stream and the type of every event of a build."""
    table = _table(game)
    found: dict[str, tuple[str, int]] = {}
    for stream in _STREAMS:
        for name, type_ in table.events(stream).values():
            found[f"{stream} {short_name(name)}"] = stream, type_
    return found | {_MEMBER: ("", 0)}


def _value(pool: TypePool, type_: int, name: str, i: int) -> Any:
    """Return a value of a type, arrays with one element, that differs with `i`."""
    kind, *rest = pool.types[type_]
    match kind:
        case "struct":
            return {field: _value(pool, inner, field, i) for field, inner, _ in rest[0]}
        case "choice":
            _, field, inner = rest[2][i % len(rest[2])]
            return {field: _value(pool, inner, field, i)}
        case "optional":
            return _value(pool, rest[0], name, i)
        case "array":
            return [_value(pool, rest[2], name, i)] if rest[1] and rest[0] <= 1 else []
        case "blob":
            text = _NAMES[i % len(_NAMES)] if i & 1 else b"t%d" % (i % 50)
            return text.ljust(rest[0], b"x")[: rest[0] + (1 << rest[1]) - 1]
        case "int":
            few = any(word in name.lower() for word in _PEOPLE)
            return max(rest[0], 0) + (i % 3 if few else i % 1000) % (1 << max(rest[1] - 1, 0))
        case "bool":
            return bool(i & 1)
        case "fourcc":
            return b"abcd"
        case "bitarray":
            return (rest[0], 0)
    return None


@cache
def _encoded(game: str, kind: str, i: int) -> bytes:
    """Return an event in the loop of the one before it."""
    table = _table(game)
    stream, type_ = kinds(game)[kind]
    writer = EventWriter(table, stream)
    values = _value(table.pool, type_, "", i)
    writer.write(0, i % 2, kind.split()[1], **(values if isinstance(values, dict) else {}))
    return writer.to_bytes()


@cache
def _sample(game: str) -> tuple[bytes, Mapping[str, bytes]]:
    """Return the user data and the members of a sample."""
    data = memoryview(hots.sample_bytes() if game == "hots" else sc2.sample_bytes())
    archive = MpqArchive(data, ARCHIVE_OFFSET, member_names.KNOWN_NAMES)
    return bytes(UserData.read(data).content), {name: archive.read(name) for name in archive.names}


def write(game: str, order: Sequence[tuple[str, int]]) -> bytes:
    """Return a replay with these events in the loop of the sample's last, and these members."""
    user_data, sample = _sample(game)
    members = {name: [data] for name, data in sample.items() if name[0] != "("}
    for kind, i in order:
        if kind == _MEMBER:
            members[f"member.{i}"] = [b"x"]
        else:
            members[_STREAMS[kinds(game)[kind][0]]].append(_encoded(game, kind, i % _DIFFERENT))
    return write_archive(
        [NewMember(name, b"".join(data), method=ZLIB) for name, data in members.items()], user_data
    )
