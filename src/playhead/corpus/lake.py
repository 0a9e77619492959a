"""The lake: tables of a corpus as Parquet, listed by manifests. Files that no manifest lists do not count.

A replay that was read more than once (by a later version, or by two plans at once) has the rows of each table from
one manifest only: that of the latest version of playhead, and among equal versions the first by name.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cached_property, partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from playhead.corpus.arrays import SeriesReader
from playhead.corpus.conditions import conditions, which_fit, with_own_facts
from playhead.corpus.decode import GOOD, with_identity
from playhead.corpus.facts import REPLAY, with_identity_columns
from playhead.corpus.identity import is_of_path
from playhead.corpus.manifest import (
    DamagedLake,
    DataFile,
    Manifest,
    Piece,
    fault_of_file,
    good_rows,
    names_in,
    read_manifest,
    under_each_other,
)
from playhead.corpus.parts import CorpusSplit, shares, split_rows
from playhead.corpus.rows import ReplayRows
from playhead.corpus.series import Steps, align, batches, make_steps, no_rows
from playhead.corpus.superseded import outgrown, superseded, version_of
from playhead.corpus.torch_data import torch_series
from playhead.corpus.write import read_schema
from playhead.errors import LimitExceeded
from playhead.export.frames import to_pandas, to_polars
from playhead.io.store import Store, open_store
from playhead.limits import Limits
from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import pa, pc, pq
from playhead.sql.connection import literal, quoted
from playhead.tables.arrow import plain_text, with_schema
from playhead.tables.shared import INFO
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars

#: The view of the manifest rows. Its name must differ from table ``inputs``, the inputs of players.
INPUTS_OF_LAKE = "lake_inputs"


def open_lake(location: str | os.PathLike[str], *, check: str = "size") -> Lake:
    """Open a lake that `Corpus.export` wrote, as it is now.

    Args:
        location: folder or URL.
        check: ``size`` compares the sizes of the data files with the manifests; ``whole`` reads them all and
            compares their SHA-256 too; ``none`` compares nothing.

    Raises:
        FileNotFoundError: there is no lake.
        DamagedLake: a data file is missing or changed.
        ValueError: its layout is newer than this version of playhead.
    """
    store = open_store(location)
    names = names_in(store)
    if not names and not any(True for _ in store.files("_plans")):
        raise FileNotFoundError(f"{os.fspath(location)}: there is no lake (nothing was exported to it)")
    if check not in ("none", "size", "whole"):
        raise ValueError(f"unknown check {check!r}; known are none, size and whole")
    lake = Lake(store, names)
    if check != "none":
        lake.check(whole=check == "whole")
    return lake


class Lake:
    """A lake as it was when it was opened; open it again to see later additions."""

    def __init__(self, store: Store, names: Iterable[str]) -> None:
        self.store = store
        with ThreadPoolExecutor(8) as threads:
            self.all_manifests = tuple(threads.map(lambda name: read_manifest(store, name), names))

    def check(self, *, whole: bool = True) -> None:
        """Compare the data files with the manifests.

        Args:
            whole: read every file and compare its SHA-256; otherwise compare sizes.

        Raises:
            DamagedLake: a file is missing or changed.
        """
        sizes = {each.name: each.size for each in self.store.files()}
        for piece in self.pieces():
            fault = fault_of_file(self.store, piece.file, sizes, whole=whole)
            if fault is not None:
                place = self.store.path(piece.file.name)
                raise DamagedLake(f"{place}: {fault}; playhead lake check shows all damage and repairs it")

    @property
    def location(self) -> str:
        """Path or URL of the lake."""
        return self.store.location

    @cached_property
    def manifests(self) -> tuple[Manifest, ...]:
        """The manifests that count: those not replaced by a compaction."""
        replaced = {name for manifest in self.all_manifests for name in manifest.replaces}
        return tuple(each for each in self.all_manifests if each.name not in replaced)

    # -- content ----------------------------------------------------------------------------------------

    @cached_property
    def inputs(self) -> pa.Table:
        """One row for each input: its facts and the result of reading it (`playhead.corpus.manifest.MANIFEST`).

        An input that first could not be read, and later could, has only its later row, and so has a recording
        that grew.
        """
        rows = under_each_other([manifest.rows for manifest in self.manifests])
        best: dict[str, tuple[Any, int]] = {}
        files = rows["file"].to_pylist()
        columns = [rows[name].to_pylist() for name in ("replay", "status", "playhead", "wanted")]
        grown = outgrown(self.manifests)
        known = {file for replay, file in zip(columns[0], files, strict=True) if not is_of_path(replay)}
        for place, (replay, status, version, wanted) in enumerate(zip(*columns, strict=True)):
            if (is_of_path(replay) and files[place] in known) or replay in grown:
                continue
            rank = (status in GOOD, version_of(version), wanted == "", len(wanted))
            if replay not in best or rank > best[replay][0]:
                best[replay] = (rank, place)
        places = sorted(best, key=lambda replay: replay)
        return rows.take(pa.array([best[replay][1] for replay in places], pa.int64()))

    @cached_property
    def states(self) -> Mapping[str, list[tuple[str, int]]]:
        """Id and size of the read inputs by file: a file that changed has several."""
        found: dict[str, list[tuple[str, int]]] = {}
        for manifest in self.manifests:
            for row in manifest.rows.select(["file", "replay", "size"]).to_pylist():
                found.setdefault(row["file"], []).append((row["replay"], row["size"]))
        return found

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, including empty ones."""
        found = {piece.file.table for piece in self.pieces()}
        found |= {table for manifest in self.manifests for table, _, _ in manifest.empty}
        return tuple(sorted(found))

    @property
    def divisions(self) -> tuple[tuple[str, ...], ...]:
        """Its partition columns: one combination, unless `run_shard` wrote into it with several."""
        return tuple(sorted({tuple(file.parts) for manifest in self.manifests for file in manifest.files}))

    def pieces(self, table: str | None = None) -> Iterator[Piece]:
        """Iterate over the data files, of one table or all, with the superseded replays of each."""
        for manifest in self.manifests:
            for file in manifest.files:
                if table is None or file.table == table:
                    without = self._superseded.get((manifest.name, file.table), set())
                    yield Piece(file, tuple(sorted(without)))

    @cached_property
    def _superseded(self) -> Mapping[tuple[str, str], set[str]]:
        return superseded(self.manifests)

    # -- tables -----------------------------------------------------------------------------------------

    def schema(self, table: str) -> pa.Schema:
        """Return the columns of a table; different versions and formats are merged.

        Raises:
            KeyError: there is no such table.
        """
        return pa.unify_schemas(list(self._shapes(table).values()), promote_options="permissive")

    def _shapes(self, table: str) -> dict[str, pa.Schema]:
        """The Arrow schemas of a table, by shape."""
        shapes = {piece.file.shape for piece in self.pieces(table)}
        shapes |= {shape for each in self.manifests for name, _, shape in each.empty if name == table}
        if not shapes:
            raise KeyError(f"{unknown_name(table, self.tables, 'table')}; the lake has {', '.join(self.tables)}")
        return {shape: self._schema_of(shape) for shape in sorted(shapes)}

    def _schema_of(self, shape: str) -> pa.Schema:
        if shape not in self._read_shapes:
            self._read_shapes[shape] = read_schema(self.store, shape)
        return self._read_shapes[shape]

    @cached_property
    def _read_shapes(self) -> dict[str, pa.Schema]:
        return {}

    def table(self, name: str, *, columns: str | Iterable[str] | None = None) -> pa.Table:
        """Return one table over all replays, or some of its columns after `replay` and `file`, sorted by replay;
        columns that a replay's version or format lacks are null. `INPUTS_OF_LAKE` gives the manifest rows.

        Raises:
            KeyError: there is no such table or column.
        """
        if name == INPUTS_OF_LAKE:
            return self.inputs if columns is None else self.inputs.select(with_identity_columns(columns))
        schema = self.schema(name)
        chosen = schema.names if columns is None else with_identity_columns(columns)
        for unknown in {*chosen} - {*schema.names}:
            raise KeyError(unknown_name(unknown, schema.names, f"column of {name}"))
        parts = [schema.empty_table().select(chosen)]
        for piece in self.pieces(name):
            held = self.read(piece)
            parts.append(held.select([each for each in chosen if each in held.column_names]))
        found = pa.concat_tables(parts, promote_options="permissive").unify_dictionaries().combine_chunks()
        texts = found[REPLAY.name].cast(pa.string())
        order = pc.sort_indices(
            pa.table({"replay": texts, "place": pa.array(range(found.num_rows), pa.int64())}),
            sort_keys=[("replay", "ascending"), ("place", "ascending")],
        )
        return found.take(order)

    def read(self, piece: Piece) -> pa.Table:
        """Return the rows of one data file that count.

        Raises:
            DamagedLake: its SHA-256 is not the one in the manifest.
        """
        data = self.store.get(piece.file.name)
        if sha256(data).hexdigest() != piece.file.checksum:
            raise DamagedLake(
                f"{self.store.path(piece.file.name)}: expected another SHA-256; see playhead lake check"
            )
        table = pq.read_table(pa.BufferReader(data), partitioning=None)
        if piece.without:
            known = table[REPLAY.name].cast(pa.string())
            table = table.filter(pc.invert(pc.is_in(known, pa.array(piece.without, pa.string()))))
        return table

    def batches(self, name: str) -> pa.RecordBatchReader:
        """Return one table as a reader of batches (``__arrow_c_stream__``), which reads file after file, with text
        instead of categories; errors as of `table` and `read`."""
        schema = plain_text(self.schema(name))
        parts = (with_schema(self.read(piece), schema) for piece in self.pieces(name))
        return pa.RecordBatchReader.from_batches(schema, (batch for part in parts for batch in part.to_batches()))

    def paths(self, name: str) -> list[str]:
        """Return the paths or URLs of the Parquet files of a table, for other programs.

        Raises:
            KeyError: there is no such table.
            ValueError: the files differ in their columns, or have rows that do not count.
        """
        if len(self._shapes(name)) > 1:
            raise ValueError(f"the files of {name} differ in their columns: export the replays of one game")
        pieces = list(self.pieces(name))
        if any(piece.without for piece in pieces):
            raise ValueError(f"files of {name} have rows that do not count: run playhead lake compact")
        return [self.store.path(piece.file.name) for piece in pieces]

    def filter(self, **facts: Any) -> list[str]:
        """Return the SHA-256 of the replays whose facts fit, for `series` and `torch`, as `Corpus.filter` chooses
        them: by columns of `inputs`, or of table ``info`` if the lake has it.

        Raises:
            KeyError: there is no such column.
            ValueError: playhead reads no such format.
        """
        own = self.schema(INFO.name).names if INFO.name in self.tables else ()
        wanted = conditions(facts, {*self.inputs.column_names, *own})
        rows = with_own_facts(good_rows(self.inputs).to_pylist(), wanted, lambda: self.table(INFO.name))
        return [row["replay"] for row, fit in zip(rows, which_fit(rows, wanted), strict=True) if fit]

    def split(self, *, by: str = "replay", seed: int = 0, **parts: float) -> CorpusSplit[list[str]]:
        """Divide the replays as `Corpus.split` does; each part is a list of SHA-256, for `series` and `torch`.

        Raises:
            KeyError: `inputs` has no such column.
            ValueError: as of `Corpus.split`.
        """
        return split_rows(good_rows(self.inputs), by, shares(parts, seed))

    def torch(
        self,
        *,
        every: float | str = "1s",
        fields: str | Iterable[str] | None = None,
        replays: Collection[str] | None = None,
    ) -> Any:
        """Return the series of the replays with these SHA-256 as `Corpus.torch` does."""
        read = partial(_series_of, self.location, every, list(make_steps(every, fields).fields))
        return torch_series(self.inputs["replay"].to_pylist() if replays is None else list(replays), read)

    def series(
        self,
        *,
        every: float | str = "1s",
        fields: str | Iterable[str] | None = None,
        replays: Collection[str] | None = None,
    ) -> SeriesReader:
        """Return the players at fixed time steps, as `Corpus.series` does, of the replays with these SHA-256.

        Replays are in the order of the files. ``player_series`` has steps of one second, as exported. A replay
        that claims to last for more steps than its rows pay for (`Limits.steps`) adds no rows; a warning names it.

        Raises:
            KeyError: no format has such a field, or the lake has no table with any of them.
            ValueError: `every` is not a step of time, or `fields` is empty.
        """
        steps = make_steps(every, fields)
        wanted = steps.tables()
        if not set(wanted) & set(self.tables):
            raise KeyError(f"the lake has none of the tables {', '.join(wanted)}; it has {', '.join(self.tables)}")
        games: dict[tuple[str | None, str | None], dict[str, dict[str, Any]]] = {}
        files: dict[str, str] = {}
        for row in self.inputs.select(["replay", "file", "format", "game", "duration_seconds"]).to_pylist():
            if replays is not None and row["replay"] not in replays:
                continue
            games.setdefault((row["format"], row["game"]), {})[row["replay"]] = row
            files[row["replay"]] = row["file"]
        chosen = None if fields is None or replays is not None else ", ".join(steps.fields)
        parts = (each for game in games for each in self._aligned(*game, games[game], steps))
        return SeriesReader(batches(steps, files, parts, chosen))

    def _aligned(
        self, format: str | None, game: str | None, facts: Mapping[str, Mapping[str, Any]], steps: Steps
    ) -> Iterator[pa.Table]:
        """Yield the series of each replay of a game; `facts` are the rows of its inputs by replay."""
        with ExitStack() as stack:
            parts = []
            for source, fields in steps.of(format, game):
                pieces = self.pieces(source.table)
                mine = (
                    each
                    for each in pieces
                    if each.file.parts.get("format", format) == format
                    and each.file.parts.get("game", game) == game
                )
                files = [(each.file.name, each.without) for each in mine]
                held = stack.enter_context(ReplayRows(self.store, files, source.columns(fields)))
                parts.append((source, fields, held))
            replays = dict.fromkeys(replay for *_, held in parts for replay in held if replay in facts)
            for replay in replays:
                read = [(source, fields, held.read(replay)) for source, fields, held in parts]
                known = [(source, fields, table) for source, fields, table in read if table is not None]
                file = facts[replay]["file"]
                try:
                    found = align(steps, known, facts[replay]["duration_seconds"], Limits())
                except LimitExceeded as error:
                    warnings.warn(no_rows(file, str(error)), stacklevel=2)
                    continue
                yield with_identity(found, replay, file)

    def to_polars(self, name: str, **query: Any) -> polars.DataFrame:
        """Return one table as a Polars frame; arguments and errors as of `table` and `Replay.to_polars`."""
        return to_polars(self.table(name, **query))

    def to_pandas(self, name: str, **query: Any) -> pandas.DataFrame:
        """Return one table as a pandas frame; arguments and errors as of `table` and `Replay.to_pandas`."""
        return to_pandas(self.table(name, **query))

    def lazy(self, name: str) -> polars.LazyFrame:
        """Return one table as a lazy Polars frame, which reads only what a query needs.

        Raises:
            ModuleNotFoundError: Polars is not installed (extra ``polars``).
            KeyError: there is no such table.
        """
        polars = import_extra("polars", "polars", "Lake.lazy")
        frames = [polars.from_arrow(self.schema(name).empty_table()).lazy()]
        for (divided, left_out), files in self._groups(name).items():
            frame = polars.scan_parquet([self.store.path(each.name) for each in files], hive_partitioning=False)
            if left_out:
                frame = frame.filter(~polars.col(REPLAY.name).cast(polars.String).is_in(list(left_out)))
            known = frame.collect_schema().names()
            constants = [polars.lit(value).alias(key) for key, value in divided[1] if key not in known]
            frames.append(
                frame.with_columns(*constants).with_columns(polars.selectors.categorical().cast(polars.String))
            )
        first = frames[0].with_columns(polars.selectors.categorical().cast(polars.String))
        return polars.concat([first, *frames[1:]], how="diagonal_relaxed")  # type: ignore[no-any-return]

    def _groups(self, name: str) -> dict[tuple[Any, tuple[str, ...]], list[DataFile]]:
        """Return the data files of a table, grouped by columns, partition and superseded replays."""
        self._shapes(name)
        groups: dict[tuple[Any, tuple[str, ...]], list[DataFile]] = {}
        for piece in self.pieces(name):
            divided = (piece.file.shape, tuple(sorted(piece.file.parts.items())))
            groups.setdefault((divided, piece.without), []).append(piece.file)
        return groups

    def connect(self, connection: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyConnection:
        """Return a DuckDB connection with every table as a view, and `INPUTS_OF_LAKE`, the manifest rows.

        The partition columns (``format`` …) are in every view: a query for one value reads only its files.

        Raises:
            ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
        """
        from playhead.sql.connection import connect

        connection = connection or connect()
        self.store.register(connection)
        for name in self.tables:
            self._view(connection, name)
        connection.register(INPUTS_OF_LAKE, self.inputs)
        return connection

    def _view(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        selects = []
        shapes = self._shapes(name)
        for ((shape, divided), without), files in self._groups(name).items():
            paths = ", ".join(literal(self.store.path(each.name)) for each in files)
            known = shapes[shape].names
            constants = "".join(
                f", {literal(value)} AS {quoted(key)}" for key, value in divided if key not in known
            )
            superseded = ", ".join(map(literal, without))
            where = f" WHERE {REPLAY.name} NOT IN ({superseded})" if without else ""
            selects.append(f"SELECT *{constants} FROM read_parquet([{paths}], hive_partitioning = false){where}")
        if selects:
            connection.execute(f"CREATE OR REPLACE VIEW {quoted(name)} AS {' UNION ALL BY NAME '.join(selects)}")
        else:
            connection.register(name, self.schema(name).empty_table())

    def query(self, text: str) -> pa.Table:
        """Return the result of one statement of DuckDB's SQL over the views of `connect`.

        Raises:
            ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
            duckdb.Error: the statement is wrong.
        """
        connection = self.connect()
        try:
            found = connection.sql(text)
            return pa.table({}) if found is None else found.to_arrow_table()
        finally:
            connection.close()

    def __repr__(self) -> str:
        good = sum(self.status()[each] for each in GOOD)
        return f"<Lake {self.location!r}, {good} replays, {len(self.tables)} tables>"

    # -- status -----------------------------------------------------------------------------------------

    def status(self) -> dict[str, int]:
        """Return the number of ``whole``, ``partial``, ``failed`` and ``quarantined`` inputs, and of ``copies``,
        the duplicate names."""
        counts = dict.fromkeys(("whole", "partial", "failed", "quarantined"), 0)
        for status in self.inputs["status"].to_pylist():
            counts[status] += 1
        counts["copies"] = sum(map(len, self.inputs["copies"].to_pylist()))
        return counts

    def problems(self) -> pa.Table:
        """Return the rows of `inputs` that are not whole."""
        return self.inputs.filter(pc.not_equal(self.inputs["status"], "whole"))

    def orphans(self) -> Iterator[str]:
        """Iterate over files that do not count: of unfinished shards, or replaced by compactions."""
        live = {file.name for manifest in self.manifests for file in manifest.files}
        kept = {manifest.name for manifest in self.manifests}
        for each in self.store.files():
            folder, _, name = each.name.rpartition("/")
            if folder == "_manifests":
                if name.removesuffix(".parquet") not in kept:
                    yield each.name
            elif each.name not in live and not each.name.startswith("_"):
                yield each.name


def _series_of(location: str, every: float | str, fields: list[str], replays: Collection[str]) -> SeriesReader:
    return open_lake(location, check="none").series(every=every, fields=fields, replays=set(replays))
