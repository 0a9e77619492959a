"""The tables requested of each replay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from playhead.limits import Limits
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass, field
from playhead.tables.schema import TableSchema
from playhead.tables.shared import INFO

if TYPE_CHECKING:
    from playhead.replay import Replay

#: Requests every table, including copies.
ALL = "all"

#: Requests all but copies, beside other names.
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Request:
    """The data to read of each replay.

    Attributes:
        tables: names; None for all except copies (`TableSchema.is_copy`), ``("all",)`` for all, empty for problems
            only. Tables that a replay lacks are skipped.
        limits: bounds on the memory that an input may make the reader allocate.
        columns: names of the columns to read, of those that a table has; None for all.
        only_schema: the tables have no rows.
        options: options of the tables, as for `Replay.table`.
    """

    tables: tuple[str, ...] | None = None
    limits: Limits = field(default_factory=Limits)
    columns: frozenset[str] | None = None
    only_schema: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def everything(self) -> bool:
        """Whether a replay is read to its end, which finds all its problems."""
        return not self.tables or ALL in self.tables or DEFAULT in self.tables

    @property
    def wanted(self) -> str:
        """The tables as text, as a lake has them; empty for the default."""
        return "" if self.tables is None else ",".join(self.tables)

    def choose(self, schemas: Mapping[str, TableSchema]) -> list[str]:
        """Return the names of the tables to build, given a replay's schemas."""
        asked = self.tables or (() if self.tables is not None else (DEFAULT,))
        return [
            name
            for name, schema in schemas.items()
            if ALL in asked or name in asked or (DEFAULT in asked and not schema.is_copy)
        ]

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


def make_request(tables: str | Iterable[str] | None = None, limits: Limits | None = None) -> Request:
    """Return a request for a user's arguments; the order of tables does not matter. Table ``info`` is always
    among them: a lake has it in any case.

    Raises:
        ValueError: `tables` is empty.
    """
    names = [tables] if isinstance(tables, str) else tables
    chosen = None if names is None else tuple(sorted(set(names)))
    if chosen == ():
        raise ValueError("expected the name of a table, got none")
    if chosen is not None and ALL not in chosen:
        chosen = tuple(sorted({*chosen, INFO.name}))
    return Request(chosen, limits or Limits())


def _words(wanted: str) -> frozenset[str]:
    return frozenset(wanted.split(",") if wanted else (DEFAULT,))


def has_all(held: str, wanted: str) -> bool:
    """Return whether what was requested of a replay, as text, includes another request."""
    have = _words(held)
    return ALL in have or have >= _words(wanted)


def both(held: Iterable[str], wanted: str) -> str:
    """Return the request, as text, for what was requested earlier and what is wanted now."""
    words = _words(wanted).union(*map(_words, held))
    found = (ALL,) if ALL in words else tuple(sorted(words))
    return "" if found == (DEFAULT,) else ",".join(found)
