"""Write field values: the inverse of `source2.schema.decoder`."""

from __future__ import annotations

from math import copysign
from typing import Any

from playhead.bits import BitWriter
from playhead.source2.schema.encoding import Encoding, Kind
from playhead.source2.schema.quantized_float import HIGH, LOW, ZERO, QuantizedFloat


def write_value(writer: BitWriter, encoding: Encoding, value: Any) -> None:
    """Write one value with `encoding`.

    Values are numbers, bool, str or bytes, and tuples of numbers for vectors and angles. A pointer is False or
    None for null, True for its own type, or a number from 1 on for its other types. A number is rounded to the
    nearest one that the encoding represents.

    Raises:
        ValueError: the encoding cannot represent the value.
    """
    kind = encoding.kind
    if kind == Kind.BOOL:
        writer.write_boolean(bool(value))
    elif kind == Kind.SIGNED:
        writer.write_varint32(value)
    elif kind == Kind.SIGNED64:
        writer.write_varint64(value)
    elif kind in (Kind.UNSIGNED, Kind.TICKS):
        writer.write_varuint64(value)
    elif kind == Kind.FIXED64:
        writer.write_bits(value, 64)
    elif kind == Kind.BYTE:
        writer.write_bits(value, 8)
    elif kind == Kind.SIGNED_BYTE:
        writer.write_bits(value & 0xFF, 8)
    elif kind == Kind.SEQUENCE:
        writer.write_varuint64(value + 1)
    elif kind == Kind.STRING:
        writer.write_string(value.encode() if isinstance(value, str) else value)
    elif kind == Kind.BYTES:
        writer.write_varuint32(len(value))
        writer.write_bytes(value)
    elif kind == Kind.POINTER:
        _write_pointer(writer, encoding, int(value or 0))
    elif kind == Kind.LENGTH:
        writer.write_varuint32(value)
    elif kind == Kind.UNIT_VECTOR:
        writer.write_3bit_normal(value[0], value[1], copysign(1.0, value[2]) < 0)
    elif kind in (Kind.FLOAT, Kind.COORD, Kind.NORMAL, Kind.QUANTIZED):
        for component in (value,) if encoding.cells == 1 else value:
            _write_float(writer, encoding, component)
    else:
        _write_angles(writer, encoding, value)


def _write_pointer(writer: BitWriter, encoding: Encoding, value: int) -> None:
    writer.write_boolean(value != 0)
    if value and encoding.types > 1:
        writer.write_ubit_var(value - 1)


def _write_float(writer: BitWriter, encoding: Encoding, value: float) -> None:
    if encoding.kind == Kind.COORD:
        writer.write_coord(value)
    elif encoding.kind == Kind.NORMAL:
        writer.write_normal(value)
    elif encoding.quantized is not None:
        _write_quantized(writer, encoding.quantized, value)
    else:
        writer.write_float(value)


def _write_quantized(writer: BitWriter, quantized: QuantizedFloat, value: float) -> None:
    for flag, exact in ((LOW, quantized.low), (HIGH, quantized.high), (ZERO, 0.0)):
        if quantized.flags & flag:
            writer.write_boolean(value == exact)
            if value == exact:
                return
    most = (1 << quantized.bit_count) - 1
    number = round((value - quantized.low) / (quantized.range * quantized.step))
    writer.write_bits(min(max(number, 0), most), quantized.bit_count)


def _write_angles(writer: BitWriter, encoding: Encoding, value: tuple[float, float, float]) -> None:
    kind = encoding.kind
    if kind == Kind.ANGLES_FLOAT or (kind == Kind.PITCH_YAW and encoding.bits == 32):
        for angle in value[: 3 if kind == Kind.ANGLES_FLOAT else 2]:
            writer.write_float(angle)
    elif kind in (Kind.ANGLES, Kind.PITCH_YAW):
        for angle in value[: 3 if kind == Kind.ANGLES else 2]:
            writer.write_angle(angle, encoding.bits)
    else:
        for angle in value:
            writer.write_boolean(angle != 0.0)
        for angle in value:
            if angle == 0.0:
                continue
            if kind == Kind.ANGLES_PRECISE:
                writer.write_angle(angle + 180.0, encoding.bits)
            else:
                writer.write_coord(angle)
