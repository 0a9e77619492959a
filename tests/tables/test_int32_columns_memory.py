"""What columns of many rows become, and how little memory they take."""

from __future__ import annotations

import pyarrow as pa
import pytest

from playhead.runtime import hot
from playhead.tables.column_buffers import CHUNK_ROWS, Int32Columns, float64_of

LOW, HIGH = -(1 << 31), (1 << 31) - 1
#: Of one column, by chunk: its numbers, and the bytes of each.
CHUNKS = [
    ([7] * CHUNK_ROWS, 0),
    ([LOW + row % 256 for row in range(CHUNK_ROWS)], 1),
    ([HIGH - row % 257 for row in range(CHUNK_ROWS)], 2),
    ([row - 9 for row in range(CHUNK_ROWS)], 2),
    ([row % 2 * 65536 for row in range(CHUNK_ROWS)], 4),
    ([LOW, HIGH] * (CHUNK_ROWS // 2), 4),
    ([7] * CHUNK_ROWS, 0),
    ([1, 2, 300], 2),
]


def addresses(column: pa.ChunkedArray) -> list[int]:
    return [chunk.buffers()[1].address for chunk in column.chunks]


def test_chunks_are_packed_and_come_back() -> None:
    columns = Int32Columns(2)
    expected = [number for numbers, _ in CHUNKS for number in numbers]
    for number in expected:
        columns.append_row((number, 0))
    column, zeros = columns.packed()
    assert column is not None
    assert zeros is not None
    assert len(column) == len(zeros) == len(expected)
    if hot.summary() == "compiled":
        assert column.nbytes == sum(size * len(numbers) for numbers, size in CHUNKS)
        assert zeros.nbytes == 0
    found = column.to_arrow(0, len(column))
    assert found.to_pylist() == expected
    for first, count in ((0, 0), (5, 3), (CHUNK_ROWS - 1, 2), (CHUNK_ROWS, 2 * CHUNK_ROWS), (len(column), 0)):
        assert column.to_arrow(first, count).equals(found.slice(first, count))
    if hot.summary() == "compiled":
        assert addresses(found)[0] == addresses(found)[6]
        assert len(set(addresses(found))) == len(CHUNKS) - 1
        assert len(set(addresses(zeros.to_arrow(0, len(zeros)))[:-1])) == 1
    for first, count in ((-1, 1), (0, -1), (0, len(column) + 1), (len(column) + 1, 0), (1, len(column))):
        with pytest.raises(IndexError, match="expected rows"):
            column.to_arrow(first, count)


@pytest.mark.parametrize("rows", [0, 5, CHUNK_ROWS, 2 * CHUNK_ROWS + 1])
def test_columns_left_out(rows: int) -> None:
    columns = Int32Columns(2)
    columns.leave_out([0])
    for i in range(rows):
        columns.append_row((7, i))
    assert len(columns) == rows
    nothing, ints = columns.to_arrow()
    assert nothing is None
    assert ints is not None
    assert ints.type == pa.int32()
    assert ints.to_pylist() == list(range(rows))


def test_wrong_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="expected columns 0 to 1, got 2"):
        Int32Columns(2).leave_out([2])
    columns = Int32Columns(1)
    columns.append_row((1,))
    with pytest.raises(ValueError, match="without rows"):
        columns.leave_out([0])


def test_doubles_are_numbers_by_a_divisor() -> None:
    ticks = pa.chunked_array([[0, 1, 7], [], [2147483647]], pa.int32())
    seconds = float64_of(pa.chunked_array([*ticks.chunks, ticks.chunk(0).slice(1)]), 50.0)
    assert seconds.type == pa.float64()
    assert [len(chunk) for chunk in seconds.chunks] == [3, 0, 1, 2]
    assert seconds.to_pylist() == [0.0, 0.02, 0.14, 2147483647 / 50, 0.02, 0.14]
