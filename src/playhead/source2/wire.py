"""The protobuf wire format, driven by `playhead.source2.message_definitions`: both ways, without generated code.

A decoded message is a dict by field name; a field that is absent in the bytes is absent in the dict, and one that
the definition does not know is kept under its number. Nothing is rejected for being unknown.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from playhead.bits import ByteReader, ByteWriter
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.source2.message_definitions import Field, decoder, enumeration, fields
from playhead.source2.wire_decoder import KINDS, MAX_FIELDS, WIRE_TYPES

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def decode(message: str, data: bytes | memoryview) -> dict[str | int, Any]:
    """The fields of `data` as a message of that definition; `WireDecoder.decode` tells what they become.

    Raises:
        KeyError: there is no definition of that name.
        TruncatedReplay, CorruptReplay: the bytes are no protobuf message.
        LimitExceeded: messages nest too deep, or there are too many fields.
    """
    return decoder(message).decode(data)


def field_bytes(data: bytes | memoryview, number: int) -> bytes | None:
    """The length-delimited field of that number, without decoding the others; None if there is none.

    All of `data` is walked: what stands behind the field must be protobuf too, so that bytes that a damaged size
    let in are noticed.

    Raises:
        TruncatedReplay, CorruptReplay: the bytes are no protobuf message, or the field is no byte string.
        LimitExceeded: there are too many fields.
    """
    reader = ByteReader(data)
    found = None
    fields = 0
    while reader.remaining():
        fields += 1
        if fields > MAX_FIELDS:
            raise LimitExceeded(f"a message has more than {MAX_FIELDS} fields")
        start = reader.tell()
        key = reader.read_varuint32()
        if key >> 3 == number:
            if key & 7 != _BYTES:
                raise CorruptReplay(
                    f"expected field {number} as a byte string, found wire type {key & 7}", offset=start
                )
            found = reader.read_bytes(reader.read_varuint32())
        elif key & 7 == _BYTES:
            reader.skip(reader.read_varuint32())
        else:
            _skip(reader, key & 7, start)
    return found


def _skip(reader: ByteReader, wire_type: int, start: int) -> None:
    if wire_type == _VARINT:
        reader.read_varuint64()
    elif wire_type == _FIXED64:
        reader.skip(8)
    elif wire_type == _FIXED32:
        reader.skip(4)
    else:
        raise CorruptReplay(f"expected a protobuf wire type of 0, 1, 2 or 5, found {wire_type}", offset=start)


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


def _write(writer: ByteWriter, field: Field, value: Any) -> None:
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
