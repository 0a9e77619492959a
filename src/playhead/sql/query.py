"""One query over the tables of replays, or over files that `Replay.export` wrote."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.model import ReplayLike
from playhead.runtime.libraries import pa, pq
from playhead.sql.connection import close_off, connect, interrupted, literal, run_statement
from playhead.sql.statement import ENTITIES, EntityCall, Statement, parse
from playhead.tables.arrow import category
from playhead.tables.combined import combined, combined_schema
from playhead.tables.schema import Column
from playhead.tables.value_arrays import scalar_of
from playhead.text.json import valid_text

if TYPE_CHECKING:
    import duckdb

#: First column of every table.
FILE = Column("file", "category", "Name of the replay that the row is of, as in column `source` of table `info`.")

# A statement that lists the tables: they are registered without rows.
ASKS_FOR_TABLES = re.compile(
    r"\b(show|describe|information_schema|duckdb_(tables|columns|views))\b", re.IGNORECASE
)

_ENTITY_PREFIX = f"{ENTITIES}:"


def query_replays(
    text: str,
    replays: Iterable[ReplayLike],
    *,
    closed: bool = False,
    seconds: float = math.inf,
    gone: Callable[[], bool] = lambda: False,
    most: int | None = None,
) -> pa.Table:
    """Return the result of one SQL statement over the tables of replays, concatenated, with the column `FILE`
    first. Columns that a replay's table lacks are null.

    Only the tables that it names are built, those of a replay in one pass. Source 2 demos also have
    ``"entities:CDOTA_Unit_Hero_*"`` and the table function
    ``entities('CDOTA_Unit_Hero_*', fields := ['m_iHealth'], every := '1s')``.

    Args:
        replays: iterated once; each is released after its tables are built.
        closed: the statement may read only these tables: no file, no network, no settings.
        seconds: time that the statement may take once the tables are built.
        gone: asked meanwhile; True interrupts the statement.
        most: limit of the rows of the result; all by default.

    Raises:
        ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
        ValueError: there is more than one statement, a call of ``entities`` is wrong, or it was interrupted.
        KeyError: no class or field matches a call of ``entities``.
        ColumnTypeError: a column of such a table has types that cannot be combined.
        duckdb.Error: the statement is wrong.
        ReplayError: in strict mode, the first problem.
    """
    with closing(connect()) as connection:
        gathered = _Gathered(connection, text)
        for replay in replays:
            gathered.add(replay)
        for name, table in gathered.tables():
            connection.register(name, table)
        if closed:
            close_off(connection)
        watched = nullcontext() if math.isinf(seconds) else interrupted(connection, seconds, gone)
        with watched:
            return run_statement(connection, gathered.statement.text, lambda: gathered.known, most)


def query_folder(text: str, folder: Path) -> pa.Table:
    """Return the result of one SQL statement over Parquet files, ``folder/<table>.parquet`` or
    ``folder/<replay>/<table>.parquet``, with the name of the replay's folder as the column `FILE`.

    Raises:
        ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
        ValueError: there is more than one statement, or no such file.
        ColumnTypeError: as of `query_replays`.
        duckdb.Error: the statement is wrong.
    """
    folder = folder.absolute()
    files = exported_tables(folder)
    if not files:
        raise ValueError(f"{folder} has no Parquet files")
    with closing(connect()) as connection:
        statement = parse(connection, text, lambda: files)
        for name in statement.tables & files.keys():
            _view(connection, name, files[name])
        return run_statement(connection, statement.text, lambda: files)


def exported_tables(folder: Path) -> dict[str, list[Path]]:
    """Return the Parquet files of a folder and its subfolders, by table."""
    found: dict[str, list[Path]] = {}
    for path in sorted([*folder.glob("*.parquet"), *folder.glob("*/*.parquet")]):
        found.setdefault(path.stem, []).append(path)
    return found


def _view(connection: duckdb.DuckDBPyConnection, name: str, paths: list[Path]) -> None:
    combined_schema(
        name, [(str(path), pq.read_schema(path)) for path in paths]
    )  # DuckDB would make all of it text
    files = ", ".join(map(literal, paths))
    rows = f"read_parquet([{files}], union_by_name = true, filename = true)"
    columns = f"parse_path(filename)[-2] AS {FILE.name}, * EXCLUDE (filename)"
    connection.sql(f"SELECT {columns} FROM {rows}").create_view(name)


class _Gathered:
    """The tables that one statement reads, replay after replay."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, text: str) -> None:
        self._connection = connection
        self._text = text
        self._parts: dict[str, list[tuple[str, pa.Table]]] = {}
        self._missing: dict[str, KeyError] = {}
        self.known: set[str] = set()
        self.statement = parse(connection, text, lambda: self.known)

    def add(self, replay: ReplayLike) -> None:
        self.known |= replay.tables.keys()
        self.statement = parse(self._connection, self._text, lambda: self.known)
        for name, table in _tables_of(replay, self.statement, self._missing):
            self._parts.setdefault(name, []).append((replay.name, _with_file(table, replay.name)))
        if ASKS_FOR_TABLES.search(self._text):
            for name, schema in replay.tables.items():
                table = schema.build_rows([])
                self._parts.setdefault(name, [(replay.name, _with_file(table, replay.name))])

    def tables(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield tables with their names; those of several replays are concatenated."""
        for name, error in self._missing.items():
            if name not in self._parts:
                raise error
        for name, parts in self._parts.items():
            yield name, combined(name, parts)


def _tables_of(
    replay: ReplayLike, statement: Statement, missing: dict[str, KeyError]
) -> Iterator[tuple[str, pa.Table]]:
    yield from replay.read_tables(sorted(statement.tables & replay.tables.keys())).items()
    named = {
        name: EntityCall(name.removeprefix(_ENTITY_PREFIX), {})
        for name in statement.tables
        if name.startswith(_ENTITY_PREFIX)
    }
    for name, call in {**named, **statement.calls}.items():
        try:
            yield name, _entities(replay, call)
        except KeyError as error:  # an error only if no replay has a match
            missing.setdefault(name, error)


def _entities(replay: ReplayLike, call: EntityCall) -> pa.Table:
    if "entities" not in replay.capabilities:
        raise KeyError(f"a {replay.format_title} has no entities; Source 2 demos have")
    options: Mapping[str, Any] = call.options
    return replay.entity_table(call.pattern, options.get("fields"), every=options.get("every"))


def _with_file(table: pa.Table, name: str) -> pa.Table:
    first = pa.repeat(scalar_of(0, pa.int32()), table.num_rows)
    return table.add_column(0, FILE.name, category(first, [valid_text(name)]))
