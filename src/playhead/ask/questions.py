"""The questions: each takes the replays or the lake that it is about, and returns a table or a JSON value.

SQL reads these tables and nothing else. Recordings of the last questions stay open in this process.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from playhead.ask.overlay import overlay
from playhead.corpus import Lake, open_lake, scan
from playhead.corpus.facts import CORPUS_PROBLEMS
from playhead.corpus.reading.lake import INPUTS_OF_LAKE
from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.model import Options
from playhead.registry import open_replay
from playhead.runtime.records import dataclass
from playhead.sql.connection import LazyTable, add_table
from playhead.sql.query import named_tables, query_replays, query_tables
from playhead.tables.arrow import plain_text, to_rows
from playhead.tables.schema import Column, TableSchema
from playhead.text.json import to_json

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from playhead.replay import Replay
    from playhead.sql.statement import Statement

#: Seconds that a statement may take.
SECONDS = 20.0
#: Cells of a table of entity fields; see `Limits.cells`.
CELLS = 32 << 20
#: Recordings that stay open, and bytes of their tables that stay.
_MOST_OPEN, _TABLE_BYTES = 3, 48 << 20

#: Metadata of a table: JSON of the damaged replays that it is made of, by name, of a lake by `replay`, with the
#: number of problems found so far: the worst of them, and as `OTHERS` how many more there are.
DAMAGED = b"playhead.damaged"
OTHERS = "…"
_NAMED = 50

_open: OrderedDict[str, Replay] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Chosen:
    """Replays, or a lake.

    Attributes:
        paths: of the replays.
        names: of the replays in the column `file`; their paths by default.
        lake: path or URL of a lake, which is asked instead.
    """

    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    lake: str | None = None


def sql(chosen: Chosen, text: str, most: int | None = None) -> pa.Table:
    """Return the result of one statement, at most `most` rows; it is interrupted after `SECONDS`. Its metadata
    `DAMAGED` names the replays that lack rows by damage.

    Raises:
        ValueError: the statement is wrong, or was interrupted; the message says why.
        ReplayError, OSError: a replay or the lake cannot be read.
    """
    import duckdb

    try:
        if chosen.lake is not None:
            return _sql_of_lake(open_lake(chosen.lake), text, most)
        names = dict(zip(chosen.paths, chosen.names, strict=False))
        problems: dict[str, int] = {}
        replays = _opened(chosen.paths, problems)
        found = query_replays(text, replays, closed=True, seconds=SECONDS, most=most, names=names)
    except (duckdb.Error, KeyError) as error:
        raise ValueError(error.args[0] if error.args else str(error)) from None
    problems |= {path: len(replay.problems_so_far) for path, replay in _open.items() if path in chosen.paths}
    return _marked(found, {names.get(path, path): count for path, count in problems.items()})


def _marked(table: pa.Table, problems: Mapping[str, int]) -> pa.Table:
    """Return a table with `DAMAGED`, if any of the replays is."""
    damaged = sorted(((name, count) for name, count in problems.items() if count), key=lambda each: -each[1])
    if not damaged:
        return table
    others = {OTHERS: len(damaged) - _NAMED} if len(damaged) > _NAMED else {}
    mark = to_json({**dict(damaged[:_NAMED]), **others})
    return table.replace_schema_metadata({**(table.schema.metadata or {}), DAMAGED: mark})


def _sql_of_lake(lake: Lake, text: str, most: int | None) -> pa.Table:
    names = (*lake.tables, INPUTS_OF_LAKE, CORPUS_PROBLEMS.name)
    asked: list[str] = []

    def add(connection: duckdb.DuckDBPyConnection, statement: Statement) -> None:
        asked.extend(named_tables(statement, names))
        for name in asked:
            if name == CORPUS_PROBLEMS.name:
                add_table(connection, name, lake.problems)
                continue
            schema = lake.inputs.schema if name == INPUTS_OF_LAKE else lake.schema(name)
            add_table(connection, name, LazyTable(schema, partial(lake.table, name)))

    try:
        found = query_tables(text, lambda: names, add, closed=True, seconds=SECONDS, most=most)
    except ReplayError as error:
        raise ValueError(str(error)) from None
    return _marked(found, _problems_of(lake, {*asked} & {*lake.tables}))


def _problems_of(lake: Lake, tables: Collection[str] = ()) -> dict[str, int]:
    """Return the number of problems of each replay of a lake that has one of the tables; that an input cannot be
    read is one."""
    rows = to_rows(lake.inputs.select(["replay", "problem_count", "error", "rows"]))
    return {
        row["replay"]: row["problem_count"] + (row["error"] is not None)
        for row in rows
        if row["error"] is not None or not tables or not json.loads(row["rows"]).keys().isdisjoint(tables)
    }


def statistics(
    chosen: Chosen, by: Sequence[str], per: str = "match", game: str | None = None, least: int = 1
) -> pa.Table:
    """Return `Replays.player_stats` with `DAMAGED`; arguments and errors as there. `game` chooses its matches."""
    matches = scan(chosen.paths, jobs=0) if chosen.lake is None else open_lake(chosen.lake)
    if game is not None:
        matches = matches.filter(game=game)
    found = matches.player_stats(by, per=per, least=least)
    if isinstance(matches, Lake):
        return _marked(found, _problems_of(matches))
    names = dict(zip(chosen.paths, chosen.names, strict=False))
    counts = dict.fromkeys(matches.errors_so_far, 1)
    counts |= {file: len(each) + (file in counts) for file, each in matches.problems_so_far.items()}
    return _marked(found, {names.get(file, file): count for file, count in counts.items()})


def rounds(chosen: Chosen) -> dict[str, Any]:
    """Return the rounds of the first replay on one clock; see `overlay`."""
    return overlay(next(_opened(chosen.paths)))


def schemas_of(lake: Lake) -> dict[str, TableSchema]:
    """Return the descriptions of the tables of a lake."""
    return {name: _schema_of(name, plain_text(lake.schema(name))) for name in lake.tables}


def _schema_of(name: str, schema: pa.Schema) -> TableSchema:
    columns = []
    for field in schema:
        facts = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        columns.append(Column(field.name, str(field.type), facts.get("doc", ""), facts.get("unit", "")))
    return TableSchema.of(name, f"Table {name} of all replays of the lake.", *columns)


def _opened(paths: Sequence[str], problems: dict[str, int] | None = None) -> Iterator[Any]:
    """Yield recordings; note the number of problems of each before it is closed."""
    for path in paths:
        if path not in _open:
            _open[path] = open_replay(path, Options(limits=Limits(cells=CELLS)), disk=True)
        _open.move_to_end(path)
        yield _open[path]
        if problems is not None:
            problems[path] = len(_open[path].problems_so_far)
        if len(paths) > 1:  # release the tables of each before the next
            _open[path].forget_tables(*_open[path].tables_so_far)
        while len(_open) > _MOST_OPEN:
            _open.popitem(last=False)[1].close()


def forget_tables() -> None:
    """Release the tables of all open recordings if they have more than `_TABLE_BYTES`."""
    held = sum(replay.tables_so_far.size(name) for replay in _open.values() for name in list(replay.tables_so_far))
    if held > _TABLE_BYTES:
        for replay in _open.values():
            replay.forget_tables(*replay.tables_so_far)
