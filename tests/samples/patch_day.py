"""Recordings as after an update of the game: a field or a value of an event has another name or type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.samples.source2 import dota2, match_schema
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.plan import plan_match
from tests.samples.source2.deadlock.recording import WrittenMatch
from tests.samples.source2.encoding import GameEventWriter

import playhead
from playhead.bits import BitWriter, ByteReader, ByteWriter
from playhead.source2.container.frames import COMPRESSED, FILE_INFO, SEND_TABLES, SPAWN_GROUPS, STOP
from playhead.source2.messages import wire
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.send_tables import SerializerField
from playhead.source2.tables.request import TableRequest
from playhead.source2.writing.demo import DemoWriter
from playhead.source2.writing.entities import ClassWriter

#: Matches of a moment, by game: hundreds of them are written and read in some minutes.
SHORT_MATCHES: Mapping[str, Callable[[], bytes]] = {
    "cs2": lambda: write_cs2_match(0.25, plan=plan_match(3, 1)[:4]).data,
    "deadlock": lambda: WrittenMatch(0.5).demo(),
    "dota2": lambda: dota2.sample_demo.__wrapped__()[0],
}


# More than every known build: broadcasts name none.
_LATER = 20000


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float) else len(value) if hasattr(value, "__len__") else 1


#: Converts a value to the type of that name.
CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {
    "float32": lambda value: float(_number(value)),
    "bool": lambda value: bool(_number(value)),
    "uint64": lambda value: int(_number(value)) & 0xFFFF_FFFF,
    "CUtlString": str,
    "Vector": lambda value: (float(_number(value)),) * 3,
    "uint32[2]": lambda value: int(_number(value)) & 0xFFFF_FFFF,
    "float": lambda value: float(_number(value)),
    "long": lambda value: int(_number(value)) & 0x7FFF_FFFF,
    "short": lambda value: int(_number(value)) & 0x7FFF,
    "byte": lambda value: int(_number(value)) & 0xFF,
    "string": str,
}


def fields_read(replay: playhead.Replay) -> list[str]:
    """Return the names of the fields, and of their parts, that the collectors of all tables of a replay read."""
    assert isinstance(replay, Source2Replay)
    request = TableRequest(tuple(replay._registry().makers()), {}, (), None, False)
    read = [name for each in replay.collectors_for(request) for names in each.fields.values() for name in names]
    return sorted({part for name in read for part in name.split(".") if re.fullmatch(r"m_\w+", part)})


def renamed(data: bytes | Path, field: str, name: str) -> bytes:
    """Return a recording whose classes declare `field` under another name."""

    def rename(message: dict[str, Any]) -> None:
        message["symbols"] = [name if symbol == field else symbol for symbol in message["symbols"]]

    return with_schema(data, rename)


def renamed_in(data: bytes | Path, table: str, field: str) -> bytes:
    """Return a recording in which one class declares `field` under another name."""

    def rename(message: dict[str, Any]) -> None:
        symbols, fields = message["symbols"], message["fields"]
        (of,) = (each for each in message["serializers"] if symbols[each.get("serializer_name_sym", 0)] == table)
        numbers = of["fields_index"]
        (place,) = (at for at, number in enumerate(numbers) if symbols[fields[number]["var_name_sym"]] == field)
        more = {**fields[numbers[place]], "var_name_sym": len(symbols)}
        message["symbols"], message["fields"] = [*symbols, f"{field}New"], [*fields, more]
        message["serializers"] = [
            {**each, "fields_index": [*numbers[:place], len(fields), *numbers[place + 1 :]]}
            if each is of
            else each
            for each in message["serializers"]
        ]

    return with_schema(data, rename)


def with_schema(data: bytes | Path, change: Callable[[dict[str, Any]], None]) -> bytes:
    """Return a recording of a later build, whose flattened serializers are changed."""
    with playhead.open(data) as replay:
        assert isinstance(replay, Source2Replay)
        recording = replay.recording
        first, *frames = recording.frames
        header = wire.decode("CDemoFileHeader", bytes(recording.payload(first)))
        writer = DemoWriter({**header, "build_num": header.get("build_num", _LATER) + 1000})
        info: dict[int, bytes] = {}
        for frame in frames:
            if frame.command in (STOP, SPAWN_GROUPS, FILE_INFO):
                info[frame.command] = bytes(recording.payload(frame))
            elif frame.command == SEND_TABLES:
                payload = _changed(bytes(recording.payload(frame)), change)
                writer.frame(frame.command, frame.tick, payload)
            else:
                command = frame.command | (COMPRESSED if frame.compressed else 0)
                writer.stored_frame(command, frame.tick, recording.stored(frame))
        return writer.finish(frames[-1].tick, info.get(FILE_INFO, b""), info.get(SPAWN_GROUPS, b""))


def _changed(payload: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    reader = ByteReader(wire.field_bytes(payload, 1) or b"")
    message = wire.decode("CSVCMsg_FlattenedSerializer", reader.read_bytes(reader.read_varuint32()))
    message = dict(message)
    change(message)
    encoded = wire.encode("CSVCMsg_FlattenedSerializer", message)
    out = ByteWriter()
    out.write_varuint32(len(encoded))
    out.write_bytes(encoded)
    return wire.encode("CDemoSendTables", {"data": out.to_bytes()})


@contextmanager
def other_type(field: str, kind: str) -> Iterator[None]:
    """Let written matches declare and write `field` as another type; one with parts loses them."""
    declare, write_fields, convert = match_schema.declare_field, ClassWriter.write_fields, CONVERSIONS[kind]
    element = ".0000" if "[" in kind else ""

    def declared(text: str, **others: Any) -> SerializerField:
        node, _, name = text.split()[0].rpartition("/")
        if name != field:
            return declare(text, **others)
        return declare(f"{node}/{field} {kind}" if node else f"{field} {kind}")

    def written(self: ClassWriter, writer: BitWriter, values: Mapping[str, Any]) -> None:
        changed: dict[str, Any] = {}
        for key, value in values.items():
            head, found, rest = f".{key}.".partition(f".{field}.")
            name = f"{head}.{field}"[1:] + element
            if not found:
                changed[key] = value
            elif not rest or name not in changed:
                changed[name] = convert(value if not rest else 1)
        write_fields(self, writer, changed)

    with patch.object(match_schema, "declare_field", declared), patch.object(ClassWriter, "write_fields", written):
        yield


@contextmanager
def other_value(event: str, value: str, *, name: str | None = None, kind: str | None = None) -> Iterator[None]:
    """Let written matches declare and write a value of an event under another name, or as another type."""
    write, write_list, now = GameEventWriter.event, GameEventWriter.event_list, name or value

    def changed(writer: GameEventWriter) -> GameEventWriter:
        types = writer._events.get(event, {})
        if value not in types:
            return writer
        new = {now if key == value else key: kind or was if key == value else was for key, was in types.items()}
        return GameEventWriter({**writer._events, event: new}, writer._numbers)

    def written(self: GameEventWriter, of: str, values: Mapping[str, Any], *rest: Any) -> Any:
        if of == event and value in values:
            said = CONVERSIONS[kind](values[value]) if kind else values[value]
            values = {now if key == value else key: said if key == value else each for key, each in values.items()}
        return write(changed(self), of, values, *rest)

    with (
        patch.object(GameEventWriter, "event", written),
        patch.object(GameEventWriter, "event_list", lambda self: write_list(changed(self))),
    ):
        yield
