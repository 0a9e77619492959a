"""Records of network messages: the type of a field is its encoding.

`int` is a packed int and `str` a zero-terminated text; a tuple type is that many fields one after the other;
``int | None`` is an int that older clients leave out at the end.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints
from uuid import UUID

from playhead.bits import ByteReader, ByteWriter
from playhead.runtime.records import dataclass, field_names
from playhead.teehistorian.stream.extensions import named_uuid
from playhead.teehistorian.stream.text import decode_text, encode_text


class _Encodings:
    """The encodings of a record's fields, computed on first access."""

    def __get__(self, _record: object, owner: Any) -> tuple[tuple[str, type, int], ...]:
        found = owner.encodings = _encodings(owner)
        return found


class NetworkRecord:
    """Base of the records; the values of fields may be out of range.

    Attributes:
        kind: name of the message, equal in both protocols for the same meaning: ``start_info``.
        number: its number in its protocol; 0 for an extended message.
        uuid: UUID of an extended message, else None.
        extended_name: the name from which `uuid` is derived, else None.
        encodings: name, type (`int` or `str`) and count of each field: the length of a tuple, 0 for an optional
            value, -1 for a single value.
    """

    __slots__ = ()
    kind: ClassVar[str]
    number: ClassVar[int]
    uuid: ClassVar[UUID | None]
    extended_name: ClassVar[str | None]
    encodings = _Encodings()


_R = TypeVar("_R", bound=NetworkRecord)


def _declared(cls: type[_R], number: int, name: str | None = None) -> type[_R]:
    record = dataclass(frozen=True, slots=True)(cls)
    record.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", record.__name__).lower()
    record.number, record.extended_name = number, name
    record.uuid = None if name is None else named_uuid(name)
    return record


@dataclass_transform(frozen_default=True)
def numbered(table: dict[int, type[NetworkRecord]], number: int) -> Callable[[type[_R]], type[_R]]:
    """Make the class a frozen dataclass and add it to the `table` of its protocol, under its number."""

    def register(cls: type[_R]) -> type[_R]:
        table[number] = record = _declared(cls, number)
        return record

    return register


@dataclass_transform(frozen_default=True)
def named(table: dict[UUID, type[NetworkRecord]], name: str) -> Callable[[type[_R]], type[_R]]:
    """Make the class a frozen dataclass and add it to a `table` of extended messages, under the UUID of `name`."""

    def register(cls: type[_R]) -> type[_R]:
        table[named_uuid(name)] = record = _declared(cls, 0, name)
        return record

    return register


def _encodings(record: type) -> tuple[tuple[str, type, int], ...]:
    hints = get_type_hints(record)
    out: list[tuple[str, type, int]] = []
    for name in field_names(record):
        hint = hints[name]
        if get_origin(hint) is tuple:
            items = get_args(hint)
            out.append((name, items[0], len(items)))
        elif get_origin(hint) is types.UnionType:
            out.append((name, get_args(hint)[0], 0))
        else:
            out.append((name, hint, -1))
    return tuple(out)


def read_record(record: type[NetworkRecord], reader: ByteReader) -> NetworkRecord:
    """Read a record from the next fields of `reader`.

    Raises:
        TruncatedReplay: a field is missing.
    """
    values: list[Any] = []
    for _, encoding, count in record.encodings:
        if count == 0 and not reader.remaining():
            values.append(None)
        elif count > 0:
            values.append(tuple([_read(encoding, reader) for _ in range(count)]))
        else:
            values.append(_read(encoding, reader))
    return record(*values)


def _read(encoding: type, reader: ByteReader) -> int | str:
    return reader.read_packed_int() if encoding is int else decode_text(reader.read_cstring())


def write_record(record: NetworkRecord, out: ByteWriter) -> None:
    """Write the fields of a record."""
    for name, _, count in record.encodings:
        value = getattr(record, name)
        for item in value if count > 0 else (value,):
            if isinstance(item, str):
                out.write_cstring(encode_text(item))
            elif item is not None:
                out.write_packed_int(item)


def record_fields(record: NetworkRecord) -> dict[str, Any]:
    """Return its fields by name, without omitted optional ones."""
    values = {name: getattr(record, name) for name, _, _ in record.encodings}
    return {name: value for name, value in values.items() if value is not None}
