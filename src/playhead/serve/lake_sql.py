"""SQL of strangers over a lake: a statement that reads the tables of the lake and nothing else."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from playhead.corpus.reading.lake import INPUTS_OF_LAKE
from playhead.errors import ReplayError
from playhead.sql.connection import LazyTable, add_table, close_off, connect, interrupted, run_statement
from playhead.sql.query import ASKS_FOR_TABLES
from playhead.sql.statement import parse
from playhead.tables.arrow import plain_text
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.corpus.reading.lake import Lake


def sql_of_lake(lake: Lake, text: str, seconds: float, most: int | None = None) -> pa.Table:
    """Return the result of one statement over the tables of a lake, within some seconds.

    Args:
        most: limit of its rows.

    Raises:
        ValueError: the statement is wrong; the message says why.
    """
    import duckdb

    names = (*lake.tables, INPUTS_OF_LAKE)
    with closing(connect()) as connection:
        close_off(connection)  # first of all: the arguments of table functions are statements too
        try:
            used = parse(connection, text, lambda: names).tables
            for name in names if ASKS_FOR_TABLES.search(text) else used & {*names}:
                schema = lake.inputs.schema if name == INPUTS_OF_LAKE else lake.schema(name)
                add_table(connection, name, LazyTable(schema, partial(lake.table, name)))
            with interrupted(connection, seconds, lambda: False):
                return run_statement(connection, text, lambda: names, most)
        except (duckdb.Error, KeyError, ReplayError) as error:
            raise ValueError(error.args[0] if error.args else str(error)) from None


def schemas_of(lake: Lake) -> dict[str, TableSchema]:
    """Return what the tables of a lake and their columns mean."""
    return {name: _schema_of(name, plain_text(lake.schema(name))) for name in lake.tables}


def _schema_of(name: str, schema: pa.Schema) -> TableSchema:
    columns = []
    for field in schema:
        facts = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        columns.append(Column(field.name, str(field.type), facts.get("doc", ""), facts.get("unit", "")))
    return TableSchema.of(name, f"Table {name} of all replays of the lake.", *columns)
