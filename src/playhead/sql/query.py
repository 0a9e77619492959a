"""One query over the tables of replays, or over files that `Replay.export` wrote."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from playhead.model import ReplayLike
from playhead.runtime.interrupts import apart
from playhead.runtime.libraries import pa, pq
from playhead.sql.connection import add_table, close_off, connect, interrupted, literal, run_statement
from playhead.sql.statement import ENTITIES, Statement, TableCall, parse
from playhead.tables.combined import FILE, REPLAY, combined, combined_schema, with_identity
from playhead.tables.shared import PROBLEMS
from playhead.text.json import storable
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    import duckdb

# A statement that may use the column `REPLAY`: a table has it only then, because it costs a pass over the bytes.
_NAMES_REPLAYS = re.compile(rf"\b{REPLAY.name}\b", re.IGNORECASE)

#: Statements that only read, in DuckDB's words; PIVOT is MULTI.
_READING = ("SELECT", "EXPLAIN", "MULTI", "CALL", "PRAGMA")


def query_replays(
    text: str,
    replays: Iterable[ReplayLike],
    *,
    closed: bool = False,
    seconds: float = math.inf,
    most: int | None = None,
    names: Mapping[str, str] = MappingProxyType({}),
) -> pa.Table:
    """Return the result of one SQL statement over the tables of replays, combined. Each has the column `FILE`
    first, and before it `REPLAY` if the statement names that. Columns that a replay's table lacks are null.

    Only the tables that it names are built, those of a replay in one pass; ``problems`` tells what could not be
    read. Source 2 demos also have
    ``"entities:CDOTA_Unit_Hero_*"`` and the table function
    ``entities('CDOTA_Unit_Hero_*', fields := ['m_iHealth'], every := '1s')``. A table with options is also a table
    function: ``kills(raw := ['m_iShotsFired', 'money'])``, ``player_series(every := '1s')``.

    Args:
        replays: iterated once; each is released after its tables are built. A warning names a join of
            several that does not name `FILE` or `REPLAY`.
        closed: the statement may only read, and only these tables: no file, no network, no settings.
        seconds: time that the statement may take once the tables are built.
        most: limit of the rows of the result; all by default.
        names: what `FILE` has instead of the name of a replay.

    Raises:
        ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
        ValueError: there is more than one statement, a call of a table function is wrong, or it was interrupted.
        KeyError: no class or field matches a call of ``entities``.
        ColumnTypeError: a column of such a table has types that cannot be combined.
        duckdb.Error: the statement is wrong.
        ReplayError: in strict mode, the first problem.
    """
    known = {PROBLEMS.name}
    absent: dict[str, str] = {}
    parts: dict[str, list[tuple[str, pa.Table]]] = {}

    def add(connection: duckdb.DuckDBPyConnection, _: Statement) -> Statement:
        statement = _gather(connection, text, replays, known, absent, names, parts)
        for name, held in parts.items():
            add_table(connection, name, combined(name, held))
        return statement

    def no_table(name: str) -> str:
        return f"no table {name!r}: {absent[name]}" if name in absent else unknown_name(name, known, "table")

    count = None if closed else lambda: max(map(len, parts.values()), default=0)  # no server reads warnings
    return query_tables(
        text, lambda: known, add, no_table=no_table, files=count, closed=closed, seconds=seconds, most=most
    )


def query_tables(
    text: str,
    known: Callable[[], Iterable[str]],
    add: Callable[[duckdb.DuckDBPyConnection, Statement], Statement | None],
    *,
    no_table: Callable[[str], str] | None = None,
    files: Callable[[], int] | None = None,
    closed: bool = False,
    seconds: float = math.inf,
    most: int | None = None,
) -> pa.Table:
    """Return the result of one SQL statement over tables that `add` registers; errors as of `query_replays`.

    Args:
        known: returns the names of the tables that a statement may use.
        add: registers the tables of a statement (`named_tables`); returns the statement if it changes.
        no_table: makes the message for an unknown table.
        files: counts the files that are read, for the warning about a join of several.
    """
    with closing(connect()) as connection:
        if closed:  # first of all: the arguments of table functions are statements too
            close_off(connection)
        statement = parse(connection, text, known)
        if closed and (kind := connection.extract_statements(text)[0].type.name) not in _READING:
            raise ValueError(f"expected a SELECT statement, got {kind}: the tables can only be read")
        changed = add(connection, statement)
        if files is not None:
            (changed or statement).warn_of_files(files)
        with nullcontext() if math.isinf(seconds) else interrupted(connection, seconds):
            return run_statement(connection, changed.text if changed else text, known, most, no_table)


def named_tables(statement: Statement, known: Iterable[str]) -> list[str]:
    """Return the known tables that a statement needs; all if it asks which there are."""
    return [name for name in known if statement.asks_for_tables or name in statement.tables]


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

    def add(connection: duckdb.DuckDBPyConnection, statement: Statement) -> None:
        for name in statement.tables & files.keys():
            apart(partial(_view, connection, name, files[name]))

    return query_tables(text, lambda: files, add)


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


def _gather(
    connection: duckdb.DuckDBPyConnection,
    text: str,
    replays: Iterable[ReplayLike],
    known: set[str],
    absent: dict[str, str],
    names: Mapping[str, str],
    parts: dict[str, list[tuple[str, pa.Table]]],
) -> Statement:
    """Add the names of all tables to `known`, why others are missing to `absent`, and to `parts` the tables that a
    statement reads with the names of their files; return the statement."""
    missing: dict[str, KeyError] = {}
    statement = parse(connection, text, tuple)
    for replay in replays:
        absent.update(replay.absent)
        if not replay.tables.keys() <= known:
            known.update(replay.tables)
            statement = parse(connection, text, lambda: known)
        hashed = replay.content_hash if _NAMES_REPLAYS.search(text) else None
        file = names.get(replay.name, replay.name)
        for name, table in _tables_of(replay, statement, missing):
            parts.setdefault(name, []).append((file, with_identity(table, hashed, file)))
        for name, schema in (
            {**replay.tables, PROBLEMS.name: PROBLEMS}.items() if statement.asks_for_tables else ()
        ):
            parts.setdefault(name, [(file, with_identity(schema.build_rows([]), hashed, file))])
    for name in missing.keys() - parts.keys():
        raise missing[name]
    return statement


def _tables_of(
    replay: ReplayLike, statement: Statement, missing: dict[str, KeyError]
) -> Iterator[tuple[str, pa.Table]]:
    yield from replay.read_tables(sorted(statement.tables & replay.tables.keys())).items()
    if PROBLEMS.name in statement.tables:  # after the other tables, whose problems belong to it
        problems = [storable(each.as_dict()) for each in replay.problems]
        yield PROBLEMS.name, PROBLEMS.build_rows(problems)
    prefix = f"{ENTITIES}:"
    named = {
        name: TableCall(ENTITIES, name.removeprefix(prefix), {})
        for name in statement.tables
        if name.startswith(prefix)
    }
    for name, call in {**named, **statement.calls}.items():
        try:
            yield name, _called(replay, call)
        except KeyError as error:  # an error only if no replay has a match
            missing.setdefault(name, error)


def _called(replay: ReplayLike, call: TableCall) -> pa.Table:
    if call.pattern is None:
        try:
            return replay.table(call.function, **call.options)
        except TypeError as error:  # it has no such option
            raise ValueError(str(error)) from error
    if "entities" not in replay.capabilities:
        raise KeyError(f"a {replay.format_title} has no entities; Source 2 demos have")
    options: Mapping[str, Any] = call.options
    return replay.entity_table(call.pattern, options.get("fields"), every=options.get("every"))
