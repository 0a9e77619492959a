"""One query over the tables of replays, or over files that `Replay.export` wrote."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.model import ReplayLike
from playhead.runtime.libraries import pa
from playhead.sql.connection import close_off, connect, interrupted, literal
from playhead.sql.statement import ENTITIES, EntityCall, Statement, parse
from playhead.tables.schema import Column
from playhead.text.json import valid_text
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    import duckdb

#: First column of every table.
FILE = Column("file", "category", "Name of the replay that the row is of, as in column `source` of table `info`.")

# A statement that lists the tables: they are registered without rows.
_ASKS_FOR_TABLES = re.compile(
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
        if math.isinf(seconds):
            return _run(connection, gathered.statement.text, gathered.known, most)
        with interrupted(connection, seconds, gone):
            return _run(connection, gathered.statement.text, gathered.known, most)


def query_folder(text: str, folder: Path) -> pa.Table:
    """Return the result of one SQL statement over Parquet files, ``folder/<table>.parquet`` or
    ``folder/<replay>/<table>.parquet``, with the name of the replay's folder as the column `FILE`.

    Raises:
        ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
        ValueError: there is more than one statement, or no such file.
        duckdb.Error: the statement is wrong.
    """
    folder = folder.absolute()
    files = exported_tables(folder)
    if not files:
        raise ValueError(f"{folder} has no Parquet files")
    with closing(connect()) as connection:
        statement = parse(connection, text, files)
        for name in statement.tables & files.keys():
            _view(connection, name, files[name])
        return _run(connection, statement.text, files)


def exported_tables(folder: Path) -> dict[str, list[Path]]:
    """Return the Parquet files of a folder and its subfolders, by table."""
    found: dict[str, list[Path]] = {}
    for path in sorted([*folder.glob("*.parquet"), *folder.glob("*/*.parquet")]):
        found.setdefault(path.stem, []).append(path)
    return found


def _view(connection: duckdb.DuckDBPyConnection, name: str, paths: list[Path]) -> None:
    files = ", ".join(map(literal, paths))
    rows = f"read_parquet([{files}], union_by_name = true, filename = true)"
    columns = f"parse_path(filename)[-2] AS {FILE.name}, * EXCLUDE (filename)"
    connection.sql(f"SELECT {columns} FROM {rows}").create_view(name)


def _run(
    connection: duckdb.DuckDBPyConnection, text: str, known: Iterable[str], most: int | None = None
) -> pa.Table:
    from duckdb import CatalogException

    try:
        found = connection.sql(text)
        if found is None:
            return pa.table({})
        return (found if most is None else found.limit(most)).to_arrow_table()
    except CatalogException as error:
        # DuckDB knows only the tables that the statement reads, and suggests its own.
        text = str(error).partition("\nDid you mean")[0]
        asked = re.search(r"name (\S+) does not exist", text)
        hint = f"\n{unknown_name(asked[1], known, 'table')}" if asked else ""
        raise CatalogException(f"{text}{hint}\nTables: {', '.join(sorted(known))}") from None


class _Gathered:
    """The tables that one statement reads, replay after replay."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, text: str) -> None:
        self._connection = connection
        self._text = text
        self._parts: dict[str, list[pa.Table]] = {}
        self._missing: dict[str, KeyError] = {}
        self.known: set[str] = set()
        self.statement = parse(connection, text, ())

    def add(self, replay: ReplayLike) -> None:
        self.known |= replay.tables.keys()
        self.statement = parse(self._connection, self._text, self.known)
        for name, table in _tables_of(replay, self.statement, self._missing):
            self._parts.setdefault(name, []).append(_with_file(table, replay.name))
        if _ASKS_FOR_TABLES.search(self._text):
            for name, schema in replay.tables.items():
                table = schema.build_rows([])
                self._parts.setdefault(name, [_with_file(table, replay.name)])

    def tables(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield tables with their names; those of several replays are concatenated."""
        for name, error in self._missing.items():
            if name not in self._parts:
                raise error
        for name, parts in self._parts.items():
            yield name, parts[0] if len(parts) == 1 else pa.concat_tables(parts, promote_options="permissive")


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
    names = pa.DictionaryArray.from_arrays(pa.array([0] * table.num_rows, pa.int32()), [valid_text(name)])
    return table.add_column(0, FILE.name, names)
