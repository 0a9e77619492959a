"""Tables of a replay in DuckDB, each decoded when a query first reads it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from playhead.model import ReplayLike
from playhead.runtime.extras import import_extra

if TYPE_CHECKING:
    import duckdb

#: Seconds between two looks at the clock.
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
    connection = duckdb.connect()
    for setting in ("python_enable_replacements = false", "TimeZone = 'UTC'"):
        connection.execute(f"SET {setting}").fetchall()
    with suppress(duckdb.InvalidInputException):  # a notebook that cannot draw a bar
        connection.execute("SET enable_progress_bar = false").fetchall()
    return connection  # type: ignore[no-any-return]


def close_off(connection: duckdb.DuckDBPyConnection) -> None:
    """Deny a database files, networks, extensions and more memory than `MOST_MEMORY`, permanently."""
    memory = f"memory_limit = '{MOST_MEMORY}'"
    for setting in ("enable_external_access = false", memory, "lock_configuration = true"):
        connection.execute(f"SET {setting}").fetchall()


@contextmanager
def interrupted(connection: duckdb.DuckDBPyConnection, seconds: float, gone: Callable[[], bool]) -> Iterator[None]:
    """Interrupt the statement of a connection after some seconds, or as soon as `gone` returns True.

    Raises:
        ValueError: it was interrupted.
    """
    import duckdb

    done = Event()
    end = time.monotonic() + seconds

    def watch() -> None:
        while not done.wait(_POLL):
            if gone() or time.monotonic() > end:
                connection.interrupt()

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
    """A table for Arrow's C interface: its schema is known, its rows are decoded when they are read."""

    def __init__(self, replay: ReplayLike, name: str) -> None:
        self._replay = replay
        self._name = name

    def __arrow_c_schema__(self) -> Any:
        return self._replay.tables[self._name].arrow().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._replay.table(self._name).__arrow_c_stream__(requested_schema)


def register(
    connection: duckdb.DuckDBPyConnection, replay: ReplayLike, names: Iterable[str] | None = None
) -> duckdb.DuckDBPyConnection:
    """Register tables (all by default) as views that are decoded when they are queried; return the connection.

    Raises:
        KeyError: the replay has no such table.
    """
    chosen = list(replay.tables) if names is None else list(names)
    for name in chosen:
        replay.schema_of(name)
    for name in chosen:
        connection.register(name, LazyTable(replay, name))
    return connection
