"""Columns that tables of every format need."""

from __future__ import annotations

from array import array
from typing import Any

import pyarrow as pa
import pytest

from playhead.tables.arrow import (
    category,
    constant,
    int32_array,
    int64_numbers,
    lookup,
    named,
    row_numbers,
    seconds_of,
    with_exact_numbers,
)
from playhead.tables.number_columns import equal_rows, int32_numbers, renumbered, with_code


def both(values: list[Any], type_: pa.DataType) -> list[Any]:
    """The values as an array and as chunks."""
    half = len(values) // 2
    return [
        pa.array(values, type_),
        pa.chunked_array([pa.array(values[:half], type_), pa.array(values[half:], type_)]),
    ]


@pytest.mark.parametrize("ticks", both([-1, 0, 30, None, 45], pa.int32()))
def test_seconds_are_null_before_the_first_tick_and_without_a_rate(ticks: Any) -> None:
    assert seconds_of(ticks, 30.0).to_pylist() == [None, 0.0, 1.0, None, 1.5]
    without = seconds_of(ticks, None)
    assert isinstance(without, pa.ChunkedArray) == isinstance(ticks, pa.ChunkedArray)
    assert without.type == pa.float64()
    assert without.to_pylist() == [None] * 5


def test_seconds_of_a_slice_of_ticks_are_those_of_its_rows() -> None:
    ticks = pa.array([7, -1, 30, 10, 2**31 - 1, -(2**31)], pa.int32())
    for part in (ticks, ticks.slice(1), ticks.slice(2, 2)):
        expected = [None if tick < 0 else tick / 30.3 for tick in part.to_pylist()]
        assert seconds_of(part, 30.3).to_pylist() == expected


@pytest.mark.parametrize("count", [0, 1, 5])
def test_rows_are_numbered_from_0(count: int) -> None:
    numbers = row_numbers(count, pa.int32())
    assert numbers.type == pa.int32()
    assert numbers.to_pylist() == list(range(count))


@pytest.mark.parametrize("ticks", both([], pa.int32()))
def test_seconds_of_nothing(ticks: Any) -> None:
    assert seconds_of(ticks, 30.0).to_pylist() == []


@pytest.mark.parametrize("numbers", both([4, 1, None, 4, 9], pa.int32()))
def test_numbers_get_their_names(numbers: Any) -> None:
    names = {1: "one", 4: "four", 5: "five"}
    assert named(numbers, names).to_pylist() == ["four", "one", None, "four", None]
    assert named(numbers, names, number_if_unknown=True).to_pylist() == ["four", "one", None, "four", "9"]
    assert pa.types.is_dictionary(named(numbers, names).type)


@pytest.mark.parametrize("codes", both([1, 0, 1], pa.int32()))
def test_codes_are_places_in_a_list_of_names(codes: Any) -> None:
    assert category(codes, ["a", "b"]).to_pylist() == ["b", "a", "b"]


@pytest.mark.parametrize("rows", both([1, 2, 3], pa.int64()))
def test_a_constant_is_as_long_as_the_column_it_stands_beside(rows: Any) -> None:
    assert constant("chat", rows).to_pylist() == ["chat"] * 3
    assert constant(7, rows, pa.int8()).to_pylist() == [7] * 3
    assert constant(None, rows, pa.string()).to_pylist() == [None] * 3


@pytest.mark.parametrize("keys", both([3, None, 5, 3], pa.int32()))
def test_look_ups_are_null_where_there_is_no_value(keys: Any) -> None:
    assert lookup(keys, {3: "c", 4: "d"}, pa.string()).to_pylist() == ["c", None, None, "c"]


def test_an_array_of_ints_becomes_a_column() -> None:
    assert int32_array(array("i", [1, -2])).to_pylist() == [1, -2]
    assert int32_array(array("i")).to_pylist() == []


def test_a_column_of_whole_numbers_becomes_an_array() -> None:
    given = pa.array([7, 1, None, 3], pa.int32())
    for values, found in ((given, [7, 1, -5, 3]), (given[3:], [3]), (given[:0], []), (pa.nulls(2), [-5, -5])):
        assert int64_numbers(values, -5) == array("q", found)
        assert int32_numbers(values, -5) == array("i", found)


def test_rows_with_equal_numbers_are_one_group() -> None:
    lowest = -(1 << 31)
    columns = [array("i", column) for column in ([7, 7, lowest, 7, 7, 9], [1, 2, 1, 1, 2, 1])]
    assert equal_rows(columns, array("q", range(6))).tolist() == [0, 1, 2, 0, 1, 3]
    assert equal_rows(columns, array("q", [5, 4, 1, 0])).tolist() == [0, 1, 1, 2]
    assert equal_rows(columns, array("q")).tolist() == []
    many = array("i", [place * place % 1000 for place in range(5000)])
    groups = equal_rows([many, many], array("q", range(5000)))
    assert [*dict.fromkeys(many)] == [many[groups.index(group)] for group in range(max(groups) + 1)]
    assert len(set(zip(groups, many, strict=True))) == len(set(many))


@pytest.mark.parametrize("codes", [[2, None, 0, 2, 3], [None, None], []])
def test_codes_that_occur_are_numbered_in_order_and_looked_for(codes: list[int | None]) -> None:
    for first in range(len(codes) + 1):
        held, left = pa.array(codes, pa.int32())[first:], codes[first:]
        new, used = renumbered(held, 4)
        assert pa.DictionaryArray.from_arrays(new, used).to_pylist() == left
        assert used.to_pylist() == [*dict.fromkeys(code for code in left if code is not None)]
        assert with_code(held, array("B", [1, 0, 1, 0])).to_pylist() == [code in (0, 2) for code in left]


@pytest.mark.parametrize(
    ("values", "type_", "text"),
    [
        ([1 << 53, None], pa.int64(), False),
        ([1, (1 << 53) + 1, None], pa.int64(), True),
        ([-(1 << 53) - 1], pa.int64(), True),
        ([(1 << 64) - 1], pa.uint64(), True),
        ([1 << 70], pa.decimal128(38, 0), True),
        ([], pa.int64(), False),
        ([[1, (1 << 53) + 1], None, []], pa.list_(pa.int64()), True),
        ([1e300], pa.float64(), False),
        ([(1 << 31) - 1], pa.int32(), False),
    ],
)
def test_numbers_that_a_double_rounds_are_text(values: list[Any], type_: pa.DataType, text: bool) -> None:
    table = with_exact_numbers(pa.table({"n": pa.array(values, type_)}))
    shown = (
        [str(each) if isinstance(each, int) else each and [*map(str, each)] for each in values] if text else values
    )
    assert table["n"].to_pylist() == shown
