"""Column buffers become Arrow arrays, whatever their length."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from playhead.tables.column_buffers import Int32Buffer, Int64Buffer


@pytest.mark.parametrize(
    ("kind", "type_", "low", "high"),
    [(Int32Buffer, pa.int32(), -(2**31), 2**31 - 1), (Int64Buffer, pa.int64(), -(2**63), 2**63 - 1)],
)
@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 10_000])
def test_values_arrive(kind: Any, type_: pa.DataType, low: int, high: int, count: int) -> None:
    buffer = kind()
    values = [(low, high, n)[n % 3] for n in range(count)]
    for value in values:
        buffer.append(value)
    assert len(buffer) == count
    array = buffer.to_arrow()
    array.validate(full=True)
    assert array.type == type_
    assert array.to_pylist() == values


def test_a_buffer_starts_anew_and_the_array_is_its_own() -> None:
    buffer = Int32Buffer()
    buffer.append(1)
    first = buffer.to_arrow()
    buffer.append(2)
    assert (first.to_pylist(), buffer.to_arrow().to_pylist()) == ([1], [2])


def test_a_value_too_large_is_refused() -> None:
    with pytest.raises(OverflowError):
        Int32Buffer().append(2**31)
