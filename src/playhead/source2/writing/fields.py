"""Write field values: the inverse of `source2.schema.decoder`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import copysign
from typing import Any

from playhead.bits import BitWriter
from playhead.source2.schema.encoding import Encoding, Kind
from playhead.source2.schema.quantized_float import HIGH, LOW, ZERO, QuantizedFloat

Angles = tuple[float, ...]


def write_value(writer: BitWriter, encoding: Encoding, value: Any) -> None:
    """Write one value with `encoding`.

    Values are numbers, bool, str or bytes, and tuples of numbers for vectors and angles. A pointer is False or
    None for null, True for its own type, or a number from 1 on for its other types. A number is rounded to the
    nearest one that the encoding represents.

    Raises:
        ValueError: the encoding cannot represent the value.
    """
    _WRITERS[encoding.kind](writer, encoding, value)


def _write_string(writer: BitWriter, _encoding: Encoding, value: str | bytes) -> None:
    writer.write_string(value.encode() if isinstance(value, str) else value)


def _write_bytes(writer: BitWriter, _encoding: Encoding, value: bytes) -> None:
    writer.write_varuint32(len(value))
    writer.write_bytes(value)


def _write_pointer(writer: BitWriter, encoding: Encoding, given: int | None) -> None:
    value = int(given or 0)
    writer.write_boolean(value != 0)
    if value and encoding.types > 1:
        writer.write_ubit_var(value - 1)


def _write_floats(writer: BitWriter, encoding: Encoding, value: Any) -> None:
    for component in (value,) if encoding.cells == 1 else value:
        if encoding.kind == Kind.COORD:
            writer.write_coord(component)
        elif encoding.kind == Kind.NORMAL:
            writer.write_normal(component)
        elif encoding.quantized is not None:
            _write_quantized(writer, encoding.quantized, component)
        else:
            writer.write_float(component)


def _write_quantized(writer: BitWriter, quantized: QuantizedFloat, value: float) -> None:
    for flag, exact in ((LOW, quantized.low), (HIGH, quantized.high), (ZERO, 0.0)):
        if quantized.flags & flag:
            writer.write_boolean(value == exact)
            if value == exact:
                return
    most = (1 << quantized.bit_count) - 1
    number = round((value - quantized.low) / (quantized.range * quantized.step))
    writer.write_bits(min(max(number, 0), most), quantized.bit_count)


def _write_angles(writer: BitWriter, encoding: Encoding, value: Angles) -> None:
    for angle in value[: 3 if encoding.kind == Kind.ANGLES else 2]:
        writer.write_angle(angle, encoding.bits)


def _write_pitch_yaw(writer: BitWriter, encoding: Encoding, value: Angles) -> None:
    if encoding.bits == 32:
        _write_float_angles(writer, encoding, value[:2])
    else:
        _write_angles(writer, encoding, value)


def _write_float_angles(writer: BitWriter, _encoding: Encoding, value: Sequence[float]) -> None:
    for angle in value[:3]:
        writer.write_float(angle)


def _write_flagged_angles(writer: BitWriter, encoding: Encoding, value: Angles) -> None:
    for angle in value:
        writer.write_boolean(angle != 0.0)
    for angle in value:
        if angle == 0.0:
            continue
        if encoding.kind == Kind.ANGLES_PRECISE:
            writer.write_angle(angle + 180.0, encoding.bits)
        else:
            writer.write_coord(angle)


#: Writes one value of each kind.
_WRITERS: Mapping[int, Callable[[BitWriter, Encoding, Any], object]] = {
    Kind.BOOL: lambda writer, _, value: writer.write_boolean(bool(value)),
    Kind.SIGNED: lambda writer, _, value: writer.write_varint32(value),
    Kind.SIGNED64: lambda writer, _, value: writer.write_varint64(value),
    **dict.fromkeys((Kind.UNSIGNED, Kind.TICKS), lambda writer, _, value: writer.write_varuint64(value)),
    Kind.FIXED64: lambda writer, _, value: writer.write_bits(value, 64),
    Kind.BYTE: lambda writer, _, value: writer.write_bits(value, 8),
    Kind.SIGNED_BYTE: lambda writer, _, value: writer.write_bits(value & 0xFF, 8),
    Kind.SEQUENCE: lambda writer, _, value: writer.write_varuint64(value + 1),
    **dict.fromkeys((Kind.FLOAT, Kind.COORD, Kind.NORMAL, Kind.QUANTIZED), _write_floats),
    Kind.STRING: _write_string,
    Kind.BYTES: _write_bytes,
    Kind.UNIT_VECTOR: lambda writer, _, value: writer.write_3bit_normal(
        value[0], value[1], copysign(1.0, value[2]) < 0
    ),
    Kind.ANGLES_FLOAT: _write_float_angles,
    Kind.ANGLES: _write_angles,
    Kind.PITCH_YAW: _write_pitch_yaw,
    **dict.fromkeys((Kind.ANGLES_PRECISE, Kind.ANGLES_COORD), _write_flagged_angles),
    Kind.POINTER: _write_pointer,
    Kind.LENGTH: lambda writer, _, value: writer.write_varuint32(value),
}
