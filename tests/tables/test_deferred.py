"""Tables whose columns of text are made when they are read."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Sequence

import pyarrow as pa
import pytest

from playhead.tables.deferred import BuiltTables, DeferredTable, Maker

_SCHEMA = pa.schema([("tick", pa.int32()), ("text", pa.string()), ("last", pa.int32())], metadata={"a": "b"})


def _table(rows: int, opened: list[tuple[int, int]]) -> DeferredTable:
    ready = pa.table({"last": pa.array(range(rows), pa.int32()), "tick": pa.array(range(rows), pa.int32())})

    def begin(names: Sequence[str]) -> Maker:
        assert names == ["text"]

        def make(first: int, count: int) -> dict[str, pa.Array]:
            opened.append((first, count))
            return {"text": pa.array([f"row {row}" for row in range(first, first + count)], pa.string())}

        return make

    return DeferredTable(_SCHEMA, rows, ready, begin, 100)


def test_a_column_is_made_when_it_is_read() -> None:
    opened: list[tuple[int, int]] = []
    table = _table(5, opened)
    assert table.num_rows == 5
    assert table.nbytes == 5 * 8 + 100
    assert table.select(["last", "tick"]).column_names == ["last", "tick"]
    assert opened == []
    whole = table.read()
    assert whole.schema.equals(_SCHEMA, check_metadata=True)
    assert whole["text"].to_pylist() == [f"row {row}" for row in range(5)]
    assert pickle.loads(pickle.dumps(table)).equals(whole)
    assert table.select(["text"])["text"].equals(whole["text"])


def test_the_whole_table_is_made_once_while_it_is_held() -> None:
    opened: list[tuple[int, int]] = []
    table = _table(5, opened)
    whole = table.read()
    assert table.read() is whole
    assert opened == [(0, 5)]
    del whole
    gc.collect()
    table.read()
    assert opened == [(0, 5), (0, 5)]


@pytest.mark.parametrize(("rows", "sizes"), [(0, [0]), (4, [4]), (9, [4, 4, 1])])
def test_parts(rows: int, sizes: list[int]) -> None:
    opened: list[tuple[int, int]] = []
    table = _table(rows, opened)
    parts = list(table.parts(4))
    assert [part.num_rows for part in parts] == sizes
    assert pa.concat_tables(parts).equals(table.read())


def test_tables_by_name() -> None:
    opened: list[tuple[int, int]] = []
    plain = pa.table({"n": [1, 2, 3]})
    tables = BuiltTables({"late": _table(9, opened), "plain": plain})
    assert list(tables) == ["late", "plain"]
    assert tables["plain"] is plain
    assert "late" in tables
    assert (tables.rows("late"), tables.rows("plain")) == (9, 3)
    assert tables.size("late") == 9 * 8 + 100
    assert repr(tables) == "<2 tables: late: 9 rows, plain: 3 rows>"
    assert opened == []
    assert [batch.num_rows for batch in tables.batches("late", 4)] == [4, 4, 1]
    assert [batch.num_rows for batch in tables.batches("plain", 2)] == [2, 1]
    assert tables == dict(tables)
    assert tables.schema("late") == _SCHEMA
    assert [part.num_rows for part in tables.parts("plain")] == [3]
