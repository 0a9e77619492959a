"""`to_list` gives what pyarrow's own ``to_pylist`` gives."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from playhead.tables.arrow import to_list

WORDS = pa.dictionary(pa.int32(), pa.string())
COLUMNS: list[pa.Array] = [
    *(
        pa.array(values, type_)
        for type_ in (pa.int8(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64(), pa.float32(), pa.float64())
        for values in ([], [1, 0, None, 1], [1, 1, 0], [None, None])
    ),
    *(pa.array(values, pa.bool_()) for values in ([], [True, None, False], [False, True], [None])),
    *(pa.array(values, type_) for type_ in (pa.string(), WORDS) for values in ([], ["a", None, "b", "a"], [None])),
    *(
        pa.array(values, pa.list_(pa.int64()))
        for values in ([], [[1, None], None, [], [2]], [[1], [2, 3]], [None])
    ),
    pa.ListArray.from_arrays(pa.array([0, 1, 1, 3], pa.int32()), pa.array(["a", "b", None], WORDS)),
    pa.nulls(3),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: f"{column.type} {len(column)}")
def test_a_list_is_what_pyarrow_gives(column: Any) -> None:
    for values in (column, column.slice(1), column.slice(1, 1), pa.chunked_array([column, column.slice(1)])):
        found, expected = to_list(values), values.to_pylist()
        assert found == expected
        assert list(map(type, found)) == list(map(type, expected))
