from __future__ import annotations

import pyarrow as pa
import pytest

from playhead.tables.column_buffers import MAX_WIDTH, Int32Columns


@pytest.mark.parametrize("rows", [0, 1, 255, 256, 257, 65535, 65536, 65537, 131073])
def test_rows_come_back_in_order_across_growth_and_chunks(rows: int) -> None:
    columns = Int32Columns(2)
    for i in range(rows):
        columns.append_row((i, -i))
    assert len(columns) == rows
    first, second = columns.to_arrow()
    assert first.type == pa.int32()
    assert first.to_pylist() == list(range(rows))
    assert second.to_pylist() == [-i for i in range(rows)]


def test_handing_over_starts_anew() -> None:
    columns = Int32Columns(1)
    columns.append_row([7])
    (first,) = columns.to_arrow()
    columns.append_row([8])
    (second,) = columns.to_arrow()
    assert (first.to_pylist(), second.to_pylist(), len(columns)) == ([7], [8], 0)


def test_wrong_widths_are_refused() -> None:
    for width in (0, MAX_WIDTH + 1):
        with pytest.raises(ValueError, match="columns"):
            Int32Columns(width)
    with pytest.raises(ValueError, match="expected 2 values"):
        Int32Columns(2).append_row([1])
