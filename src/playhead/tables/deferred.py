"""Tables with columns that are made when they are read: `DeferredTable`, `BuiltTables`.

Messages take a tenth of the memory of their JSON, and few callers read that column of every table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from weakref import ReferenceType, ref

from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any, Protocol, TypeAlias

#: Returns columns by name for some rows, given the first row and their number. A reading asks for rows in order.
Maker: TypeAlias = Callable[[int, int], Mapping[str, "pa.Array | pa.ChunkedArray"]]


class Packed(Protocol):
    """A column that waits to be read, as `playhead.tables.packed.PackedText`."""

    @property
    def nbytes(self) -> int: ...

    def read(self, first: int, count: int) -> pa.Array | pa.ChunkedArray: ...


#: Rows of a part, unless the caller says otherwise.
ROWS = 1 << 15


class DeferredTable:
    """A table with columns that are made when they are read.

    The whole table is released as soon as its last reader releases it.

    Args:
        schema: the schema of the whole table.
        rows: number of rows.
        ready: the other columns.
        begin: called for each reading with the columns to make; returns their `Maker`.
        kept: bytes that `begin` needs, for `nbytes`.
    """

    def __init__(
        self, schema: pa.Schema, rows: int, ready: pa.Table, begin: Callable[[Sequence[str]], Maker], kept: int
    ) -> None:
        self.schema = schema
        self._ready = ready
        self._begin = begin
        self.num_rows = rows
        self.nbytes: int = ready.nbytes + kept
        self._whole: ReferenceType[pa.Table] | None = None

    @classmethod
    def of_packed(cls, schema: pa.Schema, ready: pa.Table, packed: Mapping[str, Packed]) -> DeferredTable:
        """Return a table whose other columns are packed."""
        kept = sum(column.nbytes for column in packed.values())
        return cls(
            schema,
            len(ready),
            ready,
            lambda names: lambda first, count: {name: packed[name].read(first, count) for name in names},
            kept,
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.read().__reduce_ex__(protocol)  # another process gets the whole table

    @property
    def column_names(self) -> list[str]:
        """Names of all columns."""
        return list(self.schema.names)

    def read(self) -> pa.Table:
        """Return the whole table."""
        whole = None if self._whole is None else self._whole()
        if whole is None:
            whole = self.select(self.schema.names)
            self._whole = ref(whole)
        return whole

    def select(self, columns: Sequence[str]) -> pa.Table:
        """Return some of the columns, in this order."""
        return self._part(columns, self._maker(columns), 0, self.num_rows)

    def parts(self, rows: int) -> Iterator[pa.Table]:
        """Yield the table in parts of at most `rows` rows, one at least."""
        maker = self._maker(self.schema.names)
        for first in range(0, max(self.num_rows, 1), rows):
            yield self._part(self.schema.names, maker, first, min(rows, self.num_rows - first))

    def _maker(self, columns: Sequence[str]) -> Maker | None:
        made = [name for name in columns if name not in self._ready.column_names]
        return self._begin(made) if made else None

    def _part(self, columns: Sequence[str], maker: Maker | None, first: int, count: int) -> pa.Table:
        ready = self._ready.slice(first, count)
        made = {} if maker is None else maker(first, count)
        values = [made[name] if name in made else ready[name] for name in columns]
        schema = pa.schema([self.schema.field(name) for name in columns], self.schema.metadata)
        return pa.Table.from_arrays(values, schema=schema)


#: A table as a replay keeps it.
Built: TypeAlias = "pa.Table | DeferredTable"


class BuiltTables(Mapping[str, "pa.Table"]):
    """Tables by name; an access makes the columns that a table lacks."""

    def __init__(self, tables: Mapping[str, Built]) -> None:
        self._tables = tables

    def __getitem__(self, name: str) -> pa.Table:
        table = self._tables[name]
        return table.read() if isinstance(table, DeferredTable) else table

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {table.num_rows:,} rows" for name, table in self._tables.items())
        return f"<{len(self)} tables: {sizes}>"

    def select(self, name: str, columns: Sequence[str]) -> pa.Table:
        """Return some columns of a table."""
        return self._tables[name].select(columns)

    def rows(self, name: str) -> int:
        """Return the number of rows of a table without reading it."""
        return int(self._tables[name].num_rows)

    def size(self, name: str) -> int:
        """Return the bytes that a table takes while nobody reads it."""
        return int(self._tables[name].nbytes)

    def schema(self, name: str) -> pa.Schema:
        """Return the Arrow schema of a table."""
        return self._tables[name].schema

    def parts(self, name: str, rows: int = ROWS) -> Iterator[pa.Table]:
        """Yield a table as a whole, or in parts of at most `rows` rows if it has columns to be made."""
        table = self._tables[name]
        if isinstance(table, DeferredTable):
            yield from table.parts(rows)
        else:
            yield table

    def batches(self, name: str, rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a table, each of at most `rows` rows."""
        for part in self.parts(name, rows):
            yield from part.to_batches(max_chunksize=rows)
