"""Every change of the schema and events of a written match of Source 2."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any
from unittest.mock import patch

from tests.samples.patch_day import CONVERSIONS, SHORT_MATCHES, fields_read, other_type, other_value, renamed
from tests.samples.source2.encoding import GameEventWriter

import playhead
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import FieldDef
from playhead.source2.messages.wire_decoder import KINDS, WIRE_TYPES
from playhead.source2.playback.expected import kinds_of_name

#: Types and their kinds.
TYPES = {
    "bool": "bool",
    "float32": "float",
    "CUtlString": "string",
    "Vector": "vector",
    "uint64": "integer",
    "uint32[2]": "several integers",
}
#: Kinds of values of a message's field, of all four forms in which a value is sent.
MESSAGE_KINDS = ("uint64", "double", "float", "string")
#: Messages that hold all others, or that end before the facts begin.
CONTAINERS = frozenset({"CDemoFileHeader", "CDemoFileInfo", "CDemoFullPacket", "CDemoPacket"})
EVENT_TYPES = ("string", "float", "long", "short", "byte", "bool", "uint64")
#: Tables that list what the recording declares or sends.
EXCUSED = frozenset(
    {"entity_changes", "schema", "frames", "messages", "game_events", "user_messages", "string_tables"}
)


@cache
def sound(game: str) -> bytes:
    return SHORT_MATCHES[game]()


def changes(game: str) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    with playhead.open(sound(game)) as replay:
        tables = replay.recording.send_tables.serializers.values()
        declared = {field.name for each in tables for field in each.fields}
        fields = [name for name in fields_read(replay) if name in declared]
    for field in fields:
        yield f"field {field} renamed", partial(renamed, sound(game), field, f"{field}New")
        for kind in TYPES:
            alike = "alike " if TYPES[kind] in kinds_of_name(field) else ""  # others are always a problem
            yield f"field {field} {alike}as {kind}", partial(_retyped, game, field, kind)
    for event, keys in events(game).items():
        for key, was in keys.items():
            yield f"key {event}.{key} renamed", partial(_event, game, event, key, name=f"{key}_new")
            for kind in EVENT_TYPES:
                if kind != was:
                    yield f"key {event}.{key} as {kind}", partial(_event, game, event, key, kind=kind)
    yield from message_changes(game)


def message_changes(game: str) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    """Yield each field of a message under another number, and as each kind that is sent in another form."""
    for message, field, forms in message_fields(game):
        yield f"message {message}.{field} renamed", partial(_message, game, message, field)
        for kind in MESSAGE_KINDS:
            if WIRE_TYPES[KINDS.index(kind)] not in forms:
                yield f"message {message}.{field} as {kind}", partial(_message, game, message, field, kind)


@cache
def message_fields(game: str) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return message, name and forms of each field of the messages that the match has: a list of numbers may be
    sent as one text."""
    found: set[tuple[str, str, tuple[int, ...]]] = set()
    encode = wire.encode

    def noted(message: str, values: Mapping[Any, Any], of: str = "") -> bytes:
        if message not in CONTAINERS:
            keyed = wire._keyed(message, of)
            for key, field in (keyed[name] for name in values if name in keyed):
                forms = {key & 7, WIRE_TYPES[-1]} if field.repeated else {key & 7}
                found.add((message, field.name, tuple(sorted(forms))))
        return encode(message, values, of)

    with patch.object(wire, "encode", noted):
        SHORT_MATCHES[game]()
    return sorted(found)


def _message(game: str, message: str, field: str, kind: str | None = None) -> bytes:
    """Write the match with a field of a message under another number, or as another kind."""
    keyed, write = wire._keyed, wire._write

    def changed(of: str, game: str) -> dict[str, tuple[int, FieldDef]]:
        known = keyed(of, game)
        if of != message or field not in known:
            return known
        key, was = known[field]
        if kind is None:
            return {**known, field: (key + (700 << 3), was)}
        return {**known, field: (key & ~7 | WIRE_TYPES[KINDS.index(kind)], was._replace(kind=f"now {kind}"))}

    def written(writer: Any, of: FieldDef, value: Any, game: str) -> None:
        if of.kind.startswith("now "):
            of, value = of._replace(kind=kind), CONVERSIONS["long" if kind == "uint64" else "float"](value)
            value = str(value) if kind == "string" else value
        write(writer, of, value, game)

    with patch.object(wire, "_keyed", changed), patch.object(wire, "_write", written):
        return SHORT_MATCHES[game]()


@cache
def events(game: str) -> Mapping[str, Mapping[str, str]]:
    """Return the types of the keys of each event that the match declares."""
    found: dict[str, Mapping[str, str]] = {}
    write = GameEventWriter.event_list

    def noted(self: GameEventWriter) -> Any:
        found.update(self._events)
        return write(self)

    with patch.object(GameEventWriter, "event_list", noted):
        SHORT_MATCHES[game]()
    return found


def _retyped(game: str, field: str, kind: str) -> bytes:
    with other_type(field, kind):
        return SHORT_MATCHES[game]()


def _event(game: str, event: str, key: str, **change: str) -> bytes:
    with other_value(event, key, **change):
        return SHORT_MATCHES[game]()
