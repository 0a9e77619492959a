"""Rows as JSON: the same text as `to_json` writes, value by value."""

from __future__ import annotations

import json
import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.tables.json_columns import JsonRows
from playhead.text.json import to_json


def _written(columns: dict[str, pa.Array], count: int) -> list[str]:
    rows = JsonRows()
    for name, values in columns.items():
        rows.add(name, values)
    written: list[str] = rows.write(count).to_pylist()
    return written


def _expected(columns: dict[str, pa.Array], count: int) -> list[str]:
    lists = {name: values.to_pylist() for name, values in columns.items()}
    rows: list[dict[str, Any]] = [{name: values[i] for name, values in lists.items()} for i in range(count)]
    return [to_json({name: value for name, value in row.items() if value is not None}) for row in rows]


@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(-(1 << 63), (1 << 63) - 1),
            st.none() | st.floats(),
            st.none() | st.floats(allow_nan=False, allow_infinity=False, width=32),
            st.none() | st.booleans(),
            st.none() | st.text(st.characters(exclude_categories=["Cs"])),
            st.none() | st.lists(st.integers(0, 9), max_size=3),
            st.none() | st.integers(0, (1 << 64) - 1),
        ),
        max_size=6,
    )
)
def test_as_to_json_writes_it(rows: list[tuple[Any, ...]]) -> None:
    types = (
        pa.int64(),
        pa.float64(),
        pa.float32(),
        pa.bool_(),
        pa.string(),
        pa.list_(pa.int32()),
        pa.uint64(),
    )
    columns = {f'"{i}"': pa.array([row[i] for row in rows], type_) for i, type_ in enumerate(types)}
    assert _written(columns, len(rows)) == _expected(columns, len(rows))


def test_parts_of_columns_and_categories() -> None:
    columns = {
        "whole": pa.array([1, 2, None, 4], pa.int32())[1:],
        "real": pa.array([0.5, None, -0.0, 1e300])[1:],
        "category": pa.array(["a", "b", None, "a"]).dictionary_encode()[1:],
        "absent": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["x", None])),
        "nothing": pa.nulls(3, pa.int32()),
    }
    written = _written(columns, 3)
    assert written == _expected(columns, 3)
    assert json.loads(written[2]) == {"whole": 4, "real": 1e300, "category": "a", "absent": "x"}


def test_a_float_that_json_cannot_say_is_text_and_zeros_keep_their_sign() -> None:
    written = _written({"x": pa.array([math.nan, -0.0, 0.0, math.inf])}, 4)
    assert written == ['{"x": "NaN"}', '{"x": -0.0}', '{"x": 0.0}', '{"x": "Infinity"}']


def test_text_that_is_json_is_what_it_says() -> None:
    rows = JsonRows()
    rows.add("x", pa.array(['{"a":[1,2]}', None, '"b"']), parse=True)
    assert rows.write(3).to_pylist() == ['{"x": {"a": [1, 2]}}', "{}", '{"x": "b"}']
    with pytest.raises(ValueError, match="Expecting"):
        rows.add("y", pa.array(["{"]), parse=True)


def test_a_column_that_is_too_short() -> None:
    rows = JsonRows()
    rows.add("x", pa.array([1]))
    with pytest.raises(ValueError, match="at least 2 rows, got 1"):
        rows.write(2)
