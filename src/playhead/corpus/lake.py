"""The lake: tables of a corpus as Parquet, listed by manifests. Files that no manifest lists do not count.

A replay that was read more than once (by a later version, or by two plans at once) has the rows of each table from
one manifest only: that of the latest version of playhead, and among equal versions the first by name.
"""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from functools import cached_property, partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from playhead.corpus.arrays import Read, SeriesReader
from playhead.corpus.decode import GOOD
from playhead.corpus.facts import info_of_inputs, problem_rows, with_identity_columns
from playhead.corpus.identity import is_of_path
from playhead.corpus.lists import listed, lost_of, read_manifests
from playhead.corpus.manifest import (
    LOST,
    DamagedLake,
    DataFile,
    Manifest,
    Piece,
    fault_of_file,
    lacking,
    misfits,
    name_of_file,
    outgrown,
    path_of,
    problems_of,
    superseded,
    under_each_other,
    version_of,
)
from playhead.corpus.plan import FOLDER as PLANS
from playhead.corpus.plan import planned_ids
from playhead.corpus.replays import Replays, skipping
from playhead.corpus.request import PARTITIONS
from playhead.corpus.series import ReplayRows, Steps, align, batches, no_rows
from playhead.corpus.strays import lost_by_files
from playhead.corpus.write import SCHEMAS, check_columns, check_files, read_schema, schema_path
from playhead.errors import LimitExceeded
from playhead.io.store import Store, open_store
from playhead.limits import Limits
from playhead.registry import vocabulary
from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import pa, pc, pq
from playhead.sql.connection import add_table, add_view, literal, quoted
from playhead.tables.arrow import plain_text, row_numbers, to_rows, with_schema, without_rows
from playhead.tables.combined import REPLAY, combined, combined_schema, with_identity
from playhead.tables.value_arrays import array_of
from playhead.text.names import counted, unknown_name

if TYPE_CHECKING:
    import duckdb
    import polars

#: The view of the manifest rows. Its name must differ from table ``inputs``, the inputs of players.
INPUTS_OF_LAKE = "lake_inputs"

_HELP = "playhead lake check shows all damage and repairs it"


def open_lake(location: str | os.PathLike[str], *, check: str = "size") -> Lake:
    """Open a lake that `Corpus.export` wrote, as it is now.

    Args:
        location: folder or URL.
        check: ``size`` compares the manifests with their list, and the sizes of the data files with the
            manifests; ``whole`` reads them all, compares their SHA-256 too, and the manifests with the plans;
            ``none`` compares nothing.

    Raises:
        FileNotFoundError: there is no lake.
        DamagedLake: a manifest, schema or data file is missing or changed, or manifests contradict each other.
        ValueError: a manifest is damaged, or its layout is newer than this version of playhead.
    """
    store = open_store(location)
    names = listed(store) if check != "none" else frozenset()  # before the manifests: see `read_lists`
    manifests = read_manifests(store)
    if not manifests and not names and not any(True for folder in (PLANS, SCHEMAS) for _ in store.files(folder)):
        raise FileNotFoundError(f"{os.fspath(location)}: there is no lake (nothing was exported to it)")
    if check not in ("none", "size", "whole"):
        raise ValueError(f"unknown check {check!r}; known are none, size and whole")
    for name, what in misfits({each.name: each for each in manifests}).items():
        raise DamagedLake(f"{store.path(path_of(name))}: {what}; {_HELP}")
    if lost := lost_of(names, manifests):
        some = f"{store.location}: {counted(len(lost), 'manifest')} of {len(names)} missing, first {lost[0]}"
        raise DamagedLake(f"{some}; {_HELP}")
    if check == "whole" or (check == "size" and not manifests):
        for name in lost_by_files(store, store.files(), {each.name: each for each in manifests}):
            raise DamagedLake(f"{store.path(path_of(name))}: is missing, and its data files are left; {_HELP}")
    lake = Lake(store, manifests)
    if check != "none":
        lake.check(whole=check == "whole")
    return lake


class Lake(Replays):
    """A lake as it was when it was opened; open it again to see later additions."""

    def __init__(
        self, store: Store, manifests: tuple[Manifest, ...], chosen: frozenset[str] | None = None
    ) -> None:
        """`chosen` are the replays that count; all if None."""
        self.store = store
        self.all_manifests = manifests
        self._chosen = chosen
        self._read_shapes: dict[str, pa.Schema] = {}
        self._divided: dict[tuple[str, tuple[tuple[str, Any], ...]], frozenset[str]] = {}

    def _only(self, replays: Collection[str]) -> Lake:
        return Lake(self.store, self.all_manifests, frozenset(replays).intersection(self.replays))

    def check(self, *, whole: bool = True) -> None:
        """Compare the files with the manifests.

        Args:
            whole: read every file and compare its SHA-256, and compare the plans; otherwise compare sizes.

        Raises:
            DamagedLake: a file is missing or changed.
        """
        sizes = {each.name: each.size for each in self.store.files()}
        for name in sorted(map(schema_path, {shape for each in self.manifests for shape in each.shapes})):
            if sizes.get(name, -1) < 0:
                raise DamagedLake(
                    f"{self.store.path(name)}: is {'a link' if name in sizes else 'missing'}; {_HELP}"
                )
            if whole:
                self._schema_of(name.rpartition("/")[2].removesuffix(".arrow"))
        for piece in self.pieces():
            fault = fault_of_file(self.store, piece.file, sizes, whole=whole)
            if fault is not None:
                place = self.store.path(piece.file.name)
                raise DamagedLake(f"{place}: {fault}; {_HELP}")
        if whole:
            for name, what in lacking(planned_ids(self.store), self.manifests).items():
                raise DamagedLake(f"{self.store.path(path_of(name))}: {what}; {_HELP}")

    @property
    def location(self) -> str:
        """Path or URL of the lake."""
        return self.store.location

    @cached_property
    def gone(self) -> frozenset[str]:
        """The names of replaced manifests: files of such a name would not count."""
        return frozenset(name for manifest in self.all_manifests for name in manifest.replaces)

    @cached_property
    def manifests(self) -> tuple[Manifest, ...]:
        """The manifests that count: those that no compaction or repair replaced."""
        return tuple(each for each in self.all_manifests if each.name not in self.gone)

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
        columns = [rows[name].to_pylist() for name in ("replay", "status", "reason", "playhead", "wanted")]
        grown = outgrown(self.manifests)
        known = {file for replay, file in zip(columns[0], files, strict=True) if not is_of_path(replay)}
        for place, (replay, status, reason, version, wanted) in enumerate(zip(*columns, strict=True)):
            if (is_of_path(replay) and files[place] in known) or replay in grown:
                continue
            rank = (status in GOOD, reason != LOST, version_of(version), wanted == "", len(wanted))
            if replay not in best or rank > best[replay][0]:
                best[replay] = (rank, place)
        places = [best[replay][1] for replay in sorted(best) if self._chosen is None or replay in self._chosen]
        return rows.take(array_of(places, pa.int64()))

    def info(self) -> pa.Table:
        return info_of_inputs(self.inputs)

    @property
    def replays(self) -> tuple[str, ...]:
        return tuple(self.inputs["replay"].to_pylist())

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(map(name_of_file, self.inputs.select(["file", "file_bytes"]).to_pylist()))

    @property
    def copies(self) -> dict[str, tuple[str, ...]]:
        copies = zip(self.files, self.inputs["copies"].to_pylist(), strict=True)
        return {file: tuple(names) for file, names in copies if names}

    @cached_property
    def states(self) -> Mapping[str, list[tuple[str, int]]]:
        """Id and size of the read inputs by file: a file that changed has several."""
        found: dict[str, list[tuple[str, int]]] = {}
        for manifest in self.manifests:
            for row in manifest.rows.select(["file", "replay", "size"]).to_pylist():
                found.setdefault(row["file"], []).append((row["replay"], row["size"]))
        return found

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, sorted; also of those without rows."""
        rows = (row for each in self.manifests for row in each.rows.select(["replay", "rows"]).to_pylist())
        texts = {row["rows"] for row in rows if self._chosen is None or row["replay"] in self._chosen}
        return tuple(sorted({name for text in texts for name in json.loads(text)}))

    @property
    def divisions(self) -> tuple[tuple[str, ...], ...]:
        """Its partition columns: one combination, unless `run_shard` wrote into it with several."""
        return tuple(sorted({tuple(file.parts) for manifest in self.manifests for file in manifest.files}))

    def pieces(self, table: str | None = None) -> Iterator[Piece]:
        """Iterate over the data files, of one table or all, that have rows of chosen replays."""
        for manifest in self.manifests:
            for file in manifest.files:
                if table not in (None, file.table):
                    continue
                held = frozenset() if self._chosen is None else self._replays_in(manifest, file)
                if self._chosen is None or not self._chosen.isdisjoint(held):
                    without = self._superseded.get((manifest.name, file.table), set())
                    yield Piece(file, tuple(sorted(without)), not held <= (self._chosen or held))

    def _replays_in(self, manifest: Manifest, file: DataFile) -> frozenset[str]:
        """Return the replays that may have rows in a data file."""
        divided = tuple(file.parts.items())
        found = self._divided.get((manifest.name, divided))
        if found is None:
            rows = manifest.rows.select(["replay", *PARTITIONS]).to_pylist()
            found = frozenset(row["replay"] for row in rows if all(row[name] == value for name, value in divided))
            self._divided[manifest.name, divided] = found
        return found

    @cached_property
    def _superseded(self) -> Mapping[tuple[str, str], set[str]]:
        return superseded(self.manifests)

    # -- tables -----------------------------------------------------------------------------------------

    def schema(self, table: str) -> pa.Schema:
        """Return the columns of a table in all versions and games.

        Raises:
            KeyError: there is no such table.
            ColumnTypeError: a column has types that cannot be combined.
        """
        shapes = {piece.file.shape: piece.file.name for piece in self.pieces(table)}
        for each in self.manifests if self._chosen is None or not shapes else ():
            for name, shape in each.empty:
                if name == table:
                    shapes.setdefault(shape, path_of(each.name))
        if table not in self.tables:
            raise KeyError(self._no_such_table(table))
        parts = [(self.store.path(file), self._schema_of(shape)) for shape, file in sorted(shapes.items())]
        return combined_schema(table, parts)

    def _schema_of(self, shape: str) -> pa.Schema:
        if shape not in self._read_shapes:
            self._read_shapes[shape] = read_schema(self.store, shape)
        return self._read_shapes[shape]

    def table(self, name: str, *, columns: str | Iterable[str] | None = None, **options: Any) -> pa.Table:
        """As `Replays.table`; `INPUTS_OF_LAKE` names the manifest rows."""
        if options:
            raise ValueError(f"table {name} of a lake is as it was exported: it has no option {min(options)!r}")
        if name == INPUTS_OF_LAKE:
            return self.inputs if columns is None else self.inputs.select(with_identity_columns(columns))
        schema = self.schema(name)
        chosen = schema.names if columns is None else with_identity_columns(columns)
        for unknown in {*chosen} - {*schema.names}:
            raise KeyError(unknown_name(unknown, schema.names, f"column of {name}"))
        parts = [("", without_rows(schema).select(chosen))]
        for piece in self.pieces(name):
            held = self.read(piece)
            parts.append((piece.file.name, held.select([each for each in chosen if each in held.column_names])))
        found = combined(name, parts).unify_dictionaries().combine_chunks()
        texts = found[REPLAY.name].cast(pa.string())
        order = pc.sort_indices(
            pa.table({"replay": texts, "place": row_numbers(found.num_rows, pa.int64())}),
            sort_keys=[("replay", "ascending"), ("place", "ascending")],
        )
        return found.take(order)

    def _read_several(self, names: Sequence[str], options: Mapping[str, Any]) -> Mapping[str, pa.Table]:
        if options:
            raise ValueError(f"table {names[-1]} of a lake is of whole matches: ask the replays for parts of them")
        return {name: self.table(name) for name in names if name in self.tables}

    def read(self, piece: Piece) -> pa.Table:
        """Return the rows of one data file that count.

        Raises:
            ColumnTypeError: a column has another type than in the file's schema.
            DamagedLake: its SHA-256, columns or number of rows are not those of manifest and schema.
        """
        data = self.store.get(piece.file.name)
        if sha256(data).hexdigest() != piece.file.checksum:
            raise DamagedLake(
                f"{self.store.path(piece.file.name)}: expected another SHA-256; see playhead lake check"
            )
        table = pq.ParquetFile(pa.BufferReader(data)).read()  # `read_table` would import pandas
        path, expected = self.store.path(piece.file.name), self._schema_of(piece.file.shape)
        check_columns(path, piece.file, table.schema, table.num_rows, expected)
        known = table[REPLAY.name].cast(pa.string())
        if piece.without:
            table = table.filter(pc.invert(pc.is_in(known, array_of(piece.without, pa.string()))))
        if piece.has_others:
            table = table.filter(pc.is_in(known, array_of(sorted(self._chosen or ()), pa.string())))
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
        self.schema(name)
        pieces = list(self.pieces(name))
        if len({piece.file.shape for piece in pieces}) > 1:
            raise ValueError(f"the files of {name} differ in their columns: export the replays of one game")
        if any(piece.without for piece in pieces):
            raise ValueError(f"files of {name} have rows that do not count: run playhead lake compact")
        if any(piece.has_others for piece in pieces):
            divided = " and ".join(self.divisions[0]) or "nothing"
            raise ValueError(
                f"files of {name} have rows of other replays too: the lake is partitioned by {divided}"
            )
        return [self.store.path(piece.file.name) for piece in pieces]

    def _reader(self, steps: Steps) -> tuple[Sequence[str], Read]:
        return self.replays, partial(_series_of, self.location, steps)

    def _series(self, steps: Steps, chosen: str | None) -> SeriesReader:
        wanted = steps.tables()
        if not set(wanted) & set(self.tables):
            raise KeyError(f"the lake has none of the tables {', '.join(wanted)}; it has {', '.join(self.tables)}")
        games: dict[tuple[str | None, str | None], dict[str, dict[str, Any]]] = {}
        for row in self.inputs.select(["replay", "file", "format", "game", "duration_seconds"]).to_pylist():
            games.setdefault((row["format"], row["game"]), {})[row["replay"]] = row
        parts = (each for game in games for each in self._aligned(*game, games[game], steps))
        return SeriesReader(batches(steps, dict(zip(self.replays, self.files, strict=True)), parts, chosen))

    def _aligned(
        self, format: str | None, game: str | None, facts: Mapping[str, Mapping[str, Any]], steps: Steps
    ) -> Iterator[pa.Table]:
        """Yield the series of each replay of a game; `facts` are the rows of its inputs by replay."""
        with ExitStack() as stack:
            parts = []
            mine = self._only(facts)
            for source, fields in steps.of(format, game):
                check_files(self.store, mine.pieces(source.table), self._schema_of)
                files = [(each.file.name, each.without) for each in mine.pieces(source.table)]
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

    def lazy(self, name: str) -> polars.LazyFrame:
        polars = import_extra("polars", "polars", "Lake.lazy")
        text = polars.selectors.categorical().cast(polars.String)
        frames = [polars.from_arrow(without_rows(self.schema(name))).lazy().with_columns(text)]
        for (_, without, has_others), files in self._groups(name).items():
            frame = polars.scan_parquet(files, hive_partitioning=False).with_columns(text)
            if without:
                frame = frame.filter(~polars.col(REPLAY.name).is_in(list(without)))
            if has_others:
                frame = frame.filter(polars.col(REPLAY.name).is_in(sorted(self._chosen or ())))
            frames.append(frame)
        return polars.concat(frames, how="diagonal_relaxed")  # type: ignore[no-any-return]

    def _groups(self, name: str) -> dict[tuple[str, tuple[str, ...], bool], list[str]]:
        """Return the paths of the data files of a table, grouped by columns and rows that do not count.

        Raises:
            ColumnTypeError, DamagedLake: as of `read`, of files in folders. Polars and DuckDB would take text for
                numbers, or name neither the file nor the column.
        """
        groups: dict[tuple[str, tuple[str, ...], bool], list[str]] = {}
        check_files(self.store, self.pieces(name), self._schema_of)
        for each in self.pieces(name):
            key = each.file.shape, each.without, each.has_others
            groups.setdefault(key, []).append(self.store.path(each.file.name))
        return groups

    def _register(self, connection: duckdb.DuckDBPyConnection, names: Sequence[str] | None) -> None:
        self.store.register(connection)
        add_table(connection, INPUTS_OF_LAKE, self.inputs)
        for name in self.tables if names is None else names:
            if name != INPUTS_OF_LAKE:
                with skipping(name) if names is None else nullcontext():
                    self._view(connection, name)

    def _view(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        schema, selects, groups = self.schema(name), [], self._groups(name)  # DuckDB would combine types to text
        if groups and {*schema.names} > {each for shape, *_ in groups for each in self._schema_of(shape).names}:
            connection.register(none := f"{name} without rows", without_rows(schema))  # a game has more columns
            selects.append(f"SELECT * FROM {quoted(none)}")
        for (_, without, has_others), files in groups.items():
            where = f" WHERE {REPLAY.name} NOT IN ({', '.join(map(literal, ('', *without)))})"
            where += f" AND {REPLAY.name} IN (SELECT {REPLAY.name} FROM {INPUTS_OF_LAKE})" if has_others else ""
            rows = f"read_parquet([{', '.join(map(literal, files))}], hive_partitioning = false)"
            selects.append(f"SELECT * FROM {rows}{where if without or has_others else ''}")
        if selects:
            columns = ", ".join(map(quoted, schema.names))
            rows = " UNION ALL BY NAME ".join(selects)
            add_view(connection, name, f"SELECT {columns} FROM ({rows})")
        else:
            add_table(connection, name, without_rows(schema))

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

    def orphans(self) -> Iterator[tuple[str, str | None]]:
        """Iterate over files that do not count, each with its manifest if a compaction or repair replaced that.
        Others are of unfinished shards, which another process may be writing."""
        live = {file.name for manifest in self.manifests for file in manifest.files}
        for each in self.store.files():
            folder, _, name = each.name.rpartition("/")
            if folder == "_manifests":
                if (manifest := name.removesuffix(".parquet")) in self.gone:
                    yield each.name, manifest
            elif each.name not in live and not each.name.startswith("_"):
                manifest = "-".join(name.split("-")[:2])
                yield each.name, manifest if manifest in self.gone else None


def _series_of(location: str, steps: Steps, replays: Collection[str]) -> SeriesReader:
    return open_lake(location, check="none")._only({*replays})._series(steps, None)
