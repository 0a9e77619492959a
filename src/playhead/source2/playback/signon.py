"""Parts of the sign-on with the same facts: they are compared, since one of them may be of another recording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from playhead.errors import CorruptReplay, ReplayError
from playhead.source2.container.frames import PACKET, SIGNON_PACKET, STRING_TABLES
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.recording import Content, Recording, last_part
from playhead.source2.string_tables.tables import StringTables, handle_create

_CREATE, _NET_TICK = (frozenset({int(each)}) for each in (Engine.CREATE_STRING_TABLE, Engine.NET_TICK))
_COST = "one of the two is of another recording: facts that are made of it"
#: The key and value of each entry, by the name of the table.
Entries = Mapping[str, Sequence[tuple[str, bytes]]]


def unmet_by_signon(recording: Recording) -> Iterator[tuple[ReplayError, str]]:
    """Yield an error and its cost for each contradiction between the header, ServerInfo, ClassInfo and the string
    tables of a sign-on whose frames were all read.
    """
    server = recording.server_info
    named, most = len(recording.class_names), server.get("max_classes")
    if named and most is not None and named != most:
        found = f"expected {most} classes, as in ServerInfo, found {named}"
        yield CorruptReplay(found, where="ClassInfo"), _COST
    here, there = (last_part(each.get("map_name")).lower() for each in (recording.file_header, server))
    if here and there and here != there:
        found = f"expected the map {here!r}, as in the header, found {there!r}"
        yield CorruptReplay(found, where="ServerInfo"), _COST
    met = _Fields()
    for definition, content in (
        ("CDemoFileHeader", recording.file_header),
        ("CDemoFileInfo", recording.file_info),
        ("CSVCMsg_ServerInfo", server),
    ):
        met.look(definition, content)
    sent, dumped = _sent(recording, met), _dumped(recording, met)
    if _lacks_tick(recording):
        found = "expected the tick of the server in net_Tick, found none"
        yield CorruptReplay(found, where="packet"), "times on the clock of the game"
    for definition, unknown in (*met.unknown.items(), *recording.send_tables.unknown.items()):
        yield wire.unknown_error(unknown).locate(where=definition), "the values of these fields"
    for name in sorted(sent.keys() & dumped.keys()):
        pairs = zip(sent[name], dumped[name], strict=False)
        other = next((number for number, (one, two) in enumerate(pairs) if one[0] != two[0]), None)
        if other is not None:
            found = f"expected the same entries of {name} in messages and dump, found another one at {other}"
            yield CorruptReplay(found, where="StringTables"), _COST
    people, others = (_people(tables.get("userinfo", ())) for tables in (sent, dumped))
    if people and others and people.isdisjoint(others):
        found = "expected the same people in the messages and the dump of userinfo, found others"
        yield CorruptReplay(found, where="StringTables"), _COST


class _Fields:
    """Decodes messages, and keeps the fields that their definitions lack.

    Attributes:
        unknown: the `wire.unknown_fields` of each definition that has any.
    """

    def __init__(self) -> None:
        self.unknown: dict[str, set[str]] = {}

    def decode(self, definition: str, data: bytes | memoryview) -> Content:
        """As `wire.decode`."""
        content = wire.decode(definition, data)
        self.look(definition, content)
        return content

    def look(self, definition: str, content: Content) -> None:
        """Keep the unknown fields of a decoded message."""
        for each in wire.unknown_fields(content):
            self.unknown.setdefault(definition, set()).add(each)


def _lacks_tick(recording: Recording) -> bool:
    """Return whether the message with the server's tick in the first packet lacks it."""
    for number in recording.frames.numbers_of(PACKET)[:1]:
        with suppress(ReplayError):  # the pass over all frames reports it
            frame = recording.frames[number]
            reader = PacketReader(recording.packet(frame, recording.payload(frame)))
            return bool(reader.advance_to(_NET_TICK)) and wire.first_number(reader.payload()) < 0
    return False


def _sent(recording: Recording, met: _Fields) -> Entries:
    tables = StringTables(recording.limits, None)
    for frame, payload in recording.signon(SIGNON_PACKET):
        with suppress(ReplayError):  # the pass over all frames reports it
            reader = PacketReader(recording.packet(frame, payload))
            while reader.advance_to(_CREATE):
                handle_create(met.decode("CSVCMsg_CreateStringTable", reader.payload()), tables)
    return {each.name: [(item.key, bytes(item.value or b"")) for item in each] for each in tables.by_id}


def _dumped(recording: Recording, met: _Fields) -> Entries:
    found: dict[str, Sequence[tuple[str, bytes]]] = {}
    for _, payload in recording.signon(STRING_TABLES):
        with suppress(ReplayError):  # the pass over all frames reports it
            for table in met.decode("CDemoStringTables", payload).get("tables", ()):
                items = table.get("items", ())
                entries = [(item.get("str", ""), item.get("data", b"")) for item in items]
                found.setdefault(table.get("table_name", ""), entries)
    return found


def _people(entries: Iterable[tuple[str, bytes]]) -> frozenset[object]:
    """Return the Steam id or else the name of everybody in userinfo, without SourceTV."""
    found = set()
    for _, value in entries:
        with suppress(ReplayError):  # the table of players reports it
            entry = wire.decode("CMsgPlayerInfo", value)
            if not entry.get("ishltv"):
                found.add(entry.get("xuid") or entry.get("name"))
    return frozenset(found - {None, ""})
