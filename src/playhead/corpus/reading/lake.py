"""The lake: the tables of many replays as Delta tables. A row counts if its reading has a row in `info`."""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from playhead.corpus.delta import (
    GAME,
    INFO,
    DamagedLake,
    DataFile,
    LakeTable,
    covering,
    open_info,
    open_table,
    stored_type,
)
from playhead.corpus.facts import (
    LAKE_INPUTS,
    READING,
    RECORDING,
    info_of_inputs,
    name_of_file,
    problem_rows,
    problems_of,
    with_identity_columns,
)
from playhead.corpus.reading.replays import Replays, skipping
from playhead.corpus.series.arrays import Read, SeriesReader
from playhead.corpus.series.steps import ReplayRows, Steps, align, batches
from playhead.corpus.writing.decode import GOOD
from playhead.errors import LimitExceeded
from playhead.io.store import Store, open_store
from playhead.limits import Limits
from playhead.registry import vocabulary
from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import pa, pc
from playhead.sql.connection import add_table, add_view, literal, quoted
from playhead.tables.arrow import plain_text, row_numbers, to_rows, with_schema, without_rows
from playhead.tables.combined import REPLAY, with_identity
from playhead.tables.value_arrays import array_of
from playhead.text.names import unknown_name
from playhead.text.visible import visible

if TYPE_CHECKING:
    import duckdb
    import polars

#: The view of `Lake.inputs`. Its name must differ from table ``inputs``, the inputs of players.
INPUTS_OF_LAKE = "lake_inputs"


def open_lake(location: str | os.PathLike[str], *, at: datetime | None = None) -> Lake:
    """Open a lake that `Corpus.export` wrote, as it is now or was.

    Args:
        location: folder or URL.
        at: a time with a time zone: the lake as it was then, as far as `compact` has kept that.

    Raises:
        FileNotFoundError: there is no lake, or there was none then.
        DamagedLake: table ``info`` is damaged.
        ValueError: another version of playhead wrote the lake, or `at` has no time zone.
        ModuleNotFoundError: delta-rs is not installed (extra ``lake``).
    """
    if at is not None and at.tzinfo is None:
        raise ValueError(f"expected a time with a time zone, got {at}")
    store = open_store(location)
    table = open_info(store, at)
    if table is None:
        when = "" if at is None else f" at {at}"
        raise FileNotFoundError(f"{os.fspath(location)}: there is no lake{when} (nothing was exported to it)")
    return Lake(store, table, at)


class Lake(Replays):
    """A lake as it was when it was opened; open it again to see later additions."""

    def __init__(self, store: Store, info: LakeTable, at: datetime | None = None) -> None:
        self.store = store
        self.at = at
        self._info = info
        self._opened: dict[str, LakeTable | None] = {INFO: info}
        self._chosen: frozenset[str] | None = None

    def _only(self, replays: Collection[str]) -> Lake:
        found = Lake(self.store, self._info, self.at)
        found._opened = self._opened
        found._chosen = frozenset(replays).intersection(self.replays)
        found.__dict__["_all"] = self._all
        return found

    @property
    def location(self) -> str:
        """Path or URL of the lake."""
        return self.store.location

    @property
    def version(self) -> int:
        """Version of table ``info``: it grows with every change of the replays."""
        return self._info.version

    # -- content ----------------------------------------------------------------------------------------

    @cached_property
    def _all(self) -> pa.Table:
        """The rows of table ``info`` with all columns, sorted by replay."""
        schema = self._info.schema
        with ThreadPoolExecutor(8) as threads:
            parts = [*threads.map(self._info.read, self._info.files)]
        return pa.concat_tables([without_rows(schema), *parts]).combine_chunks().sort_by(REPLAY.name)

    @cached_property
    def _rows(self) -> pa.Table:
        if self._chosen is None:
            return self._all
        return self._all.filter(pc.is_in(self._all[REPLAY.name], array_of(sorted(self._chosen), pa.string())))

    @property
    def inputs(self) -> pa.Table:
        """One row for each input: its facts and the result of reading it (`playhead.corpus.facts.LAKE_INPUTS`)."""
        return with_schema(self._rows, LAKE_INPUTS.arrow())

    def info(self) -> pa.Table:
        return info_of_inputs(self.inputs)

    @cached_property
    def replays(self) -> tuple[str, ...]:
        """As `Replays.replays`."""
        if self._chosen is not None or "_all" in self.__dict__:
            return tuple(self._rows[REPLAY.name].to_pylist())
        columns = (self._info.read(file, [REPLAY.name]) for file in self._info.files)  # not all the facts
        return tuple(sorted(replay for rows in columns for replay in rows[REPLAY.name].to_pylist()))

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(map(name_of_file, self._rows.select(["file", "file_bytes"]).to_pylist()))

    @property
    def copies(self) -> dict[str, tuple[str, ...]]:
        copies = zip(self.files, self._rows["copies"].to_pylist(), strict=True)
        return {file: tuple(names) for file, names in copies if names}

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The number of rows of each table, also of those without rows; sorted by name."""
        found: Counter[str] = Counter()
        for text in self._rows["rows"].to_pylist():
            for name, count in json.loads(text).items():
                found[name] += count
        return dict(sorted(found.items()))

    def counts(self, table: str) -> Iterator[tuple[str, str, int]]:
        """Iterate over the replays, their readings, and the numbers of rows that these have in a table."""
        for row in self._of_info().select([REPLAY.name, READING.name, "rows"]).to_pylist():
            yield row[REPLAY.name], row[READING.name], json.loads(row["rows"]).get(table, 0)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, sorted; also of those without rows."""
        return tuple(self.rows)

    @cached_property
    def _readings(self) -> pa.Array:
        """The readings that count."""
        return self._of_info()[READING.name].combine_chunks()

    def _table(self, name: str) -> LakeTable:
        """Return a table at its version of the lake's time."""
        if name not in self.tables and name != INFO:
            raise KeyError(self._no_such_table(name))
        if name not in self._opened:
            self._opened[name] = open_table(self.store, name, self.at)
        table = self._opened[name]
        if table is None:
            raise DamagedLake(f"{self.location}: table {name} is missing; see playhead lake check")
        return table

    def data_files(self, name: str) -> list[DataFile]:
        """Return the data files of a table that may have rows of the replays.

        Raises:
            KeyError: there is no such table.
        """
        files = self._table(name).files
        return files if self._chosen is None else list(covering(files, self._readings.to_pylist()))

    # -- tables -----------------------------------------------------------------------------------------

    def schema(self, table: str) -> pa.Schema:
        """Return the columns of a table in all versions, and in the games of the replays.

        Raises:
            KeyError: there is no such table.
        """
        hidden = {READING.name, GAME, *(LAKE_INPUTS.column_names if table == INFO else ())}
        hidden -= {*_OF_INFO} if table == INFO else set()
        files = []
        if self._chosen is not None:  # a file of another game may cover the replays, too
            games = {*self._rows["game"].to_pylist()}
            files = [file for file in self.data_files(table) if file.game in games]
        names = self._table(table).columns_of(files) | {GAME} if files else None
        return pa.schema(
            [
                field
                for field in self._table(table).schema
                if field.name not in hidden and (names is None or field.name in names)
            ]
        )

    def table(self, name: str, *, columns: str | Iterable[str] | None = None, **options: Any) -> pa.Table:
        """As `Replays.table`; `INPUTS_OF_LAKE` names the rows of `inputs`."""
        if options:
            raise ValueError(f"table {name} of a lake is as it was exported: it has no option {min(options)!r}")
        if name == INPUTS_OF_LAKE:
            return self.inputs if columns is None else self.inputs.select(with_identity_columns(columns))
        if name not in self.tables:
            raise KeyError(self._no_such_table(name))
        schema = self.schema(name)
        chosen = schema.names if columns is None else with_identity_columns(columns)
        for unknown in {*chosen} - {*schema.names}:
            raise KeyError(unknown_name(unknown, schema.names, f"column of {name}"))
        schema = pa.schema([schema.field(each) for each in chosen])
        parts = [without_rows(schema), *self._parts(name, schema)]
        found = pa.concat_tables(parts).unify_dictionaries().combine_chunks()
        texts = found[REPLAY.name].cast(pa.string())
        order = pc.sort_indices(
            pa.table({"replay": texts, "place": row_numbers(found.num_rows, pa.int64())}),
            sort_keys=[("replay", "ascending"), ("place", "ascending")],
        )
        return found.take(order)

    def _parts(self, name: str, schema: pa.Schema) -> Iterator[pa.Table]:
        """Yield the rows of each data file that count, with these columns.

        Raises:
            DamagedLake: a file is damaged, or there are not as many rows as the replays have.
        """
        if name == INFO:
            yield with_schema(self._of_info(), schema)
            return
        table, left = self._table(name), self.rows[name]
        for file in self.data_files(name):
            rows = table.read(file, [*schema.names, READING.name])
            rows = rows.filter(pc.is_in(rows[READING.name], self._readings))
            left -= rows.num_rows
            yield rows.select(schema.names).cast(schema)
        if left:
            text = f"{abs(left)} rows of {name} are {'missing' if left > 0 else 'too many'}"
            raise DamagedLake(f"{self.location}: {text}: open it again, or see playhead lake check")

    def _of_info(self) -> pa.Table:
        return self._rows.filter(pc.is_in(self._rows["status"], array_of(GOOD, pa.string())))

    def _read_several(self, names: Sequence[str], options: Mapping[str, Any]) -> Mapping[str, pa.Table]:
        if options:
            raise ValueError(f"table {names[-1]} of a lake is of whole matches: ask the replays for parts of them")
        return {name: self.table(name) for name in names if name in self.tables}

    def batches(self, name: str) -> pa.RecordBatchReader:
        """Return one table as a reader of batches (``__arrow_c_stream__``), which reads file after file, with text
        instead of categories; errors as of `table`."""
        schema = plain_text(self.schema(name))
        parts = (with_schema(part, schema) for part in self._parts(name, self.schema(name)))
        return pa.RecordBatchReader.from_batches(schema, (batch for part in parts for batch in part.to_batches()))

    def _reader(self, steps: Steps) -> tuple[Sequence[str], Read]:
        return self.replays, partial(_series_of, self.location, steps)

    def _series(self, steps: Steps, chosen: str | None) -> SeriesReader:
        wanted = steps.tables()
        if not set(wanted) & set(self.tables):
            raise KeyError(f"the lake has none of the tables {', '.join(wanted)}; it has {', '.join(self.tables)}")
        games: dict[tuple[str | None, str | None], dict[str, dict[str, Any]]] = {}
        for row in self.inputs.select(
            ["replay", "file", "reading", "status", "format", "game", "duration_seconds"]
        ).to_pylist():
            games.setdefault((row["format"], row["game"]), {})[row["replay"]] = row
        parts = (each for game in games for each in self._aligned(*game, games[game], steps))
        files = dict(zip(self.replays, self.files, strict=True))
        return SeriesReader(batches(steps, files, parts, chosen, self._games()), steps.every)

    def _aligned(
        self, format: str | None, game: str | None, facts: Mapping[str, Mapping[str, Any]], steps: Steps
    ) -> Iterator[pa.Table]:
        """Yield the series of each replay of a game; `facts` are the rows of its inputs by replay."""
        with ExitStack() as stack:
            parts = []
            mine = self._only(facts)
            readings = {row["reading"]: replay for replay, row in facts.items() if row["status"] in GOOD}
            for source, fields in steps.of(format, game):
                if source.table in mine.tables:
                    rows = ReplayRows(self._table(source.table), mine.data_files(source.table), readings)
                    parts.append((source, fields, stack.enter_context(rows)))
            replays = dict.fromkeys(replay for *_, held in parts for replay in held)
            for replay in replays:
                read = [
                    (source, fields, held.read(replay, source.columns(fields))) for source, fields, held in parts
                ]
                known = [(source, fields, table) for source, fields, table in read if table is not None]
                file = facts[replay]["file"]
                try:
                    found = align(steps, known, facts[replay]["duration_seconds"], Limits())
                except LimitExceeded as error:
                    warnings.warn(visible(f"{file} adds no rows to the series: {error}"), stacklevel=2)
                    continue
                yield with_identity(found, replay, file)

    def lazy(self, name: str) -> polars.LazyFrame:
        polars = import_extra("polars", "polars", "Lake.lazy")
        schema = self.schema(name)
        if name == INFO or not (files := self.data_files(name)):
            whole = with_schema(self.table(name), plain_text(schema))
            return polars.from_arrow(whole).lazy()  # type: ignore[no-any-return]
        table = self._table(name)
        frame = polars.scan_parquet(
            [self.store.path(file.path) for file in files],
            schema=_polars_schema(polars, _as_stored(pa.schema([f for f in table.schema if f.name != GAME]))),
            missing_columns="insert",
            hive_partitioning=False,
        )
        readings = polars.LazyFrame({READING.name: polars.Series(self._readings.to_pylist(), dtype=polars.String)})
        frame = frame.join(readings, on=READING.name, how="semi", maintain_order="left")
        types = _polars_schema(polars, plain_text(schema))
        changed = {field.name: types[field.name] for field in schema if _differs(field)}
        return frame.select(schema.names).cast(changed)  # type: ignore[no-any-return]

    def _register(self, connection: duckdb.DuckDBPyConnection, names: Sequence[str] | None) -> None:
        self.store.register(connection)
        add_table(connection, INPUTS_OF_LAKE, self.inputs)
        for name in self.tables if names is None else names:
            if name != INPUTS_OF_LAKE:
                with skipping(name) if names is None else nullcontext():
                    self._view(connection, name)

    def _view(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        schema = self.schema(name)
        if name == INFO or not (files := self.data_files(name)):
            add_table(connection, name, self.table(name))
            return
        add_table(connection, none := f"{name} without rows", without_rows(_as_stored(self._table(name).schema)))
        add_table(connection, mine := f"readings of {name}", pa.table({READING.name: self._readings}))
        paths = ", ".join(literal(self.store.path(file.path)) for file in files)
        rows = f"read_parquet([{paths}], union_by_name = true, hive_partitioning = false)"
        columns = ", ".join(
            f"CAST({quoted(field.name)} AS {_sql_type(field.type)}) AS {quoted(field.name)}"
            if _differs(field)
            else quoted(field.name)
            for field in schema
        )
        every = f"SELECT * FROM {quoted(none)} UNION ALL BY NAME SELECT * FROM {rows}"
        add_view(connection, name, f"SELECT {columns} FROM ({every}) SEMI JOIN {quoted(mine)} USING (reading)")

    def _known_tables(self) -> Iterable[str]:
        return (*self.tables, INPUTS_OF_LAKE)

    def _no_such_table(self, name: str) -> str:
        if not self.tables and (failed := self.reasons()):
            why = ", ".join(f"{count} {reason}" for reason, count in failed.items())
            return f"no table {name!r}: the lake has none, because no input could be read ({why})"
        if name in vocabulary().tables:
            how = f"tables={name!r} or 'all' exports it, if its games have it"
            return (
                f"no table {name!r} in this lake; {how} (those that repeat others as JSON are left out by default)"
            )
        return super()._no_such_table(name)

    def __repr__(self) -> str:
        counts = self.status()
        good, failed = sum(counts[each] for each in GOOD), counts["failed"] + counts["quarantined"]
        unread = f", {failed} inputs that could not be read" if failed else ""
        return f"<Lake {self.location!r}, {good} replays, {len(self.tables)} tables{unread}>"

    # -- status -----------------------------------------------------------------------------------------

    def status(self) -> dict[str, int]:
        """Return the number of ``whole``, ``partial``, ``failed`` and ``quarantined`` inputs, and of ``copies``,
        the duplicate names."""
        counts = dict.fromkeys(("whole", "partial", "failed", "quarantined"), 0)
        for status in self.inputs["status"].to_pylist():
            counts[status] += 1
        counts["copies"] = sum(map(len, self.inputs["copies"].to_pylist()))
        return counts

    def reasons(self) -> dict[str, int]:
        """Return how many inputs could not be read, by reason, the most frequent first."""
        rows = self.inputs.select(["status", "reason"]).to_pylist()
        counts = Counter(row["reason"] or row["status"] for row in rows if row["status"] not in GOOD)
        return dict(counts.most_common())

    @property
    def problems(self) -> pa.Table:
        """Everything that could not be read (`CORPUS_PROBLEMS`): of each replay the first 20 problems
        that its export met."""
        return problem_rows(
            (row["replay"], row["file"], row["status"], row["reason"], row["error"], problems_of(row))
            for row in to_rows(self.inputs)
        )


#: Columns of `LAKE_INPUTS` that table ``info`` of a replay has too.
_OF_INFO = (REPLAY.name, "file", *(column.name for column in RECORDING))


#: Unsigned numbers, for which Delta has other types.
_SQL_TYPES = {"uint8": "UTINYINT", "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT"}


def _sql_type(type_: pa.DataType) -> str:
    return f"{_sql_type(type_.value_type)}[]" if pa.types.is_list(type_) else _SQL_TYPES[str(type_)]


def _differs(field: pa.Field) -> bool:
    """Return whether files have another type for a column; a category is text everywhere."""
    return not pa.types.is_dictionary(field.type) and bool(stored_type(field.type) != field.type)


def _as_stored(schema: pa.Schema) -> pa.Schema:
    return pa.schema([pa.field(field.name, stored_type(field.type)) for field in schema])


def _polars_schema(polars: Any, schema: pa.Schema) -> dict[str, Any]:
    return dict(polars.from_arrow(without_rows(schema)).schema)


def _series_of(location: str, steps: Steps, replays: Collection[str]) -> SeriesReader:
    return open_lake(location)._only({*replays})._series(steps, None)
