"""Rows of Arrow columns as JSON objects (the rule is in `playhead.text.json`), without a Python object a value."""

from __future__ import annotations

import json
from array import array
from typing import Any

from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.tables.arrow import numbers_in, row_numbers
from playhead.tables.byte_buffer import ByteBuffer
from playhead.tables.nullable_columns import TextColumn
from playhead.text.json import to_json

# Number of rows without columns.
_ANY = 1 << 62

if cython.compiled:
    from cython.cimports.playhead.tables.byte_buffer import put_byte, put_bytes
else:
    from playhead.tables.byte_buffer import put_byte, put_bytes

    # As in the .pxd: kinds of the values of a column.
    WHOLE, REAL, CODE, WHOLES = range(4)


@cython.final
@cython.cclass
class JsonColumn:
    """A column whose values become text.

    Args:
        key: name of the column as a JSON key.
        kind: whole numbers, real numbers, codes of texts, or lists of whole numbers.
        there: whether each row has a value.
        wholes: whole numbers, codes, or the values of all lists.
        reals: real numbers.
        ends: a 0, then the end of each list.
        texts: texts by code.
    """

    # stub: def __init__(self, key: bytes, kind: int, there: array[int], wholes: array[int], reals: array[float],
    #     ends: array[int], texts: list[bytes]) -> None: ...
    def __init__(
        self,
        key: bytes,
        kind: cython.int,
        there: array,
        wholes: array,
        reals: array,
        ends: array,
        texts: list[bytes],
    ) -> None:
        self._key, self._kind, self._texts = key, kind, texts
        self._there, self._wholes, self._reals, self._ends = there, wholes, reals, ends
        if cython.compiled:
            self._there_of = there.data.as_uchars
            self._whole_of = wholes.data.as_longlongs
            self._real_of = reals.data.as_doubles
            self._end_of = ends.data.as_longlongs
        else:
            self._there_of, self._whole_of, self._real_of, self._end_of = there, wholes, reals, ends

    def add(self, data: ByteBuffer, row: cython.Py_ssize_t) -> cython.int:
        """Append key and value of a row that has a value."""
        put_bytes(data, self._key)
        if self._kind == WHOLE:
            return data.add_number(self._whole_of[row])
        if self._kind == REAL:
            return data.add_float(self._real_of[row])
        if self._kind == CODE:
            return put_bytes(data, self._texts[self._whole_of[row]])
        return self._add_list(data, row)

    def _add_list(self, data: ByteBuffer, row: cython.Py_ssize_t) -> cython.int:
        at: cython.longlong
        put_byte(data, 91)  # [
        for at in range(self._end_of[row], self._end_of[row + 1]):
            if at > self._end_of[row]:
                put_bytes(data, b", ")
            data.add_number(self._whole_of[at])
        return put_byte(data, 93)  # ]


@cython.final
@cython.cclass
class JsonRows:
    """Columns whose rows become JSON objects, without nulls."""

    def __init__(self) -> None:
        self._columns = []

    @cython.nonecheck(True)
    def add(self, name: str, values: pa.Array, *, parse: bool = False) -> None:
        """Add a column.

        Args:
            name: key of the values in the objects.
            values: as many values as in the columns before.
            parse: text is JSON, and its value becomes part of the object.

        Raises:
            ValueError: `parse` is True, and a text is no JSON.
        """
        type_ = values.type
        if pa.types.is_dictionary(type_) and values.dictionary.null_count:
            values = values.cast(type_.value_type)
        wholes: array = array("q")
        reals: array = array("d")
        ends: array = array("q")
        texts: list = []
        there: array = array("B", b"\1") * len(values)
        if values.null_count:
            there = _numbers(values.is_valid().cast(pa.uint8()), "B")
        kind = CODE
        if pa.types.is_integer(type_) and type_ != pa.uint64():
            kind = WHOLE
            wholes = _numbers(values.cast(pa.int64()), "q")
        elif pa.types.is_floating(type_):
            kind = REAL
            reals = _numbers(values.cast(pa.float64()), "d")
        elif pa.types.is_list(type_) and pa.types.is_integer(type_.value_type) and not values.values.null_count:
            kind = WHOLES
            wholes = _numbers(values.values.cast(pa.int64()), "q")
            ends = _numbers(values.offsets.cast(pa.int64()), "q")
        elif values.null_count < len(values):
            indices, different = _coded(values)
            wholes = _numbers(indices.cast(pa.int64()), "q")
            if parse and pa.types.is_string(different.type):
                texts = [_text(json.loads(value)) for value in different.to_pylist()]
            else:
                texts = [_text(value) for value in different.to_pylist()]
        key = f"{to_json(name)}: ".encode()
        self._columns.append(JsonColumn(key, kind, there, wholes, reals, ends, texts))

    @cython.nonecheck(True)
    def write(self, count: cython.Py_ssize_t) -> pa.ChunkedArray:
        """Return the objects of the first `count` rows, as text.

        Raises:
            ValueError: a column has fewer rows.
        """
        text: TextColumn = TextColumn()
        row: cython.Py_ssize_t
        if count > self._rows():
            raise ValueError(f"expected columns of at least {count} rows, got {self._rows()}")
        for row in range(count):
            self._add_row(text.data, row)
            text.end(True)
        return text.to_arrow(pa.string())

    def _rows(self) -> cython.Py_ssize_t:
        """Return the number of rows that every column has."""
        rows: cython.Py_ssize_t = _ANY
        column: JsonColumn
        for column in self._columns:
            rows = min(rows, len(column._there))
        return rows

    def _add_row(self, data: ByteBuffer, row: cython.Py_ssize_t) -> cython.int:
        first: cython.bint = True
        column: JsonColumn
        put_byte(data, 123)  # {
        for column in self._columns:
            if not column._there_of[row]:
                continue
            if not first:
                put_bytes(data, b", ")
            first = False
            column.add(data, row)
        return put_byte(data, 125)  # }


@cython.nonecheck(True)
def merged_rows(parts: list[JsonRows], part_of: pa.Array, row_of: pa.Array) -> pa.ChunkedArray:
    """Return rows of several parts as text.

    Args:
        part_of: the place in `parts` of each row's part; int32.
        row_of: the place of each row in its part; int32.

    Raises:
        ValueError: there is no such part or row.
    """
    text: TextColumn = TextColumn()
    numbers: array = _numbers(part_of, "i")
    rows: array = _numbers(row_of, "i")
    sizes: array = array("q")
    place: cython.Py_ssize_t
    part: JsonRows
    for part in parts:
        sizes.append(part._rows())
    if len(rows) != len(numbers):
        raise ValueError(f"expected a row for each of {len(numbers)} parts, got {len(rows)}")
    for place in range(len(numbers)):
        number: cython.int = numbers.data.as_ints[place] if cython.compiled else numbers[place]
        row: cython.int = rows.data.as_ints[place] if cython.compiled else rows[place]
        if not 0 <= number < len(parts) or not 0 <= row < sizes[number]:
            raise ValueError(f"expected a row of one of {len(parts)} parts, got row {row} of part {number}")
        part = parts[number]
        part._add_row(text.data, row)
        text.end(True)
    return text.to_arrow(pa.string())


def _text(value: object) -> bytes:
    return to_json(value).encode()


def _coded(values: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return each value's place among the distinct values, and these; floats and lists are not compared."""
    if pa.types.is_dictionary(values.type):
        return values.indices, values.dictionary
    if pa.types.is_nested(values.type) or pa.types.is_floating(values.type):
        return row_numbers(len(values), pa.int64()), values
    found = values.dictionary_encode()
    return found.indices, found.dictionary


def _numbers(values: pa.Array, code: str) -> array[Any]:
    """Return the numbers of a column; a null is any number."""
    return numbers_in(values.buffers()[1], code, values.offset, len(values))
