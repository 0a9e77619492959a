"""The protobuf wire format, driven by `playhead.source2.messages.definitions`: both ways, without generated code.

A decoded message is a dict by field name; a field that is absent in the bytes is absent in the dict, and one that
the definition does not know is kept under its number. Nothing is rejected for being unknown.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from playhead.bits import ByteWriter
from playhead.source2.messages.definitions import FieldDef, decoder, enumeration, fields
from playhead.source2.messages.wire_decoder import KINDS, WIRE_TYPES, field_bytes, field_count, first_number

__all__ = ["decode", "encode", "field_bytes", "field_count", "first_number"]


def decode(message: str, data: bytes | memoryview) -> dict[str | int, Any]:
    """Return the fields of `data` as a message of that definition; see `WireDecoder.decode`.

    Raises:
        KeyError: there is no definition of that name.
        TruncatedReplay, CorruptReplay: the bytes are no protobuf message.
        LimitExceeded: messages nest too deep, or there are too many fields.
    """
    return decoder(message).decode(data)


def encode(message: str, values: Mapping[str, Any]) -> bytes:
    """The bytes of a message: fields in order of their numbers, the mirror image of `decode`.

    Raises:
        KeyError: the definition has no field of that name, or its enumeration no such value.
        ValueError: a value does not fit its type.
    """
    by_name = {field.name: field for field in fields(message)}
    writer = ByteWriter()
    for field in sorted((by_name[name] for name in values), key=lambda field: field.number):
        value = values[field.name]
        for item in value if field.repeated else (value,):
            writer.write_varuint32(field.number << 3 | WIRE_TYPES[KINDS.index(field.kind)])
            _write(writer, field, item)
    return writer.to_bytes()


def _write(writer: ByteWriter, field: FieldDef, value: Any) -> None:
    kind = field.kind
    if kind in ("int32", "int64"):
        writer.write_varuint64(value % 2**64)
    elif kind in ("uint32", "uint64", "bool"):
        writer.write_varuint64(int(value))
    elif kind == "enum":
        number = enumeration(field.target or "")[value] if isinstance(value, str) else value
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
            else encode(field.target or "", value)
        )
        writer.write_varuint32(len(data))
        writer.write_bytes(data)
