"""One table of several replays: the columns that name the replay, and the rest combined column by column."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from playhead.errors import ColumnTypeError
from playhead.runtime.libraries import pa
from playhead.tables.arrow import category, int32_array
from playhead.tables.schema import Column
from playhead.text.json import valid_text

#: First columns of a table of several replays.
REPLAY = Column("replay", "category", "The replay that the row is of: SHA-256 of its bytes.", required=True)
FILE = Column("file", "category", "Where it was read; of several copies the first by name.", required=True)


def with_identity(table: pa.Table, replay: str | None, file: str) -> pa.Table:
    """Return the table with `REPLAY` (if given) and `FILE` as first columns."""
    return with_identities(table, [(table.num_rows, replay, file)])


def with_identities(table: pa.Table, origins: Sequence[tuple[int, str | None, str]]) -> pa.Table:
    """Return a table of several replays with `REPLAY` (if all have it) and `FILE` as first columns.

    Args:
        origins: of each stretch of rows their number, replay and file.
    """
    counts, replays, files = zip(*origins, strict=True)
    for column, values in ((FILE, files), (REPLAY, replays)):
        if None not in values:
            places: dict[str, int] = {}
            codes = array("i")
            for count, value in zip(counts, values, strict=True):
                codes += array("i", [places.setdefault(valid_text(value), len(places))]) * count
            words = category(int32_array(codes), list(places))
            held = pa.field(column.name, words.type, metadata={"doc": column.doc, "unit": ""})
            table = table.add_column(0, held, words)
    return table


def combined(name: str, parts: Sequence[tuple[str, pa.Table]]) -> pa.Table:
    """Return the rows of one table of several files. A column that a file lacks is null in its rows. The order of
    the columns does not depend on that of the files.

    Args:
        name: name of the table.
        parts: at least one table, each with the name of its file.

    Raises:
        ColumnTypeError: a column has types that cannot be combined.
    """
    if len(parts) == 1:
        return parts[0][1]
    order = _order([table.schema for _, table in parts])
    try:
        return pa.concat_tables([table for _, table in parts], promote_options="permissive").select(order)
    except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
        raise _conflict(name, [(file, table.schema) for file, table in parts]) or error from None


def combined_schema(name: str, parts: Sequence[tuple[str, pa.Schema]]) -> pa.Schema:
    """Return the columns of one table of several files; arguments and errors as of `combined`."""
    order = _order([schema for _, schema in parts])
    try:
        found = pa.unify_schemas([schema for _, schema in parts], promote_options="permissive")
        return pa.schema([found.field(name) for name in order], found.metadata)
    except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
        raise _conflict(name, parts) or error from None


def _order(schemas: Sequence[pa.Schema]) -> list[str]:
    """Return the names of all columns: those of the schema with the most first, then those of others."""
    names = sorted({tuple(schema.names) for schema in schemas}, key=lambda each: (-len(each), each))
    return list(dict.fromkeys(name for each in names for name in each))


def _conflict(name: str, parts: Sequence[tuple[str, pa.Schema]]) -> ColumnTypeError | None:
    """Return the error for the first column whose types differ too much."""
    first: dict[str, tuple[str, pa.Field]] = {}
    for file, schema in parts:
        for field in schema:
            other, held = first.setdefault(field.name, (file, field))
            try:
                pa.unify_schemas([pa.schema([held]), pa.schema([field])], promote_options="permissive")
            except (pa.ArrowTypeError, pa.ArrowInvalid):
                return ColumnTypeError(name, field.name, {other: word_of(held.type), file: word_of(field.type)})
    return None


def word_of(type_: pa.DataType) -> str:
    """Return a type as the messages of errors name it."""
    return "category" if pa.types.is_dictionary(type_) else str(type_)
