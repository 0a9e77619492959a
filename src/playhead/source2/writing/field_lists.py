"""`FieldList`: a set of fields whose paths are encoded once, and values on each write.

Entities send the same few sets of fields again and again.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import copysign
from typing import Any

from playhead.bits import BitWriter
from playhead.source2.schema.encoding import Encoding, Kind
from playhead.source2.schema.path_codes import FIN, OPERATIONS, codes
from playhead.source2.schema.quantized_float import HIGH, LOW, ZERO, QuantizedFloat
from playhead.source2.schema.tree import Slot

_PATH_NUMBERS = {name: number for number, (name, _) in enumerate(OPERATIONS)}
_CODES = [(int(code[::-1], 2), len(code)) for code in codes()]


def write_operation(writer: BitWriter, number: int) -> None:
    """Write the code of an operation."""
    writer.write_bits(*_CODES[number])


def write_field_paths(writer: BitWriter, paths: Iterable[Sequence[int]]) -> None:
    """Write paths in the given order, each reached from the one before by a single operation, and Fin."""
    current: Sequence[int] = (-1,)
    for path in paths:
        _write_step(writer, current, path)
        current = path
    write_operation(writer, FIN)


def _write_step(writer: BitWriter, current: Sequence[int], path: Sequence[int]) -> None:
    depth, wanted = len(current), len(path)
    if wanted == depth and path[:-1] == current[:-1] and path[-1] > current[-1]:
        _write_plus(writer, path[-1] - current[-1])
    elif wanted == depth + 1 and path[: depth - 1] == current[:-1] and path[depth - 1] >= current[-1]:
        _write_push_one(writer, path[depth - 1] - current[-1], path[-1])
    elif wanted == 1 and depth > 1 and path[0] > current[0]:
        _write_pop_all(writer, path[0] - current[0])
    elif wanted >= depth:
        _write_push_any(writer, current, path)
    else:
        _write_named(writer, "PopNNonTopo", depth - wanted)
        _write_levels(writer, current, path, 0)


def _write_plus(writer: BitWriter, step: int) -> None:
    if step <= 4:
        write_operation(writer, step - 1)
    else:
        _write_named(writer, "PlusN", step - 5)


def _write_push_one(writer: BitWriter, step: int, pushed: int) -> None:
    if step < 2 and pushed == 0:
        _write_named(writer, f"Push1L{step}R0")
    elif step < 2:
        _write_named(writer, f"Push1L{step}RN", pushed)
    elif pushed == 0:
        _write_named(writer, "Push1LNR0", step)
    elif step < 10 and pushed < 9:
        _write_named(writer, "Push1LNRN6", step - 2, pushed - 1, bits=3)
    elif step < 18 and pushed < 17:
        _write_named(writer, "Push1LNRN8", step - 2, pushed - 1, bits=4)
    else:
        _write_named(writer, "Push1LNRN", step - 2, pushed - 1)


def _write_pop_all(writer: BitWriter, step: int) -> None:
    if step == 1:
        _write_named(writer, "PopAllP1")
    elif step <= 8:
        _write_named(writer, "PopAllP3", step - 1, bits=3)
    elif step <= 64:
        _write_named(writer, "PopAllP6", step - 1, bits=6)
    else:
        _write_named(writer, "PopAllPN", step - 1)


def _write_named(writer: BitWriter, name: str, *numbers: int, bits: int = 0) -> None:
    """Write an operation and its numbers, each in so many bits; 0 is for a variable length."""
    write_operation(writer, _PATH_NUMBERS[name])
    for number in numbers:
        if bits:
            writer.write_bits(number, bits)
        else:
            writer.write_ubit_var_fp(number)


def _write_levels(writer: BitWriter, current: Sequence[int], path: Sequence[int], least: int) -> None:
    """Write the change of each level of both paths, less `least`."""
    for old, new in zip(current, path, strict=False):
        writer.write_boolean(old != new)
        if old != new:
            writer.write_varint32(new - old - least)


def _write_push_any(writer: BitWriter, current: Sequence[int], path: Sequence[int]) -> None:
    _write_named(writer, "PushNNonTopo")
    _write_levels(writer, current, path, 1)
    pushed = path[len(current) :]
    writer.write_ubit_var(len(pushed))
    for number in pushed:
        writer.write_ubit_var_fp(number)


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


# Compared with every field: a name of the module is found faster than an attribute of a class.
_BOOL, _SIGNED, _UNSIGNED, _SEQUENCE = Kind.BOOL, Kind.SIGNED, Kind.UNSIGNED, Kind.SEQUENCE
_TICKS, _FLOAT, _QUANTIZED, _LENGTH = Kind.TICKS, Kind.FLOAT, Kind.QUANTIZED, Kind.LENGTH

# Per field: its kind, the position of its value in the given values, its width.
_NUMBERS = 3
# Per quantized field: the lowest value, and the unit of its number.
_SCALES = 2


class FieldList:
    """Some fields of one class.

    Args:
        slots: the fields, each once, in the order of the values for `write`.
    """

    def __init__(self, slots: Sequence[Slot]) -> None:
        order = sorted(range(len(slots)), key=lambda place: slots[place].path)
        paths = BitWriter()
        write_field_paths(paths, [slots[place].path for place in order])
        self._path_bits = paths.tell()
        self._paths = paths.to_bytes()
        self._count = len(order)
        self._numbers = array("i")
        self._scales = array("d")
        self._encodings = []
        for place in order:
            slot = slots[place]
            encoding = slot.encoding
            quantized = encoding.quantized
            kind, width, scale = encoding.kind, 0, (0.0, 1.0)
            if kind == Kind.QUANTIZED and quantized is not None:
                if quantized.flags or encoding.cells > 1:
                    kind = -1
                else:
                    width, scale = quantized.bit_count, (quantized.low, quantized.range * quantized.step)
            elif kind == Kind.FLOAT and encoding.cells > 1:
                kind = -1
            self._numbers.extend((kind, place, width))
            self._scales.extend(scale)
            self._encodings.append(encoding)

    def __len__(self) -> int:
        return self._count

    def write(self, writer: BitWriter, values: Sequence[Any]) -> None:
        """Write a delta: the paths, then the values in the order of the paths, as `write_value` does.

        Raises:
            ValueError: the encoding of a field cannot represent its value.
        """
        given = values if type(values) is list else list(values)
        if len(given) != self._count:
            raise ValueError(f"expected {self._count} values, got {len(given)}")
        writer.write_bits_from_bytes(self._paths, self._path_bits)
        for i in range(self._count):
            kind = self._numbers[_NUMBERS * i]
            value = given[self._numbers[_NUMBERS * i + 1]]
            if kind == _FLOAT:
                writer.write_float(value)
            elif kind in (_UNSIGNED, _TICKS, _LENGTH):
                writer.write_varuint64(value)
            elif kind == _SIGNED:
                writer.write_varint32(value)
            elif kind == _QUANTIZED:
                scaled = (value - self._scales[_SCALES * i]) / self._scales[_SCALES * i + 1]
                number = round(scaled)
                most = (1 << self._numbers[_NUMBERS * i + 2]) - 1
                if number < 0:
                    number = 0
                elif number > most:
                    number = most
                writer.write_bits(number, self._numbers[_NUMBERS * i + 2])
            elif kind == _BOOL:
                writer.write_boolean(bool(value))
            elif kind == _SEQUENCE:
                writer.write_varuint64(value + 1)
            else:
                write_value(writer, self._encodings[i], value)
