"""Written matches after an update of the game: a field or a value of an event has another name or type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import playhead
from playhead.bits import BitWriter
from playhead.samples.source2 import match_schema
from playhead.source2.schema.send_tables import SerializerField
from playhead.source2.tables.request import TableRequest
from playhead.source2.writing.entities import ClassWriter
from playhead.source2.writing.messages import GameEventWriter

#: Converts a value to the type of that name.
CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {
    "float32": lambda value: float(_number(value)),
    "bool": lambda value: bool(_number(value)),
    "uint64": lambda value: int(_number(value)) & 0xFFFF_FFFF,
    "CUtlString": str,
    "float": lambda value: float(_number(value)),
    "long": lambda value: int(_number(value)) & 0x7FFF_FFFF,
    "string": str,
}


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float) else len(value) if hasattr(value, "__len__") else 1


@contextmanager
def other_field(field: str, *, name: str | None = None, kind: str | None = None) -> Iterator[None]:
    """Let written matches declare `field` under another name, or as another type."""
    declare, write_fields, own = match_schema.declare_field, ClassWriter.write_fields, re.compile(rf"\b{field}\b")

    def declared(text: str, **others: Any) -> SerializerField:
        found = declare(text, **others)
        if found.name != field:
            return found
        if kind is not None and found.type.generic is None and "serializer" not in others:
            node, _, _ = text.split()[0].rpartition("/")
            return declare(f"{node}/{field} {kind}" if node else f"{field} {kind}")
        return found._replace(name=name or field)

    def written(self: ClassWriter, writer: BitWriter, values: Mapping[str, Any]) -> None:
        if kind is not None:
            convert = CONVERSIONS[kind]
            plain = {key for key in values if key.rpartition(".")[2] == field}
            values = {key: convert(value) if key in plain else value for key, value in values.items()}
        if name is not None:
            values = {own.sub(name, key): value for key, value in values.items()}
        write_fields(self, writer, values)

    with patch.object(match_schema, "declare_field", declared), patch.object(ClassWriter, "write_fields", written):
        yield


@contextmanager
def other_value(event: str, value: str, *, name: str | None = None, kind: str | None = None) -> Iterator[None]:
    """Let written matches declare a value of an event under another name, or as another type."""
    write, write_list = GameEventWriter.event, GameEventWriter.event_list

    def changed(writer: GameEventWriter) -> GameEventWriter:
        types = writer._events.get(event, {})
        if value not in types:
            return writer
        new = {(name or key) if key == value else key: (kind or was) if key == value else was
               for key, was in types.items()}  # fmt: skip
        return GameEventWriter({**writer._events, event: new}, writer._numbers)

    def written(self: GameEventWriter, of: str, values: Mapping[str, Any], *rest: Any) -> Any:
        if of == event and value in values:
            values = {(name or key) if key == value else key: CONVERSIONS[kind](found) if kind and key == value
                      else found for key, found in values.items()}  # fmt: skip
        return write(changed(self), of, values, *rest)

    with (
        patch.object(GameEventWriter, "event", written),
        patch.object(GameEventWriter, "event_list", lambda self: write_list(changed(self))),
    ):
        yield


def fields_read(replay: playhead.Replay) -> list[str]:
    """Return the names of the fields, and of their parts, that the collectors of all tables of a replay read."""
    kinds = tuple(replay._registry().makers())  # type: ignore[attr-defined]
    request = TableRequest(kinds, {}, (), None, False)
    found: set[str] = set()
    for collector in replay.collectors_for(request):  # type: ignore[attr-defined]
        for names in collector.fields.values():
            for each in names:
                found.update(part for part in each.split(".") if re.fullmatch(r"m_\w+", part))
    return sorted(found)
