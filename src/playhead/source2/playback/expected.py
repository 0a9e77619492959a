"""Parts of a recording that its other parts imply: they are compared with each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from playhead.errors import CorruptReplay, FactError, ReplayError
from playhead.source2.container.frames import (
    PACKET,
    SEND_TABLES,
    SIGNON_PACKET,
    STRING_TABLES,
    command_counts,
    packet_ticks,
)
from playhead.source2.entities.handlers import class_matches
from playhead.source2.games import Game
from playhead.source2.messages import wire
from playhead.source2.messages.game_events import known_lists
from playhead.source2.messages.numbers import Engine, command_names
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.recording import Content, Recording, last_part
from playhead.source2.schema.patches import aliases_of, class_aliases
from playhead.source2.schema.send_tables import Model, Serializer, SerializerField
from playhead.source2.string_tables.tables import StringTables, handle_create

# The engine's names of fields begin with their types.
_PREFIXES = {
    "ang": "vector",
    "b": "bool",
    "bv": "several integers",
    "h": "handle",
    "p": "table",
    **dict.fromkeys(("cell", "e", "i", "lifeState", "n", "un"), "integer"),
    **dict.fromkeys(("f", "fl"), "float"),
    **dict.fromkeys(("isz", "sz"), "string"),
    **dict.fromkeys(("v", "vec"), "vector"),
}
# Names that do not show the kind. Kinds that builds have in turn are separated by a comma.
_OTHERS: Mapping[str, str] = {
    "float": "m_timeKothCashInStarted m_timeRevealedOnMinimapByNPC m_vecX m_vecY m_vecZ",
    "integer": "m_ArmorValue m_ItemID m_OriginalOwnerXuidHigh m_OriginalOwnerXuidLow m_SourceItemID "
    "m_TargetAbilityID m_Type m_fFlags m_fireCount m_gamePhase m_nameStringTableIndex m_steamID "
    "m_totalRoundsPlayed",
    "integer, several integers": "m_iNetWorth",
    "several bools": "m_bFireIsBurning",
    "several floats": "m_fExtraTimeRemaining",
    "several handles": "m_hAbilities m_hItems m_hMyWeapons m_vecAbilities m_vecConnections",
    "several integers": "m_BannedHeroes m_SelectedHeroes m_bNPCVisibleState m_bSpottedByMask m_nCurrencies "
    "m_nSpentCurrencies m_vecImbuedAbilities m_vecNewBannedHeroes m_vecUpgrades",
    "several vectors": "m_firePositions",
    "tables": "m_Attributes m_vecAbilityUpgradeState m_vecDataTeam m_vecImbuements m_vecPlayerData "
    "m_vecPlayerTeamData m_vecSellbackPurchaseEntries m_vecStatViewerModifierValues",
}
_OF_NAMES = {name: kinds for kinds, names in _OTHERS.items() for name in names.split()}
# Other types without parts are numbers of enumerations, classes and players.
_OF_TYPES = {
    "CEntityHandle": "handle",
    "CHandle": "handle",
    "CNetworkedQuantizedFloat": "float",
    "GameTime_t": "float",
    "bool": "bool",
    "handle": "handle",
    **dict.fromkeys(("float32", "float64"), "float"),
    **dict.fromkeys(("CUtlString", "CUtlSymbolLarge", "char"), "string"),
    **dict.fromkeys(("QAngle", "Quaternion", "Vector", "Vector2D", "Vector4D", "VectorWS"), "vector"),
}
_WITHOUT_VALUE = {Model.FLAG: "table", Model.TABLE: "table", Model.TABLES: "tables"}


def kind_of(field: SerializerField) -> str:
    """Return the kind of a declared field: ``integer``, ``several integers``, ``table``, ``tables`` …"""
    if field.model in _WITHOUT_VALUE:
        return _WITHOUT_VALUE[field.model]
    declared = field.type
    if field.model == Model.VECTOR and declared.generic is not None:
        declared = declared.generic
    kind = _OF_TYPES.get(declared.base, "integer")
    return kind if field.model == Model.SCALAR else f"several {kind}s"


def kinds_of_name(name: str) -> Collection[str]:
    """Return the kinds that a field of that name may have; empty if the name does not show it."""
    if name in _OF_NAMES:
        return _OF_NAMES[name].split(", ")
    for prefix, kind in _PREFIXES.items():
        begin = f"m_{prefix}"
        if name.startswith(begin) and (name == begin or "A" <= name[len(begin)] <= "Z"):
            return (kind,)
    return ()


_Key = tuple[str, int]
_Known = dict[_Key, dict[str, list[_Key]]]

_CLASS_COST = "the fields of this class"
# The length in FileInfo may exceed the last packet by so many ticks.
_MOST_WITHOUT_PACKETS = 256
_MOST_TABLES = 12
# The oldest known builds lack more names of the newest.
_FEW = 8
_COUNT_COST = "nothing, or facts that are counted twice"
# Elements of arrays have these in place of a name.
_INDEX = frozenset("?0123456789")
_FIELD_COST = "facts that are made of this field"
_EVENT_COST = "facts that are made of this event"
_ENTITY_COST = "all entities, and the facts that are made of them"


def unmet(
    recording: Recording, game: Game, fields: Mapping[tuple[str, str], Collection[str]]
) -> Iterator[tuple[ReplayError, str]]:
    """Yield an error and its cost for each expectation that the schema of a recording does not meet.

    A schema with fewer than half of the fields that every build declares is not of the game.

    Args:
        recording: the recording, read to its end.
        game: its game.
        fields: the tables that are made of a field, by its class or pattern of classes and its name; the name is
            empty for the class.
    """
    if recording.class_names:
        read = _names(fields)
        needed, is_new = _needed(recording, game, read)
        missing = _undeclared(recording, needed)
        if 2 * len(missing) < len(needed):
            for names in missing:
                name = names.replace("|", " or ")
                what = f"a class with field {name}" if name.startswith("m_") else f"class {name}"
                tables = {table for each in names.split("|") for table in read.get(each, ())}
                yield FactError(f"expected {what}, found none", where="SendTables"), _cost(tables)
            if is_new:
                yield from _elsewhere(recording, game, fields)
        yield from _of_types(recording, read, game.one_array_a_field)
    for name in recording.class_names.values():
        if (name, 0) not in recording.send_tables.serializers:
            where = command_names()[SEND_TABLES]
            yield CorruptReplay(f"expected a serializer for class {name}", where=where), _CLASS_COST


def _names(fields: Mapping[tuple[str, str], Collection[str]]) -> Mapping[str, Collection[str]]:
    """Return the tables by the fields, their parts and the classes that they are made of."""
    found: dict[str, set[str]] = {}
    for (pattern, field), tables in fields.items():
        parts = (part for part in field.split(".") if part.startswith("m_"))
        for name in (pattern, *parts):
            if name != "C*" and not set(name) & set("~*?") - ({"*"} if name is pattern else set()):
                found.setdefault(name, set()).update(tables)
    return found


def _needed(recording: Recording, game: Game, read: Collection[str]) -> tuple[list[str], bool]:
    """Return the names that the recording should declare, and whether it is of the newest known build or a later
    one. A broadcast names no build: it is of a new one if it lacks few of its names."""
    build = recording.file_header.get("build_num")
    if build is None and game.newest is not None:
        newest = game.needed(game.newest, read)
        if len(_undeclared(recording, newest)) <= _FEW:
            return newest, True
    return game.needed(build, read), build is not None and game.newest is not None and build >= game.newest


def _elsewhere(
    recording: Recording, game: Game, fields: Mapping[tuple[str, str], Collection[str]]
) -> Iterator[tuple[ReplayError, str]]:
    """Compare the classes in which facts look for a field with those that declare it."""
    serializers = recording.send_tables.serializers
    classes = frozenset(recording.class_names.values())
    places: dict[str, list[str]] = {}
    names = {field.name for each in serializers.values() for field in each.fields}
    found: _Known = {}
    for (pattern, field), tables in sorted(fields.items()):
        parts = [part for part in field.split(".") if part.startswith("m_")]
        known = all(not names.isdisjoint((part, *aliases_of(part))) for part in parts)
        apart = any(pattern in game.apart.get(part, "").split() for part in parts)
        if not parts or not known or apart or set(field) & set("~*") or not game.former.isdisjoint(parts):
            continue
        if pattern not in places:  # thousands of fields are of hundreds of classes
            alone = "*" not in pattern
            places[pattern] = [
                each
                for each in (class_aliases(pattern) if alone else classes)
                if (each in classes if alone else class_matches(each, pattern))
            ]
        wanted = [(part, *aliases_of(part)) for part in field.split(".") if not set(part) <= _INDEX]
        if places[pattern] and not any(
            _declares((each, 0), wanted, serializers, found) for each in places[pattern]
        ):
            text = f"expected field {field} of class {pattern}, found it in other classes only"
            yield FactError(text, where="SendTables"), _cost(tables)


def _declares(
    key: _Key, wanted: list[tuple[str, ...]], serializers: Mapping[_Key, Serializer], found: _Known
) -> bool:
    """Return whether the fields of a serializer and of its parts lead along a path, whose steps have all names of
    a field each; `found` has the serializers that were needed before."""
    level = [key]
    for names in wanted:
        steps = [
            parts
            for each in level
            for name in names
            if (parts := _steps(each, serializers, found).get(name)) is not None
        ]
        if not steps:
            return False
        level = list(dict.fromkeys(chain.from_iterable(steps)))
    return True


def _steps(key: _Key, serializers: Mapping[_Key, Serializer], found: _Known) -> dict[str, list[_Key]]:
    """Return the serializers that follow each field and each node of a serializer."""
    if key not in found:
        found[key] = {}
        for field in serializers[key].fields if key in serializers else ():
            for node in field.send_node.split(".") if field.send_node else ():
                found[key].setdefault(node, [key])
            parts = (field.serializer, *field.polymorphic)
            found[key].setdefault(field.name, []).extend(part for part in parts if part is not None)
    return found[key]


def unmet_by_events(recording: Recording, read: Collection[str]) -> Iterator[tuple[ReplayError, str]]:
    """Yield an error and its cost for each difference between the recording's list of game events and that of the
    last known build before it; of a broadcast, which names no build, if they are few.
    """
    build = recording.file_header.get("build_num")
    message = recording.event_list if read else None
    known = [each for each in known_lists(recording.game) if build is None or each.build <= build]
    if message is None or not known:
        return
    with suppress(ReplayError):  # the pass over all frames reports it
        unlike = list(max(known).unlike(message, read))
        for wanted, found in unlike if build is not None or len(unlike) <= _FEW else ():
            yield FactError(f"expected {wanted}, found {found}", where="svc_GameEventList"), _EVENT_COST


def _undeclared(recording: Recording, names: Iterable[str]) -> list[str]:
    declared = {field.name for each in recording.send_tables.serializers.values() for field in each.fields}
    classes = frozenset(recording.class_names.values())

    def has(name: str) -> bool:
        if not declared.isdisjoint((name, *aliases_of(name))) or not classes.isdisjoint(class_aliases(name)):
            return True
        return "*" in name and any(class_matches(each, name) for each in classes)

    return [each for each in names if not any(map(has, each.split("|")))]


def _cost(tables: Collection[str]) -> str:
    """Return the cost of a missing field or class that these tables read."""
    if not tables or len(tables) > _MOST_TABLES:
        return _FIELD_COST
    return f"what is made of it in {', '.join(sorted(tables))}"


def unmet_by_frames(recording: Recording) -> Iterator[tuple[ReplayError, str]]:
    """Yield an error and its cost for each expectation that the frames and FileInfo do not meet."""
    if not recording.class_names and recording.frames.numbers_of(PACKET) and recording.send_tables:
        yield CorruptReplay("expected a ClassInfo frame beside SendTables", where="frame"), _ENTITY_COST
    _, commands, ticks, _, sizes = recording.frames.columns()
    known, counts = command_names(), command_counts(commands)
    for number, count in sorted(counts.items()):
        if number not in known and count > counts.get(PACKET, 0):  # table ``frames`` has the others
            unknown = CorruptReplay(f"expected known frame commands, found {number} in {count} frames")
            yield unknown.locate(where="frame"), "the content of these frames"
    last, order, empty = packet_ticks(commands, ticks, sizes)
    if order is not None:
        before, tick = order
        fallen = CorruptReplay(f"expected frames in the order of their ticks, found {before} before {tick}")
        yield fallen.locate(where="frame", tick=tick), "the times of the facts from here on"
    if empty is not None:
        hollow = CorruptReplay("expected messages in a packet, found none")
        yield hollow.locate(where="frame", tick=empty), "what the packets without messages had"
    told, packets = recording.file_info.get("playback_frames"), counts.get(PACKET, 0)
    # All real files have as many; fragments and gaps have problems of their own.
    whole = recording.source.fragments is None and not recording.frames.gaps
    if whole and isinstance(told, int) and told not in (0, packets):
        other = CorruptReplay(f"expected {told} packets, as in FileInfo, found {packets}")
        yield other.locate(where="frame"), "what the missing packets had" if packets < told else _COUNT_COST
    length = recording.file_info.get("playback_ticks")
    if isinstance(length, int) and length > last + _MOST_WITHOUT_PACKETS:
        ended = CorruptReplay(f"expected packets up to tick {length}, as in FileInfo, found none after {last}")
        yield ended.locate(where="frame", tick=max(last, 0)), "everything after this"


def _of_types(
    recording: Recording, read: Mapping[str, Collection[str]], one_array_a_field: str | None
) -> Iterator[tuple[ReplayError, str]]:
    """Compare the declared types of fields with the kinds of values that facts expect."""
    fields = [field for each in recording.send_tables.serializers.values() for field in each.fields]
    found = {(field.name, kind_of(field), str(field.type)) for field in fields if field.name in read}
    of_players = any(field.name == one_array_a_field for field in fields)
    for name, kind, declared in sorted(found):
        expected = kinds_of_name(name)
        if of_players and kind.removeprefix("several ").removesuffix("s") in expected:
            continue
        if expected and kind not in expected:
            text = f"expected {' or '.join(expected)} for field {name}, found {kind}: {declared}"
            yield FactError(text, where="SendTables"), _cost(read[name])


_NET_TICK = frozenset({int(Engine.NET_TICK)})
_BEGINS = frozenset({int(Engine.CREATE_STRING_TABLE), int(Engine.CLEAR_ALL_STRING_TABLES)})
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
    if not sent and recording.class_names and recording.frames.numbers_of(PACKET):
        found = "expected string tables in the packets of the sign-on, found none"
        yield CorruptReplay(found, where="string tables"), "all string tables, and the facts that are made of them"
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
            while reader.advance_to(_BEGINS):
                if reader.id == Engine.CLEAR_ALL_STRING_TABLES:
                    tables.clear()
                    continue
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
