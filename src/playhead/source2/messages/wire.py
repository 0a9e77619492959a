"""The protobuf wire format, decoded and encoded by `playhead.source2.messages.definitions`.

A decoded message is a dict by field name, without fields that were not sent. Unknown fields are lists under their
numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from playhead.bits import ByteWriter
from playhead.errors import FactError
from playhead.runtime.typing import Any
from playhead.source2.messages.definitions import FieldDef, decoder, enumeration, fields
from playhead.source2.messages.wire_decoder import KINDS, WIRE_TYPES, field_bytes, field_count, first_number

__all__ = [
    "decode",
    "encode",
    "field_bytes",
    "field_count",
    "first_number",
    "keys_of",
    "unknown_error",
    "unknown_fields",
]


def decode(message: str, data: bytes | memoryview, game: str = "") -> dict[str | int, Any]:
    """Return the fields of `data` as a message of that definition of a game; see `WireDecoder.decode`.

    Raises:
        KeyError: there is no definition of that name.
        TruncatedReplay, CorruptReplay: the bytes are no protobuf message.
        LimitExceeded: messages nest too deep, or there are too many fields.
    """
    return decoder(message, game).decode(data)


# Most fields that an error names.
_MOST_NAMED = 4


def unknown_fields(values: Mapping[Any, Any], inside: str = "") -> Iterator[str]:
    """Yield the number of each field of a decoded message that its definition lacks or has with another wire type,
    after the names of the fields that it is in."""
    for name, value in values.items():
        if isinstance(name, int):
            yield f"{inside}{name}"
            continue
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, dict):
                yield from unknown_fields(each, f"{inside}{name}.")


def unknown_error(unknown: Collection[str]) -> FactError:
    """Return the error of `unknown_fields` where facts read the others: an update gave a field another number or
    kind, or added it."""
    found = ", ".join(sorted(unknown)[:_MOST_NAMED])
    return FactError(f"expected fields that the definition has, found {found}")


def keys_of(message: str, game: str = "") -> frozenset[int]:
    """Return the keys that precede the fields of a message: the number and the wire type of each."""
    return frozenset(key for key, _ in _keyed(message, game).values())


def encode(message: str, values: Mapping[Any, Any], game: str = "") -> bytes:
    """Return the bytes of a message, its fields in order of their numbers: the inverse of `decode`.

    Args:
        message: name of its definition.
        values: by name; lists of raw values, as `decode` returns them for unknown fields, by number.
        game: whose definition it is; the default is that of the engine and of Dota 2.

    Raises:
        KeyError: the definition has no field of that name, or its enumeration no such value.
        ValueError: a value does not fit its type.
    """
    known = _keyed(message, game)
    writer = ByteWriter()
    # A field's own values precede raw values under its number.
    for name in sorted(values, key=lambda name: (name, 1) if isinstance(name, int) else (known[name][0] >> 3, 0)):
        if isinstance(name, int):
            field = next((field for field in fields(message, game) if field.number == name), None)
            _write_raw(writer, name, field, values[name])
            continue
        key, field = known[name]
        for item in values[name] if field.repeated else (values[name],):
            writer.write_varuint32(key)
            _write(writer, field, item, game)
    return writer.to_bytes()


@cache
def _keyed(message: str, game: str) -> dict[str, tuple[int, FieldDef]]:
    """Return the fields of a message by name, each with the key that precedes its values."""
    return {
        field.name: (field.number << 3 | WIRE_TYPES[KINDS.index(field.kind)], field)
        for field in fields(message, game)
    }


def _write_raw(writer: ByteWriter, number: int, field: FieldDef | None, values: list[int | bytes]) -> None:
    """Write raw values of an unknown field, or of a field that came with another wire type than defined."""
    is_fixed = field is not None and WIRE_TYPES[KINDS.index(field.kind)] == WIRE_TYPES[KINDS.index("uint64")]
    for value in values:
        if isinstance(value, bytes):
            writer.write_varuint32(number << 3 | WIRE_TYPES[KINDS.index("bytes")])
            writer.write_varuint32(len(value))
            writer.write_bytes(value)
        elif is_fixed:
            writer.write_varuint32(number << 3 | WIRE_TYPES[KINDS.index("fixed64")])
            writer.write_u64(value)
        else:
            writer.write_varuint32(number << 3)
            writer.write_varuint64(value)


def _write(writer: ByteWriter, field: FieldDef, value: Any, game: str) -> None:
    kind = field.kind
    if kind in ("int32", "int64"):
        writer.write_varuint64(value % 2**64)
    elif kind in ("uint32", "uint64", "bool"):
        writer.write_varuint64(int(value))
    elif kind == "enum":
        number = enumeration(field.target or "", game)[value] if isinstance(value, str) else value
        writer.write_varuint64(number % 2**64)
    elif kind in ("sint32", "sint64"):
        writer.write_varuint64((value << 1) ^ (value >> 63))
    elif kind in ("fixed64", "sfixed64"):
        writer.write_u64(value % 2**64)
    elif kind in ("fixed32", "sfixed32"):
        writer.write_u32(value % 2**32)
    elif kind == "float":
        writer.write_f32(value)
    elif kind == "double":
        writer.write_bytes(struct.pack("<d", value))
    else:
        data = (
            value.encode()
            if kind == "string"
            else bytes(value)
            if kind == "bytes"
            else encode(field.target or "", value, game)
        )
        writer.write_varuint32(len(data))
        writer.write_bytes(data)
