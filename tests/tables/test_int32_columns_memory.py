"""What columns of many rows become, and how little of it is made twice."""

from __future__ import annotations

import pyarrow as pa
import pytest

from playhead.runtime import hot
from playhead.tables.int32_columns import Int32Columns, seconds_of_ticks

CHUNK = 65536


def addresses(column: pa.ChunkedArray) -> list[int]:
    return [chunk.buffers()[1].address for chunk in column.chunks]


@pytest.mark.parametrize("rows", [0, 5, CHUNK, 2 * CHUNK + 1])
def test_doubles_and_columns_left_out(rows: int) -> None:
    columns = Int32Columns(3, doubles=[1])
    columns.leave_out([2])
    for i in range(rows):
        columns.append_row((i, 2 - i, 7))
    ints, doubles, nothing = columns.to_arrow()
    assert nothing is None
    assert (ints.type, doubles.type) == (pa.int32(), pa.float64())
    assert ints.to_pylist() == list(range(rows))
    assert doubles.to_pylist() == [2.0 - i for i in range(rows)]
    assert ints.num_chunks == doubles.num_chunks


def test_chunks_of_one_number_share_their_memory_and_no_others_do() -> None:
    columns = Int32Columns(3)
    numbers = [0, 0, 5, 0, 5, 1]  # of one column, by chunk
    for chunk, number in enumerate(numbers):
        for row in range(CHUNK if chunk < 5 else 10):
            columns.append_row((number, 0, row + chunk))
    first, second, third = columns.to_arrow()
    assert first.to_pylist() == [n for chunk, n in enumerate(numbers) for _ in range(CHUNK if chunk < 5 else 10)]
    assert set(second.to_pylist()) == {0}
    assert third.to_pylist() == [row + c for c in range(6) for row in range(CHUNK if c < 5 else 10)]
    if hot.summary() == "compiled":
        zeros = addresses(first)[0]
        assert addresses(first)[:5] == [zeros, zeros, addresses(first)[2], zeros, addresses(first)[2]]
        assert addresses(second)[:5] == [zeros] * 5
        assert len(set(addresses(third))) == 6
        assert zeros not in addresses(third)


def test_a_column_that_is_constant_again_and_again_keeps_what_came_between() -> None:
    columns = Int32Columns(1)
    expected = []
    for chunk in range(12):
        for row in range(CHUNK):
            columns.append_row((row if chunk % 3 == 2 else 4,))
        expected.append(pa.array(range(CHUNK) if chunk % 3 == 2 else [4] * CHUNK, pa.int32()))
    (column,) = columns.to_arrow()
    assert column.equals(pa.chunked_array(expected))


def test_wrong_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="expected columns 0 to 1, got 2"):
        Int32Columns(2, doubles=[2])
    columns = Int32Columns(1)
    columns.append_row((1,))
    with pytest.raises(ValueError, match="without rows"):
        columns.leave_out([0])


def test_seconds_are_ticks_by_the_rate() -> None:
    ticks = pa.chunked_array([[0, 1, 7], [], [2147483647]], pa.int32())
    seconds = seconds_of_ticks(pa.chunked_array([*ticks.chunks, ticks.chunk(0).slice(1)]), 50.0)
    assert seconds.type == pa.float64()
    assert [len(chunk) for chunk in seconds.chunks] == [3, 0, 1, 2]
    assert seconds.to_pylist() == [0.0, 0.02, 0.14, 2147483647 / 50, 0.02, 0.14]
