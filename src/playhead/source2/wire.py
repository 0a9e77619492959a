"""The protobuf wire format, driven by `playhead.source2.definitions`: both ways, without generated code.

A decoded message is a dict by field name; a field that is absent in the bytes is absent in the dict, and one that
the definition does not know is kept under its number. Nothing is rejected for being unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from playhead.bits import ByteReader, ByteWriter
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.source2.definitions import DEFINITIONS

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIRE_TYPES = {
    "int32": _VARINT,
    "int64": _VARINT,
    "uint32": _VARINT,
    "uint64": _VARINT,
    "sint32": _VARINT,
    "bool": _VARINT,
    "fixed64": _FIXED64,
    "double": _FIXED64,
    "string": _BYTES,
    "bytes": _BYTES,
    "fixed32": _FIXED32,
    "float": _FIXED32,
}

# Deeper than any message defined here.
_MAX_DEPTH = 16

# Fields of one message, nested ones included. A field of two bytes becomes an object of a hundred, and a Snappy
# block of a few megabytes can hold a hundred million of them. The largest in five real demos, Dota's sign-on
# string tables, has 9,722.
_MAX_FIELDS = 1 << 20


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message definition."""

    number: int
    type: str
    name: str
    repeated: bool

    @property
    def wire_type(self) -> int:
        """How it stands in the bytes; a nested message is a byte string."""
        return _WIRE_TYPES.get(self.type, _BYTES)


@cache
def _definitions() -> Mapping[str, Mapping[int, Field]]:
    out = {}
    for name, body in re.findall(r"^([\w.]+):\n((?: +.*\n)+)", DEFINITIONS, re.MULTILINE):
        fields = {}
        for entry in " ".join(body.split()).split("; "):
            number, *repeated, kind, field = entry.split()
            fields[int(number)] = Field(int(number), kind, field, bool(repeated))
        out[name] = fields
    return out


class _Allowance:
    """Fields that may still be read."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = _MAX_FIELDS

    def take(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise LimitExceeded(f"a message has more than {_MAX_FIELDS} fields")


def decode(message: str, data: bytes | memoryview) -> dict[str | int, Any]:
    """The fields of `data` as a message of that definition.

    Integers, floats, str (bytes that are no UTF-8 become U+FFFD), bytes, nested dicts, and lists of them for
    repeated fields. A field that is unknown, or that stands there in another wire type than defined, is kept as a
    list under its number.

    Raises:
        TruncatedReplay, CorruptReplay: the bytes are no protobuf message.
        LimitExceeded: messages nest too deep, or there are too many fields.
    """
    return _decode(message, data, 0, _Allowance())


def _decode(message: str, data: bytes | memoryview, depth: int, allowance: _Allowance) -> dict[str | int, Any]:
    if depth > _MAX_DEPTH:
        raise LimitExceeded(f"messages nest more than {_MAX_DEPTH} deep")
    definition = _definitions()[message]
    reader = ByteReader(data)
    out: dict[str | int, Any] = {}
    while reader.remaining():
        allowance.take()
        start = reader.tell()
        key = reader.read_varuint32()
        wire_type = key & 7
        field = definition.get(key >> 3)
        raw = _read_raw(reader, wire_type, start)
        if field is not None and field.repeated and wire_type == _BYTES and field.wire_type == _VARINT:
            out.setdefault(field.name, []).extend(_packed(raw, field, allowance))
            continue
        if field is None or field.wire_type != wire_type:
            out.setdefault(key >> 3, []).append(raw)
            continue
        value = _value(field, raw, depth, allowance)
        if field.repeated:
            out.setdefault(field.name, []).append(value)
        else:
            out[field.name] = value
    return out


def _read_raw(reader: ByteReader, wire_type: int, start: int) -> Any:
    if wire_type == _VARINT:
        return reader.read_varuint64()
    if wire_type == _BYTES:
        return reader.read_bytes(reader.read_varuint32())
    if wire_type == _FIXED64:
        return reader.read_u64()
    if wire_type == _FIXED32:
        return reader.read_u32()
    raise CorruptReplay(f"expected a protobuf wire type of 0, 1, 2 or 5, found {wire_type}", offset=start)


def _packed(raw: bytes, field: Field, allowance: _Allowance) -> list[Any]:
    reader = ByteReader(raw)
    values = []
    while reader.remaining():
        allowance.take()
        values.append(_value(field, reader.read_varuint64(), 0, allowance))
    return values


def _value(field: Field, raw: Any, depth: int, allowance: _Allowance) -> Any:
    kind = field.type
    if kind in ("uint64", "uint32", "fixed64", "fixed32", "bytes"):
        return raw if kind != "uint32" else raw & 0xFFFFFFFF
    if kind == "string":
        return raw.decode("utf-8", errors="replace")
    if kind == "bool":
        return raw != 0
    if kind == "int32":
        return (raw + 2**31) % 2**32 - 2**31
    if kind == "int64":
        return (raw + 2**63) % 2**64 - 2**63
    if kind == "sint32":
        return (raw >> 1) ^ -(raw & 1)
    if kind == "float":
        return ByteReader(raw.to_bytes(4, "little")).read_f32()
    return _decode(kind, raw, depth + 1, allowance)


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
    fields = 0  # not an _Allowance: this runs for every packet
    while reader.remaining():
        fields += 1
        if fields > _MAX_FIELDS:
            raise LimitExceeded(f"a message has more than {_MAX_FIELDS} fields")
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
            _read_raw(reader, key & 7, start)
    return found


def encode(message: str, values: Mapping[str, Any]) -> bytes:
    """The bytes of a message: fields in order of their numbers, the mirror image of `decode`.

    Raises:
        KeyError: the definition has no field of that name.
        ValueError: a value does not fit its type.
    """
    definition = _definitions()[message]
    by_name = {field.name: field for field in definition.values()}
    writer = ByteWriter()
    for field in sorted((by_name[name] for name in values), key=lambda field: field.number):
        value = values[field.name]
        for item in value if field.repeated else (value,):
            writer.write_varuint32(field.number << 3 | field.wire_type)
            _write(writer, field, item)
    return writer.to_bytes()


def _write(writer: ByteWriter, field: Field, value: Any) -> None:
    kind = field.type
    if kind in ("int32", "int64"):
        writer.write_varuint64(value % 2**64)
    elif kind in ("uint32", "uint64", "bool"):
        writer.write_varuint64(int(value))
    elif kind == "sint32":
        writer.write_varuint64((value << 1) ^ (value >> 31))
    elif kind == "fixed64":
        writer.write_u64(value)
    elif kind == "fixed32":
        writer.write_u32(value)
    elif kind == "float":
        writer.write_f32(value)
    else:
        data = value.encode() if kind == "string" else bytes(value) if kind == "bytes" else encode(kind, value)
        writer.write_varuint32(len(data))
        writer.write_bytes(data)
