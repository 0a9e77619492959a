"""`FieldList`: a set of fields whose paths are encoded once, and values on each write.

Entities send the same few sets of fields again and again.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from playhead.bits.bit_writer import BitWriter
from playhead.source2.schema.encoding import Kind
from playhead.source2.schema.tree import Slot
from playhead.source2.writing.field_paths import write_field_paths
from playhead.source2.writing.fields import write_value

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
