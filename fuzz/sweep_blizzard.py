"""Every change of the tagged members, of the kinds of events, the lobby, attributes and summary of a replay."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache, partial
from types import ModuleType
from typing import Any
from unittest.mock import patch

import archives
from tests.samples.blizzard import EventWriter
from tests.samples.hots import replay as hots
from tests.samples.sc2 import events as sc2_events
from tests.samples.sc2 import replay as sc2

from playhead.bits import ByteReader, ByteWriter
from playhead.blizzard.encoding import tags
from playhead.blizzard.members import member_names

GAMES: Mapping[str, ModuleType] = {"sc2": sc2, "hots": hots}
#: Tables that list the events themselves.
EXCUSED = frozenset({"tracker_events", "game_events", "message_events", "event_counts", "members"})

#: What a sound replay may lack, by pattern of a change's name, with the reason.
ABSENT: Mapping[str, str] = {
    "replay.details (0, 9) *": "games without Battle.net, and some old ones, have no slot in the details",
    "replay.tracker.events * as text": "one name of a type for another: maps have types of their own",
    "replay.tracker.events 8 (1,) as list": "an event without places",
    **{
        f"* events S{name} removed": reason
        for name, reason in {
            "ControlGroupUpdateEvent": "nobody used control groups",
            "CmdUpdateTargetPointEvent": "nobody held the button of an order",
            "CommandManagerStateEvent": "nobody repeated an order",
            "UpgradeEvent": "a short game has no upgrade",
            "UnitDoneEvent": "no building was finished",
            "UnitTypeChangeEvent": "no unit changed its type",
            "UnitPositionsEvent": "no unit was hurt",
            "UnitDiedEvent": "nothing died",
            "UnitRevivedEvent": "a hero who died once may be dead at the end",
            "HeroBannedEvent": "a mode without bans",
            "LoadingProgressMessage": "some replays have none",
            "ChatMessage": "nobody wrote",
            "PingMessage": "nobody pinged",
        }.items()
    },
    "member replay.message.events empty": "nobody need write",
    "lobby *.m_scaledRating removed*": "a player without a rating",
    "lobby *.m_gameOptions* removed*": "a game that nobody was matched for",
    "lobby *.m_randomValue removed*": "a seed may be 0",
    "lobby *.m_mount removed*": "a player without a mount",
    "attribute *": "maps choose attributes and values; the table has those without a name by their numbers",
    "statistic JungleCampCapture GameTime renamed": "`details` has it under its new name",
    "statistic TownStructureDeath KillingPlayer renamed": "nobody had a part in it",
}

#: A tagged value, and what follows its tag; parts are values too.
Node = tuple[int, Any]
_OTHERS: Mapping[str, Node] = {
    "text": (tags.BLOB, b"other"),
    "number": (tags.VINT, 1 << 40),
    "absent": (tags.OPTIONAL, None),
    "list": (tags.ARRAY, []),
    "struct": (tags.STRUCT, []),
}


def sound(game: str) -> bytes:
    return GAMES[game].sample_bytes()


@cache
def _members(game: str) -> tuple[bytes, dict[str, bytes]]:
    return archives.members_of(sound(game))


def changes(game: str) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    user, members = _members(game)
    for name, data in (
        ("header", user),
        (member_names.DETAILS, members[member_names.DETAILS]),
        (member_names.TRACKER_EVENTS, members[member_names.TRACKER_EVENTS]),
    ):
        nodes = parsed(data)
        kinds = _kinds(nodes) if name == member_names.TRACKER_EVENTS else {None: range(len(nodes))}
        for kind, places in kinds.items():
            where = name if kind is None else f"{name} {kind}"
            for path in sorted({path for at in places for path in _paths(nodes[at])}):
                yield f"{where} {path} renamed", partial(_tagged, game, name, places, path, "renamed")
                yield f"{where} {path} removed (renamed)", partial(_tagged, game, name, places, path, "removed")
                for other in _OTHERS:
                    yield f"{where} {path} as {other}", partial(_tagged, game, name, places, path, other)
    for stream, kind in _written(game):
        yield f"{stream} events {kind} removed", partial(_without, game, stream, kind)
    for name in members:
        yield f"member {name} removed", partial(_packed, game, name, None)
        yield f"member {name} empty", partial(_packed, game, name, b"")
    yield from _of_lobby(game)
    yield from _of_attributes(game)
    if member_names.METADATA in members:
        tree = json.loads(members[member_names.METADATA])
        for what, changed in other_json(tree):
            yield f"metadata {what}", partial(_packed, game, member_names.METADATA, json.dumps(changed).encode())
    if game == "hots":
        yield from _of_statistics(game)


def _packed(game: str, name: str, content: bytes | None) -> bytes:
    user, members = _members(game)
    if name == "header":
        return archives.packed(content or b"", members)
    others = {each: data for each, data in members.items() if each != name}
    return archives.packed(user, others if content is None else {**others, name: content})


# -- tagged values -------------------------------------------------------------------------------------------


def parsed(data: bytes) -> list[Node]:
    """Return the tagged values of a member."""
    reader, found = ByteReader(data), []
    while reader.remaining():
        found.append(_read(reader))
    return found


def _read(reader: ByteReader) -> Node:
    tag = reader.read_u8()
    if tag == tags.ARRAY:
        return tag, [_read(reader) for _ in range(reader.read_vint())]
    if tag == tags.BIT_ARRAY:
        bits = reader.read_vint()
        return tag, (bits, bytes(reader.read_bytes((bits + 7) // 8)))
    if tag == tags.BLOB:
        return tag, bytes(reader.read_bytes(reader.read_vint()))
    if tag == tags.CHOICE:
        return tag, (reader.read_vint(), _read(reader))
    if tag == tags.OPTIONAL:
        return tag, _read(reader) if reader.read_u8() else None
    if tag == tags.STRUCT:
        return tag, [(reader.read_vint(), _read(reader)) for _ in range(reader.read_vint())]
    return tag, {tags.U8: reader.read_u8, tags.U32: reader.read_u32, tags.U64: reader.read_u64}.get(
        tag, reader.read_vint
    )()


def encoded(nodes: list[Node]) -> bytes:
    out = ByteWriter()
    for node in nodes:
        _write(out, node)
    return out.to_bytes()


def _write(out: ByteWriter, node: Node) -> None:
    tag, value = node
    out.write_u8(tag)
    if tag in (tags.ARRAY, tags.STRUCT):
        out.write_vint(len(value))
        for each in value:
            if tag == tags.STRUCT:
                out.write_vint(each[0])
                each = each[1]
            _write(out, each)
    elif tag == tags.BIT_ARRAY:
        out.write_vint(value[0])
        out.write_bytes(value[1])
    elif tag == tags.BLOB:
        out.write_vint(len(value))
        out.write_bytes(value)
    elif tag == tags.CHOICE:
        out.write_vint(value[0])
        _write(out, value[1])
    elif tag == tags.OPTIONAL:
        out.write_u8(value is not None)
        if value is not None:
            _write(out, value)
    else:
        write = {tags.U8: out.write_u8, tags.U32: out.write_u32, tags.U64: out.write_u64}
        write.get(tag, out.write_vint)(value)


Path = tuple[int, ...]


def _paths(node: Node) -> Iterator[Path]:
    """Yield the numbers of the fields that lead to each value in structs; elements of arrays have one path."""
    tag, value = node
    if tag == tags.STRUCT:
        for number, each in value:
            yield (number,)
            yield from ((number, *path) for path in _paths(each))
    elif tag == tags.ARRAY:
        for each in value:
            yield from _paths(each)
    elif tag == tags.CHOICE:
        yield from _paths(value[1])
    elif tag == tags.OPTIONAL and value is not None:
        yield from _paths(value)


def _other(node: Node, path: Path, change: str) -> Node:
    tag, value = node
    if tag == tags.ARRAY:
        return tag, [_other(each, path, change) for each in value]
    if tag == tags.CHOICE:
        return tag, (value[0], _other(value[1], path, change))
    if tag == tags.OPTIONAL:
        return tag, None if value is None else _other(value, path, change)
    if tag != tags.STRUCT:
        return node
    out = []
    for number, each in value:
        if number != path[0]:
            out.append((number, each))
        elif len(path) > 1:
            out.append((number, _other(each, path[1:], change)))
        elif change == "renamed":
            out.append((number + 77, each))
        elif change != "removed":
            out.append((number, _OTHERS[change]))
    return tag, out


def _tagged(game: str, name: str, places: Any, path: Path, change: str) -> bytes:
    user, members = _members(game)
    data = user if name == "header" else members[name]
    nodes = parsed(data)
    changed = [_other(node, path, change) if at in places else node for at, node in enumerate(nodes)]
    return _packed(game, name, encoded(changed))


def _kinds(nodes: list[Node]) -> dict[Any, frozenset[int]]:
    """Return the places of the contents of each kind of tracker event, by its number."""
    found: dict[Any, set[int]] = {}
    for at in range(1, len(nodes), 3):
        found.setdefault(nodes[at][1], set()).add(at + 1)
    return {kind: frozenset(places) for kind, places in found.items()}


# -- what the writers write otherwise ------------------------------------------------------------------------


@cache
def _written(game: str) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    write = EventWriter.write

    def noted(self: EventWriter, loop: int, user: int, event: str, **fields: Any) -> None:
        found[self._stream, event] = None
        write(self, loop, user, event, **fields)

    with patch.object(EventWriter, "write", noted):
        sound(game)
    return tuple(found)


def _without(game: str, stream: str, kind: str) -> bytes:
    write = EventWriter.write

    def fewer(self: EventWriter, loop: int, user: int, event: str, **fields: Any) -> None:
        if (self._stream, event) != (stream, kind):
            write(self, loop, user, event, **fields)

    with patch.object(EventWriter, "write", fewer):
        return sound(game)


def _of_lobby(game: str) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    module = sc2_events if game == "sc2" else hots
    write = module.write_lobby
    given: list[Mapping[str, Any]] = []

    def with_fields(change: Callable[[Any], Any]) -> bytes:
        def changed(table: Any, fields: Mapping[str, Any]) -> bytes:
            given.append(fields)
            return write(table, change(fields))

        with patch.object(module, "write_lobby", changed):
            return sound(game)

    with_fields(lambda fields: fields)
    for path in sorted(set(_names(given[0]))):
        yield (
            f"lobby {'.'.join(path)} removed (renamed)",
            partial(with_fields, lambda fields, p=path: _cut(fields, p)),
        )


def _names(tree: Any) -> Iterator[tuple[str, ...]]:
    for name, each in tree.items() if isinstance(tree, Mapping) else ():
        yield (name,)
        for part in each if isinstance(each, list) else [each]:
            yield from ((name, *path) for path in _names(part))


def _cut(tree: Any, path: tuple[str, ...]) -> Any:
    """Leave a field blank in each place; those of the lists' elements become zeros."""
    if isinstance(tree, list):
        return [_cut(each, path) for each in tree]
    if not isinstance(tree, Mapping) or path[0] not in tree:
        return tree
    if len(path) > 1:
        return {**tree, path[0]: _cut(tree[path[0]], path[1:])}
    blank = type(tree[path[0]])() if tree[path[0]] is not None else None
    return (
        {**tree, path[0]: blank}
        if not isinstance(tree[path[0]], Mapping)
        else {name: each for name, each in tree.items() if name != path[0]}
    )


def _of_attributes(game: str) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    data = _members(game)[1][member_names.GAME_ATTRIBUTES]
    head, count = data[:5], struct.unpack_from("<I", data, 5)[0]
    rows = [data[9 + 13 * at : 22 + 13 * at] for at in range(count)]
    for at, row in enumerate(rows):
        for what, new in (
            ("removed (renamed)", b""),
            ("of another number (renamed)", row[:4] + struct.pack("<I", 77777) + row[8:]),
            ("of another value", row[:9] + b"\xff\0zz"),
        ):
            changed = [*rows[:at], *([new] if new else []), *rows[at + 1 :]]
            content = head + struct.pack("<I", len(changed)) + b"".join(changed)
            yield f"attribute {at} {what}", partial(_packed, game, member_names.GAME_ATTRIBUTES, content)


def _of_statistics(game: str) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    """Every name and key of a statistic of the map, and every name of a result of the score."""
    report, write = hots.report, EventWriter.write
    names: dict[tuple[str, str | None], None] = {}

    def noted(out: Any, loop: int, statistic: str, texts: Any, numbers: Any, **fixed: Any) -> None:
        names.update(dict.fromkeys((statistic, key) for key in (None, *texts, *numbers, *fixed)))
        report(out, loop, statistic, texts, numbers, **fixed)

    with patch.object(hots, "report", noted):
        sound(game)

    def other(of: str, key: str | None, change: str) -> bytes:
        def changed(out: Any, loop: int, statistic: str, texts: Any, numbers: Any, **fixed: Any) -> None:
            if statistic == of and key is None:
                statistic += "New"
            elif statistic == of:
                texts, numbers, fixed = (
                    {name + "New" if name == key else name: value for name, value in each.items()}
                    if change == "renamed"
                    else {name: value for name, value in each.items() if name != key}
                    for each in (texts, numbers, fixed)
                )
                if change == "as text":
                    texts = {**texts, str(key): "zz"}
                elif change == "as number":
                    numbers = {**numbers, str(key): 77}
            report(out, loop, statistic, texts, numbers, **fixed)

        with patch.object(hots, "report", changed):
            return sound(game)

    for of, key in names:
        for change in ("renamed",) if key is None else ("renamed", "as text", "as number"):
            yield f"statistic {of} {key or ''} {change}", partial(other, of, key, change)

    results: dict[bytes, None] = {}

    def of_score(change: Callable[[list[Any]], list[Any]]) -> bytes:
        def written(self: EventWriter, loop: int, user: int, event: str, **fields: Any) -> None:
            if event == "SScoreResultEvent":
                results.update(dict.fromkeys(each["m_name"] for each in fields["m_instanceList"]))
                fields["m_instanceList"] = change(fields["m_instanceList"])
            write(self, loop, user, event, **fields)

        with ExitStack() as stack:
            stack.enter_context(patch.object(EventWriter, "write", written))
            return sound(game)

    of_score(lambda rows: rows)
    for name in results:
        yield (
            f"score {name.decode()} renamed",
            partial(
                of_score,
                lambda rows, n=name: [
                    {**each, "m_name": each["m_name"] + b"New" * (each["m_name"] == n)} for each in rows
                ],
            ),
        )
        yield (
            f"score {name.decode()} without values",
            partial(
                of_score,
                lambda rows, n=name: [
                    {**each, "m_values": [[]] * 16 if each["m_name"] == n else each["m_values"]} for each in rows
                ],
            ),
        )


def other_json(tree: Any) -> Iterator[tuple[str, Any]]:
    """Yield each copy of a JSON value in which one key is renamed, removed or of another type."""
    if isinstance(tree, list):
        for at, each in enumerate(tree):
            for what, changed in other_json(each):
                yield f"[{at}]{what}", [*tree[:at], changed, *tree[at + 1 :]]
    if not isinstance(tree, dict):
        return
    for key, value in tree.items():
        yield f".{key} renamed", {f"{name}New" if name == key else name: each for name, each in tree.items()}
        yield f".{key} removed (renamed)", {name: each for name, each in tree.items() if name != key}
        for other in (None, True, -1, 1 << 70, 1e308, "", "zz", [], {}, [value]):
            if other != value:
                yield f".{key} as {str(other)[:9]}", {**tree, key: other}
        for what, changed in other_json(value):
            yield f".{key}{what}", {**tree, key: changed}
