"""`TableSchema`: the columns of a table with type, unit and meaning, and the version of the schema.

A schema is plain data and needs no pyarrow to exist; `TableSchema.arrow` makes the Arrow schema when a table
is built, with names, units and meanings carried as Arrow metadata into Parquet files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from playhead.runtime.libraries import cast_array, pa
from playhead.runtime.records import dataclass, replace
from playhead.runtime.typing import Any
from playhead.tables.value_arrays import array_of, columns_of

_SIMPLE_TYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 string binary".split()
)


@cache
def arrow_type(name: str) -> pa.DataType:
    """Return what Arrow calls the type of a column."""
    if name in _SIMPLE_TYPES:
        return getattr(pa, "bool_" if name == "bool" else name)()
    if name == "timestamp":
        return pa.timestamp("us", tz="UTC")
    if name == "category":
        return pa.dictionary(pa.int32(), pa.string())
    if name.startswith("list<") and name.endswith(">"):
        return pa.list_(arrow_type(name[5:-1]))
    raise ValueError(f"unknown column type {name!r}")


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: column name; one name means one thing in every table of every format.
        type: ``int32``, ``float64``, ``string``, ``binary``, ``bool`` …, ``timestamp`` (microseconds, UTC),
            ``category`` (dictionary-encoded text) or ``list<…>`` of any of them.
        doc: its meaning, in a sentence.
        unit: unit of a number (``ticks``, ``s``, ``bytes``); empty if it has none.
        required: it is never null. Other columns are null if the file lacks the value. Arrow's own flag is
            always "nullable", so tables of all versions can be concatenated.
    """

    name: str
    type: str
    doc: str
    unit: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class TableSchema:
    """The schema of one table. Any change of columns, types or meaning is a new `version`.

    Attributes:
        is_copy: its rows repeat those of other tables as JSON text, including values without a column of their
            own. Exports of a whole corpus skip it unless it is requested.
        group: its place in lists of tables: ``facts`` (a row for each thing that happened), ``series`` (rows at
            steps of time), ``log`` (the game's own log), ``messages``, ``file`` (the recording itself).
    """

    name: str
    version: int
    doc: str
    columns: tuple[Column, ...]
    is_copy: bool = False
    group: str = "facts"

    @classmethod
    def of(
        cls,
        name: str,
        doc: str,
        *columns: Column,
        version: int = 1,
        is_copy: bool = False,
        group: str = "facts",
    ) -> TableSchema:
        """Return the schema of a table that consists of `columns`."""
        return cls(name, version, doc, columns, is_copy, group)

    def __repr__(self) -> str:
        return f"<TableSchema {self.name}, version {self.version}: {', '.join(self.column_names)}>"

    def __hash__(self) -> int:
        # That of every column, which is the default, takes longer than to fill a small table.
        return hash((self.name, self.version))

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns, in their order in the table."""
        return _names(self)

    @property
    def why_empty(self) -> str:
        """The reason for a table without rows: the recording lacks the subject of a row in the description."""
        text = self.doc.partition(". ")[0].rstrip(".")
        row = text.removeprefix("One row for each ")
        return f"the recording has no {row}" if row != text else f"the recording has nothing for it: {text}"

    def extended(self, *columns: Column, version: int = 1) -> TableSchema:
        """Return this schema followed by a format's own columns; `version` counts the changes of both."""
        return replace(self, version=version, columns=(*self.columns, *columns))

    def arrow(self) -> pa.Schema:
        """The Arrow schema; metadata keys are ``playhead.table``, ``playhead.schema_version`` and, by field,
        ``doc`` and ``unit``."""
        return _arrow_schema(self)

    def build(self, columns: Mapping[str, Any], only: Sequence[str] | None = None) -> pa.Table:
        """A table from one sequence, Arrow array or buffer-backed array for each column, in any order.

        Args:
            columns: by name.
            only: the columns that are wanted, in this order, where it is not all.

        Raises:
            ValueError: a column is missing or not of this schema.
        """
        names = self.column_names if only is None else only
        if set(columns) != (_name_set(self) if only is None else set(only)):
            odd = sorted(set(columns) ^ set(names))
            raise ValueError(f"table {self.name}: columns {odd} are missing or not in its schema")
        schema = self.arrow()
        if only is not None:
            schema = pa.schema([schema.field(name) for name in only], schema.metadata)
        arrays, held = [], (pa.Array, pa.ChunkedArray)
        for name, type_ in zip(names, _types(self) if only is None else schema.types, strict=True):
            values = columns[name]
            if isinstance(values, held):
                arrays.append(values if values.type == type_ else cast_array(values, type_))
            else:
                arrays.append(array_of(values, type_))
        return pa.Table.from_arrays(arrays, schema=schema)

    def build_rows(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        """A table from row mappings; for small tables. A key that is absent is null."""
        if not rows:
            return _no_rows(self)
        unknown = set().union(*rows) - _name_set(self)
        if unknown:
            raise ValueError(f"table {self.name}: columns {sorted(unknown)} are not in its schema")
        columns = columns_of([row if type(row) is dict else dict(row) for row in rows], self.column_names)
        return pa.Table.from_arrays(list(map(array_of, columns, _types(self))), schema=self.arrow())


@lru_cache(1 << 9)
def _names(schema: TableSchema) -> tuple[str, ...]:
    return tuple(column.name for column in schema.columns)


@lru_cache(1 << 9)
def _name_set(schema: TableSchema) -> frozenset[str]:
    return frozenset(_names(schema))


@lru_cache(1 << 9)
def _types(schema: TableSchema) -> list[pa.DataType]:
    return _arrow_schema(schema).types  # type: ignore[no-any-return]


@lru_cache(1 << 9)
def _no_rows(schema: TableSchema) -> pa.Table:
    return pa.Table.from_arrays([pa.nulls(0, type_) for type_ in _types(schema)], schema=_arrow_schema(schema))


@lru_cache(1 << 9)
def _arrow_schema(schema: TableSchema) -> pa.Schema:
    """Return the Arrow schema; cached, because creating it takes longer than filling a small table."""
    return pa.schema(
        [pa.field(c.name, arrow_type(c.type), metadata={"doc": c.doc, "unit": c.unit}) for c in schema.columns],
        metadata={"playhead.table": schema.name, "playhead.schema_version": str(schema.version)},
    )
