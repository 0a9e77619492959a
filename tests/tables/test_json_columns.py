"""Columns whose values may be missing, against Arrow's own."""

from __future__ import annotations

from array import array

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.bits.byte_reader import ByteReader
from playhead.errors import TruncatedReplay
from playhead.tables import json_columns
from playhead.tables.json_columns import ByteBuffer, TextColumn, ValueColumn
from playhead.tables.number_columns import (
    code_column,
    component_column,
    float32_column,
    gathered,
    grid_column,
    int32_column,
    int64_column,
    named_column,
    signed_column,
)
from playhead.text.json import to_json

_TEXTS = [b"one", None, b"", "ü".encode(), None, b"three" * 100, b"end"]


@pytest.mark.parametrize("values", [[], [1, None, -(2**63), 2**63 - 1] * 300, [7, 8], [None] * 9])
def test_numbers(values: list[int | None]) -> None:
    column = ValueColumn()
    for _ in range(2):  # it starts anew
        for value in values:
            column.append(value or 0, value is not None)
        assert len(column) == len(values)
        found = column.to_arrow(pa.int64())
        found.validate(full=True)
        assert found.equals(pa.array(values, pa.int64()))
    assert len(column) == 0


@pytest.mark.parametrize("values", [[], [3, -1, 511, 512, 512, -1, -7, 1 << 40, 3] * 9, [5, 6], [-1] * 9])
def test_numbers_of_which_one_means_null(values: list[int]) -> None:
    """What int32 cannot hold is null there; the names are in order of first use."""
    known = [None if value == -1 else value for value in values]
    assert int64_column(array("q", values), -1).equals(pa.array(known, pa.int64()))
    narrow = [None if value is None or value >> 31 else value for value in known]
    assert int32_column(array("q", [value if value != -7 else 1 << 40 for value in values]), -1).equals(
        pa.array(narrow, pa.int32())
    )
    halves = pa.array([None if value is None else value / 2 for value in known], pa.float32())
    assert float32_column(array("q", values), -1, 0.5).equals(halves)
    named = named_column(array("q", values), -1, {3: "three", 512: "more"})
    names = {None: None, 3: "three", 512: "more"}
    wanted = [names.get(value, str(value)) for value in known]
    assert named.to_pylist() == wanted
    assert named.dictionary.to_pylist() == list(dict.fromkeys(each for each in wanted if each is not None))


@pytest.mark.parametrize("values", [[], [0, 1, None, 7] * 300, [1, 2], [None] * 9])
def test_numbers_of_fewer_bits(values: list[int | None]) -> None:
    column = ValueColumn()
    for _ in range(2):
        for found, form in ((column.to_int32, pa.int32()), (column.to_bools, pa.bool_())):
            for value in values:
                column.append(value or 0, value is not None)
            made = found()
            made.validate(full=True)
            assert made.equals(pa.array(values, pa.int64()).cast(form))
            assert len(column) == 0


_NUMBERS = [5, None, 0, 2**31 - 1, 2**31, 2**32 - 1, None, -3, -(2**31)] * 3


@pytest.mark.parametrize("first", range(10))
def test_the_low_bits_of_a_column(first: int) -> None:
    given = pa.array(_NUMBERS, pa.int64())[first:]
    found = signed_column(given)
    found.validate(full=True)
    expected = [n if n is None else (n + 2**31) % 2**32 - 2**31 for n in _NUMBERS[first:]]
    assert found.equals(pa.array(expected, pa.int32()))
    assert signed_column(pa.array([], pa.int64())).equals(pa.array([], pa.int32()))


@pytest.mark.parametrize("first", range(10))
def test_numbers_of_names(first: int) -> None:
    values = [5, None, 0, 9, 1] * 5
    for numbers in (pa.array(values, pa.int32())[first:], pa.array([n or 0 for n in values], pa.int32())[first:]):
        found = code_column(numbers, 10)
        assert found is not None
        found.validate(full=True)
        assert found.equals(pa.array([n or None for n in values[first:]], pa.int32()))
        assert code_column(numbers, 9) is None
    assert code_column(pa.array([3, -1], pa.int32()), 10) is None
    assert code_column(pa.array([None, 99], pa.int32()), 10) is None
    assert code_column(pa.array([], pa.int32()), 0) == pa.array([], pa.int32())


@pytest.mark.parametrize("last", [5, None, 2**31 - 1, -(2**31), 2**31, -(2**31) - 1, 2**62])
def test_numbers_of_32_bits_are_kept_in_as_many(last: int | None) -> None:
    values = [7, None, -1, last]
    column = ValueColumn()
    for value in values:
        # What stands where there is no value does not matter.
        column.append(1 << 40 if value is None else value, value is not None)
    found = column.to_int32()
    assert found.to_pylist() == values
    assert found.type == (pa.int32() if last is None or -(2**31) <= last < 2**31 else pa.int64())
    assert len(column) == 0


def test_fill() -> None:
    column = ValueColumn()
    expected: list[int | None] = []
    for value in range(700):  # over the first capacity, again and again
        rows = value * value // 50
        column.fill(rows)
        column.fill(rows - 3)  # which are there
        expected += [None] * (rows - len(expected))
        assert len(column) == len(expected)
        column.append(value, True)
        expected.append(value)
    found = column.to_arrow(pa.int64())
    found.validate(full=True)
    assert found.equals(pa.array(expected, pa.int64()))


@pytest.mark.parametrize("form", [pa.string(), pa.binary()])
def test_text(form: pa.DataType) -> None:
    column = TextColumn()
    for _ in range(2):
        for value in _TEXTS:
            column.append(value)
        found = column.to_arrow(form)
        found.validate(full=True)
        assert found.type == form
        assert found.combine_chunks().cast(pa.binary()).to_pylist() == _TEXTS


def test_text_of_more_bytes_than_an_array_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_columns, "_MOST_BYTES", 600)
    column = TextColumn()
    for value in _TEXTS * 5:
        column.append(value)
    found = column.to_arrow(pa.binary())
    assert found.num_chunks > 1
    assert found.to_pylist() == _TEXTS * 5


def test_nothing_is_added_to_nothing() -> None:
    buffer = ByteBuffer()
    buffer.add_bytes(b"")
    buffer.add_read(ByteReader(b""), 0)
    buffer.cut(0, 0)
    assert buffer.tell() == 0
    buffer.add_bytes(b"one")
    buffer.cut(1, 3)
    buffer.add_bytes(b"ld")
    assert bytes(buffer.detach()) == b"old"


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 19).map(lambda digits: 10**digits - 1)))
def test_digits_are_those_of_python(numbers: list[int]) -> None:
    buffer = ByteBuffer()
    for number in numbers:
        buffer.add_unsigned(number)
        buffer.add(32)
    assert bytes(buffer.detach()) == "".join(f"{to_json(number)} " for number in numbers).encode()


def test_bytes_that_grow_and_are_cut() -> None:
    buffer = ByteBuffer()
    buffer.add_bytes(b"0123456789")
    buffer.cut(2, 5)
    buffer.put(0, 65)
    reader = ByteReader(b"abcdef")
    buffer.add_read(reader, 4)
    assert reader.tell() == 4
    with pytest.raises(TruncatedReplay):
        buffer.add_read(reader, 3)
    for value in (0, -1, 2**63 - 1, -(2**63), 10):
        buffer.add_number(value)
        buffer.add(32)
    buffer.add_unsigned(2**64 - 1)
    for first, end in ((-1, 0), (3, 2), (0, 1000)):
        with pytest.raises(IndexError):
            buffer.cut(first, end)
    with pytest.raises(IndexError):
        buffer.put(1000, 1)
    expected = b'A156789abcd0 -1 "9223372036854775807" "-9223372036854775808" 10 "18446744073709551615"'
    assert bytes(buffer.detach()) == expected
    assert buffer.tell() == 0


@pytest.mark.parametrize("type_", [pa.int32(), pa.int64(), pa.float64(), pa.bool_()])
@pytest.mark.parametrize("nulls", [False, True])
def test_gathered_rows_are_those_of_take(type_: pa.DataType, *, nulls: bool) -> None:
    values = pa.array([i % 3 for i in range(20)], pa.int64()).cast(type_)
    if nulls:
        values = pc.if_else(pc.equal(pa.array(range(20)), 7), pa.scalar(None, type_), values)
    rows = array("i", [7, 0, 0, 19, 3] * 9)
    for column in (values, values[1:]):
        wanted = [row % len(column) for row in rows]
        found = gathered(column, array("i", wanted), array("i", [3, 0, 42]), array("i", [5, 2, 1]))
        assert found.type == type_
        assert found.to_pylist() == column.take(pa.array(wanted[:3] * 5 + wanted[3:])).to_pylist()
    assert gathered(values, array("i"), array("i"), array("i")).to_pylist() == []


def test_components_of_angles_are_in_their_turn() -> None:
    angles = pa.array([[350.0, -10.0, 0.0], None, [10.0, 360.0, 0.0]], pa.list_(pa.float64(), 3))
    assert component_column(angles, 0).to_pylist() == [350.0, None, 10.0]
    assert component_column(angles, 0, -180.0).to_pylist() == [-10.0, None, 10.0]
    assert component_column(angles, 1, 0.0)[2:].to_pylist() == [0.0]
    assert component_column(angles[2:], 1, 0.0).to_pylist() == [0.0]


def test_places_in_a_grid() -> None:
    cells, offsets = pa.array([32, None, 31], pa.int64()), pa.array([1.5, 2.0, None])
    assert grid_column(cells, offsets, 512.0, 32.0).to_pylist() == [1.5, None, -512.0]
