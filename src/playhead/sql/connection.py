"""Databases of DuckDB, tables in them that are decoded when a query reads them, and errors of statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from playhead.model import ReplayLike
from playhead.runtime.extras import import_extra
from playhead.runtime.interrupts import apart
from playhead.runtime.libraries import pa
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    import duckdb

#: Seconds between two interrupts of a statement that ignores the first.
_POLL = 0.1
#: Limit of the memory of a closed database, besides the tables that it reads.
MOST_MEMORY = "2GiB"

PURPOSE = "SQL over the tables of a replay"


def connect() -> duckdb.DuckDBPyConnection:
    """Open a new database in memory that does not read Python variables as tables.

    It shows no progress: DuckDB prints that on standard output, among the rows or the answers of a server.

    Raises:
        ModuleNotFoundError: DuckDB is not installed.
    """
    duckdb = import_extra("duckdb", "duckdb", PURPOSE)

    def made() -> Any:
        connection = duckdb.connect()
        for setting in ("python_enable_replacements = false", "TimeZone = 'UTC'"):
            connection.execute(f"SET {setting}").fetchall()
        with suppress(duckdb.InvalidInputException):  # a notebook that cannot draw a bar
            connection.execute("SET enable_progress_bar = false").fetchall()
        return connection

    return apart(made)  # type: ignore[no-any-return]


def close_off(connection: duckdb.DuckDBPyConnection) -> None:
    """Deny a database files, networks, extensions and more memory than `MOST_MEMORY`, permanently."""
    memory = f"memory_limit = '{MOST_MEMORY}'"

    def run() -> None:
        for setting in ("enable_external_access = false", memory, "lock_configuration = true"):
            connection.execute(f"SET {setting}").fetchall()

    apart(run)


@contextmanager
def interrupted(connection: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    """Interrupt the statement of a connection after some seconds.

    Raises:
        ValueError: it was interrupted.
    """
    import duckdb

    done = Event()

    def watch() -> None:
        wait = seconds
        while not done.wait(wait):
            connection.interrupt()
            wait = _POLL

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except duckdb.InterruptException:
        raise ValueError(f"the query was interrupted: it may take {seconds:g} seconds") from None
    finally:
        done.set()
        watcher.join()


def literal(value: object) -> str:
    """Return a text, number or None as a constant of SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def quoted(name: str) -> str:
    """Quote the name of a table or column for SQL."""
    return '"' + name.replace('"', '""') + '"'


class LazyTable:
    """A table for Arrow's C interface: its columns are known, `read` returns its rows when they are needed."""

    def __init__(self, schema: pa.Schema, read: Callable[[], pa.Table]) -> None:
        self._schema = schema
        self._read = read

    def __arrow_c_schema__(self) -> Any:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._read().__arrow_c_stream__(requested_schema)


def register(
    connection: duckdb.DuckDBPyConnection, replay: ReplayLike, names: Iterable[str] | None = None
) -> duckdb.DuckDBPyConnection:
    """Register tables (all by default) as views that are decoded when they are queried; return the connection.

    Raises:
        KeyError: the replay has no such table.
    """
    chosen = {name: replay.schema_of(name) for name in (replay.tables if names is None else names)}
    for name, schema in chosen.items():
        add_table(connection, name, LazyTable(schema.arrow(), partial(replay.table, name)))
    return connection


def add_table(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table | LazyTable) -> None:
    """Register one table."""
    apart(lambda: connection.register(name, table))


def add_view(connection: duckdb.DuckDBPyConnection, name: str, text: str) -> None:
    """Make a view of a statement."""
    apart(lambda: connection.execute(f"CREATE OR REPLACE VIEW {quoted(name)} AS {text}"))


def run_statement(
    connection: duckdb.DuckDBPyConnection,
    text: str,
    known: Callable[[], Iterable[str]],
    most: int | None = None,
    no_table: Callable[[str], str] | None = None,
) -> pa.Table:
    """Return the rows of one statement, at most `most`; of a statement without a result, an empty table.
    Of columns with one name the second is called ``NAME_1``, as DuckDB calls it in a subquery.

    Args:
        known: returns the names of tables that a statement may use; the error of a misspelt one suggests them.
        no_table: makes the message for an unknown table instead.

    Raises:
        duckdb.Error: the statement is wrong; the message is one line, with the nearest name of a table or column.
    """
    from duckdb import Error

    def run() -> pa.Table:
        found = connection.sql(text)
        if found is None:
            return pa.table({})
        return (found.project("*") if most is None else found.limit(most)).to_arrow_table()

    try:
        return _with_sums(apart(run, connection.interrupt))
    except Error as error:
        no_table = no_table or (lambda name: unknown_name(name, known(), "table"))
        raise type(error)(_one_line(connection, str(error), no_table)) from None


def _with_sums(table: pa.Table) -> pa.Table:
    """Return a table with its whole numbers of 128 bits, which sums of integers are, as int64 where they fit."""
    for place, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type) and field.type.scale == 0:
            with suppress(pa.ArrowInvalid):
                column = table.column(place).cast(pa.int64())
                table = table.set_column(place, field.name, column)
    return table


def _one_line(connection: duckdb.DuckDBPyConnection, text: str, no_table: Callable[[str], str]) -> str:
    """Return the first line of DuckDB's message; for an unknown table or column, with names of ours.

    DuckDB knows only the tables that the statement reads, and suggests its own.
    """
    first = text.partition("\n")[0]
    if table := re.search(r"Table (?:Function )?with name (\S+) does not exist", first):
        return no_table(table[1])
    if column := re.search(r'Referenced column "(.+?)"|does not have a column named "(.+?)"', first):
        names = connection.sql("SELECT DISTINCT column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
        return unknown_name(column[1] or column[2], [name for (name,) in names], "column", "column of")
    return first
