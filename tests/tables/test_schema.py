"""Schemas: types, metadata, and refusal of what does not fit."""

from __future__ import annotations

import pyarrow as pa
import pytest

from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import CHAT, INFO, PLAYERS

EVERY = TableSchema(
    "every",
    3,
    "Every kind of column.",
    (
        Column("number", "int32", "A number.", "ticks"),
        Column("text", "string", "Text."),
        Column("kind", "category", "A kind."),
        Column("when", "timestamp", "A time."),
        Column("raw", "binary", "Bytes."),
        Column("many", "list<int32>", "Numbers."),
    ),
)


def test_arrow_schema_carries_the_promise() -> None:
    schema = EVERY.arrow()
    assert schema.metadata == {b"playhead.table": b"every", b"playhead.schema_version": b"3"}
    assert schema.field("number").metadata == {b"doc": b"A number.", b"unit": b"ticks"}
    assert schema.types == [
        pa.int32(),
        pa.string(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.timestamp("us", tz="UTC"),
        pa.binary(),
        pa.list_(pa.int32()),
    ]


def test_build_takes_arrays_and_sequences_in_any_order() -> None:
    table = TableSchema("t", 1, "", EVERY.columns[:2]).build({"text": ["a"], "number": pa.array([7], pa.int64())})
    assert table.schema.types == [pa.int32(), pa.string()]
    assert table.to_pylist() == [{"number": 7, "text": "a"}]


def test_build_refuses_wrong_columns() -> None:
    with pytest.raises(ValueError, match=r"\['number', 'other'\]"):
        TableSchema("t", 1, "", EVERY.columns[:1]).build({"other": [1]})
    with pytest.raises(ValueError, match="other"):
        EVERY.build_rows([{"other": 1}])


def test_absent_keys_are_null() -> None:
    assert EVERY.build_rows([{"number": 1}]).to_pylist()[0]["many"] is None


def test_unknown_type() -> None:
    with pytest.raises(ValueError, match="int33"):
        TableSchema("t", 1, "", (Column("x", "int33", "?"),)).arrow()


@pytest.mark.parametrize("schema", [INFO, PLAYERS, CHAT], ids=lambda schema: schema.name)
def test_shared_schemas_are_documented(schema: TableSchema) -> None:
    assert schema.arrow().names == list(schema.column_names)
    assert schema.doc
    for column in schema.columns:
        assert column.doc.endswith((".", "?")), column.name
