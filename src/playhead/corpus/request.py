"""The tables requested of each replay, and the key under which a lake records them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from playhead.limits import Limits
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass, field
from playhead.tables.schema import TableSchema
from playhead.version import __version__

if TYPE_CHECKING:
    from playhead.replay import Replay

#: Requests every table, including copies.
ALL = "all"

#: Columns of `Info` that a lake can be partitioned by.
PARTITIONS = ("format", "game", "build")

#: The default partition columns.
DIVIDED = ("game",)


@dataclass(frozen=True, slots=True)
class Request:
    """The data to read of each replay.

    Attributes:
        tables: names; None for all except copies (`TableSchema.is_copy`), ``("all",)`` for all, empty for problems
            only. Tables that a replay lacks are skipped.
        partition_by: partition columns of the lake, of `PARTITIONS`.
        limits: bounds on the memory that an input may make the reader allocate.
        columns: names of the columns to read, of those that a table has; None for all.
        only_schema: the tables have no rows.
        options: options of the tables, as for `Replay.table`.
    """

    tables: tuple[str, ...] | None = None
    partition_by: tuple[str, ...] = DIVIDED
    limits: Limits = field(default_factory=Limits)
    columns: frozenset[str] | None = None
    only_schema: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def everything(self) -> bool:
        """Whether a replay is read to its end, which finds all its problems."""
        return not self.tables or ALL in self.tables

    @property
    def wanted(self) -> str:
        """The tables as text, as manifests have them; empty for the default."""
        return "" if self.tables is None else ",".join(self.tables)

    @property
    def key(self) -> str:
        """A hash of every option that affects the result."""
        parts = [__version__, self.wanted, self.partition_by, str(self.limits)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def choose(self, schemas: Mapping[str, TableSchema]) -> list[str]:
        """Return the names of the tables to build, given a replay's schemas."""
        if self.tables is None:
            return [name for name, schema in schemas.items() if not schema.is_copy]
        return [name for name in schemas if ALL in self.tables or name in self.tables]

    def read(self, replay: Replay) -> Mapping[str, pa.Table]:
        """Return the tables of a replay; errors as in `Replay.read_tables`."""
        names = self.choose(replay.tables)
        schemas = {name: replay.tables[name] for name in names}
        if self.only_schema:
            return {name: schema.build_rows([]) for name, schema in schemas.items()}
        chosen = {
            name: None
            if self.columns is None
            else [each for each in schema.column_names if each in self.columns] or schema.column_names[:1]
            for name, schema in schemas.items()
        }
        if self.options:
            return {n: replay.table(n, columns=some, **self.options) for n, some in chosen.items()}
        return replay.read_tables(chosen)


def make_request(
    tables: str | Iterable[str] | None = None,
    partition_by: str | Iterable[str] = DIVIDED,
    limits: Limits | None = None,
) -> Request:
    """Return a request for a user's arguments; the order of tables does not matter.

    Raises:
        ValueError: a lake cannot be partitioned so, or `tables` is empty.
    """
    names = [tables] if isinstance(tables, str) else tables
    parts = tuple(partition_by.split(",") if isinstance(partition_by, str) else partition_by)
    for part in parts:
        if part not in PARTITIONS:
            raise ValueError(f"cannot partition by {part!r}; known are {', '.join(PARTITIONS)}")
    chosen = None if names is None else tuple(sorted(set(names)))
    if chosen == ():
        raise ValueError("expected the name of a table, got none")
    return Request(chosen, parts, limits or Limits())
