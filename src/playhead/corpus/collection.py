"""`Corpus`: many replays as one; opens the files that a user names and gives tables over all of them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.corpus.arrays import SeriesReader
from playhead.corpus.conditions import Condition, check_word, conditions, fits, which_fit, with_own_facts
from playhead.corpus.decode import Outcome, parts_of, read_part
from playhead.corpus.export import OnProgress, Progress, Report, engine_of, export_items, partition_of
from playhead.corpus.facts import CORPUS_INFO, CORPUS_PROBLEMS, with_identity_columns
from playhead.corpus.identity import Item, Seen, identify, without_copies
from playhead.corpus.lazy import lazy_table
from playhead.corpus.parts import CorpusSplit, shares
from playhead.corpus.plan import SHARD_BYTES, SHARD_INPUTS, known_hashes
from playhead.corpus.pool import DEATHS, WorkerLimits
from playhead.corpus.request import DIVIDED, Request, make_request
from playhead.corpus.series import SeriesRequest, Steps, batches, make_steps, no_rows
from playhead.corpus.shards import Running, outcomes_of, read_items, started
from playhead.corpus.torch_data import torch_series
from playhead.export.frames import to_pandas, to_polars
from playhead.io.inputs import InputFile, check_exists, expand_inputs
from playhead.io.packs import is_url
from playhead.io.scratch import TemporaryFolder
from playhead.io.spool import Spool
from playhead.io.store import open_store
from playhead.limits import Limits
from playhead.registry import series_sources, vocabulary
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass, replace
from playhead.runtime.workers import cores
from playhead.tables.shared import INFO
from playhead.text.json import valid_text
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars

#: Reasons of failures that are no damage of the file: another limit may read it.
SHORT_OF = frozenset(("limit", "memory", "internal", *DEATHS))

#: Accepted inputs: a path, folder, pattern, pack, list of paths or URL, or several of these.
Names = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def scan(
    replays: Names,
    *,
    jobs: int | None = None,
    limits: Limits | None = None,
    worker_limits: WorkerLimits | None = None,
) -> Corpus:
    """Return the replays of folders, patterns, packs, lists or URLs as one corpus; formats may be mixed.

    Nothing is listed or read yet. Files of a folder or pattern that are no replays are skipped; a file that is
    named itself must be a replay.

    Args:
        replays: a path, folder, pattern (``"*.dem"``), zip or tar pack, list (``"@files.txt"``), URL
            (``s3://…/``), or several of them.
        jobs: number of processes; one per core by default. 0 reads in this process, where nothing stops an input
            that hangs.
        limits: bounds on what a file may make the reader allocate.
        worker_limits: time and memory limits of one input; a process that exceeds them is killed.

    Raises:
        FileNotFoundError: the only input is a path that does not exist.
    """
    if isinstance(replays, str | os.PathLike):
        check_exists(os.fspath(replays))
    names = [replays] if isinstance(replays, str | os.PathLike) else list(replays)
    running = Running(cores() if jobs is None else jobs, worker_limits or WorkerLimits())
    return Corpus(names, running, limits or Limits())


def _series_of(files: Iterable[str], limits: Limits, steps: Steps) -> SeriesReader:
    """Return the series of files, read in this process: a worker of a loader may not start others."""
    return scan(list(files), jobs=0, limits=limits)._series(steps, None)


class Corpus:
    """A set of replays; see `scan`. Equal bytes under two names are one replay.

    Worker processes read the replays, so a replay that hangs or crashes affects only itself.
    """

    def __init__(
        self,
        names: Iterable[str | os.PathLike[str]],
        running: Running,
        limits: Limits,
        base: Corpus | None = None,
        chosen: tuple[Condition, ...] = (),
    ) -> None:
        """`chosen` selects replays of `base`."""
        self._names = list(names)
        self._running = running
        self._limits = limits
        self._base = base
        self._conditions = chosen
        self._found: _Identified | None = None

    # -- choosing replays -------------------------------------------------------------------------------

    @cached_property
    def files(self) -> tuple[InputFile, ...]:
        """The named files; nothing of them is read."""
        if self._base is not None:
            return self._base.files
        return tuple(expand_inputs(self._names, limits=self._limits))

    @cached_property
    def _spool(self) -> Spool:
        return Spool()

    @property
    def items(self) -> tuple[Item, ...]:
        """The replays, each once, and named inputs that cannot be read. Hashes every file."""
        return self._identified().items

    def _identified(
        self, known: Mapping[Seen, str] | None = None, on_file: Callable[[InputFile], None] = lambda file: None
    ) -> _Identified:
        """Return the identified files, hashed once.

        Args:
            known: hashes of earlier runs, by path, size and time of change.
            on_file: called with each file after it is hashed.
        """
        if self._found is None and self._base is not None:
            self._found = self._fitting(self._base, self._base._identified(known, on_file))
        elif self._found is None:
            named = any(is_url(file.path) for file in self.files)
            spool = self._spool if named else None
            found = []
            hashed = identify(
                self.files,
                jobs=self._running.jobs,
                known=known,
                spool=spool,
                limits=self._limits,
                worker_limits=self._running.limits,
            )
            for file, item in zip(self.files, hashed, strict=True):
                found.append(item)
                on_file(file)
            items = without_copies(each for each in found if each is not None)
            self._found = _Identified(tuple(items), found.count(None))
        return self._found

    def _fitting(self, base: Corpus, found: _Identified) -> _Identified:
        """Return the replays of `base` that fit the conditions, with the facts read to test them."""
        if found.info is None and all(each.column == "replay" for each in self._conditions):
            return replace(
                found, items=tuple(each for each in found.items if fits({"replay": each.id}, self._conditions))
            )
        known_info = self._info(found.items) if found.info is None else found.info
        if any(each.column == "game" for each in self._conditions):
            games = {each.game for some in series_sources().values() for each in some if each.game}
            check_word(self._conditions, "game", games | set(known_info["game"].to_pylist()))
        rows = with_own_facts(known_info.to_pylist(), self._conditions, lambda: base.table(INFO.name))
        info = known_info.filter(pa.array(which_fit(rows, self._conditions), pa.bool_()))
        kept = set(info["replay"].to_pylist())
        return replace(found, items=tuple(each for each in found.items if each.id in kept), info=info)

    @property
    def copies(self) -> dict[str, tuple[str, ...]]:
        """The other names of each replay that has several, by the name that is read."""
        return {item.file: item.copies for item in self.items if item.copies}

    def filter(self, **facts: Any) -> Corpus:
        """Return the corpus of the replays whose facts fit; reads only `info`, once. If none fits a condition, a
        warning names the values that there are.

        Args:
            facts: columns of `info`, or a format's own columns of table ``info`` (``matchup="PvT"``): a value, a
                list of values, a pattern (``map="*LE"``), a comparison (``build=">=80949"``,
                ``start_time="<2024-05-01"``), or a function of the value.

        Raises:
            KeyError: there is no such column.
            ValueError: playhead reads no such format or game.
        """
        columns = CORPUS_INFO.column_names
        if not facts.keys() <= {*columns}:
            columns = (*columns, *vocabulary().facts)
        added = conditions(facts, columns)
        return Corpus(self._names, self._running, self._limits, self, added)

    def split(self, *, by: str = "replay", seed: int = 0, **parts: float) -> CorpusSplit[Corpus]:
        """Divide the replays at random, for training and testing: ``split(train=0.8, valid=0.1)``.

        The part of a replay follows from its bytes and the seed, so that replays may be added later.

        Args:
            by: column of `info`; replays with the same value are in the same part (``map``, ``start_time``).
            seed: another seed gives another division.
            parts: the share of each part; ``test`` has the rest.

        Raises:
            KeyError: `info` has no such column.
            ValueError: the shares are not between 0 and 1, or more than 1 together.
        """
        return CorpusSplit({name: self.filter(**{by: share}) for name, share in shares(parts, seed).items()})

    def __len__(self) -> int:
        """Return the number of replays; hashes every file."""
        return len(self.items)

    def __repr__(self) -> str:
        names = ", ".join(repr(os.fspath(name)) for name in self._names[:3])
        return f"<Corpus of {names}{', …' if len(self._names) > 3 else ''}>"

    # -- tables over all --------------------------------------------------------------------------------

    def info(self) -> pa.Table:
        """Return a row for each replay, sorted by `replay`: its facts, or why it could not be read
        (`CORPUS_INFO`)."""
        known = self._identified()
        return known.info if known.info is not None else self._info(known.items)

    def _info(self, items: Iterable[Item]) -> pa.Table:
        rows = []
        with self._read(items, make_request(["info"], limits=self._limits)) as outcomes:
            for outcome in outcomes:
                item, facts = outcome.item, dict(outcome.info) or {"problems": None}
                held = {"replay": item.id, "file": valid_text(item.file), "size": item.size}
                rows.append({**held, "copies": len(item.copies), "error": outcome.error, **facts})
        return CORPUS_INFO.build_rows(rows)

    def table(self, name: str, *, columns: str | Iterable[str] | None = None, **options: Any) -> pa.Table:
        """Return one table over all replays, or some of its columns, in the order of `info`; `replay` and `file`
        are always the first columns. `options` are those of the table, such as ``every="10s"``.

        A replay without the table adds no rows. Columns that a replay's format or version lacks are null. The
        rows must fit into memory; use `export` for larger tables.

        Raises:
            KeyError: no format, or none of these replays, has such a table or column.
            ValueError: the table of a replay has no such option, or an option has an invalid value.
        """
        self._check_table(name)
        chosen = None if columns is None else with_identity_columns(columns)
        only = None if chosen is None else frozenset(chosen)
        request = Request((name,), limits=self._limits, columns=only, options=options)
        with self._read(self.items, request) as outcomes:
            for outcome in outcomes if options else ():
                if outcome.reason == "internal":
                    raise ValueError(f"{outcome.item.file}: {outcome.error}")
            held = [each for shape in parts_of(outcomes, name).values() for each in shape]
            held.sort(key=lambda each: each[0].item.id)
            parts = [read_part(outcome, part) for outcome, part in held]
        if not parts:
            raise KeyError(f"none of the {len(self.items)} replays has a table {name!r}")
        table = pa.concat_tables(parts, promote_options="permissive").unify_dictionaries()
        for unknown in {*(chosen or ())} - {*table.column_names}:
            raise KeyError(unknown_name(unknown, self._columns_of(name), f"column of {name}"))
        return table if chosen is None else table.select(chosen)

    def _columns_of(self, name: str) -> set[str]:
        """Return the columns that a table has in any of the replays."""
        parts = self._parts_in_order(Request((name,), limits=self._limits, only_schema=True))
        return {column for part in parts for column in part.column_names}

    @staticmethod
    def _check_table(name: str) -> None:
        known = vocabulary()
        if known.is_whole and name not in known.tables:
            raise KeyError(unknown_name(name, sorted(known.tables), "table"))

    def series(self, *, every: float | str = "1s", fields: str | Iterable[str] | None = None) -> SeriesReader:
        """Return the players at fixed time steps, over replays of all formats, as input for models.

        There is one row per player and step, sorted by replay, player and time: `replay`, `file`, `seconds` of the
        recording, `player`, and the fields, all float64. A field has the value of the player's last row at or
        before the step; it is null before the first row, or if the format lacks the field. Rows start at the
        first step with a value for the player and end at the last.

        The result is an iterator of Arrow batches that DuckDB, Polars and pandas accept; ``read_all()`` makes a
        table, ``numpy()`` arrays of players × steps × fields. Replays are read lazily: memory is bounded
        by the largest replay. A replay that cannot be read adds no rows. One that claims to last for more steps
        than its rows pay for (`Limits.steps`), or exceeds another limit, adds none either; a warning names it.

        Args:
            every: the step: seconds, or text (``"1s"``, ``"500ms"``, ``"1min"``).
            fields: names of fields; by default all but `creep_area`, which takes longer.

        Raises:
            KeyError: no format has such a field; the message lists the valid names. While the result is read: none
                of the replays has one of the fields.
            ValueError: `every` is not a step of time, or `fields` is empty.
        """
        steps = make_steps(every, fields)
        return self._series(steps, None if fields is None else ", ".join(steps.fields))

    def _series(self, steps: Steps, chosen: str | None) -> SeriesReader:
        """Return the series; none of the replays having the fields is an error if `chosen` names them."""
        request = SeriesRequest(tables=("series",), limits=self._limits, steps=steps)
        files = {item.id: valid_text(item.file) for item in self.items}
        return SeriesReader(batches(steps, files, self._parts_in_order(request), chosen))

    def _parts_in_order(self, request: Request, items: Sequence[Item] | None = None) -> Iterator[pa.Table]:
        """Yield the part of each of `items` (all by default) of a request for one table, sorted by id; lazily."""
        waiting: dict[str, Outcome] = {}
        items = self.items if items is None else items
        with TemporaryFolder("corpus") as scratch:
            outcomes = read_items(items, request, self._running, Path(scratch))
            for item in items:
                while item.id not in waiting:
                    outcome = next(outcomes)
                    waiting[outcome.item.id] = outcome
                outcome = waiting.pop(item.id)
                if not outcome.is_good and outcome.reason in SHORT_OF:
                    warnings.warn(no_rows(item.file, outcome.error), stacklevel=2)
                for part in outcome.parts:
                    yield read_part(outcome, part)
                if outcome.spill is not None:
                    os.unlink(outcome.spill)

    def torch(self, *, every: float | str = "1s", fields: str | Iterable[str] | None = None) -> Any:
        """Return the series as a ``torch.utils.data.IterableDataset`` with an item for each replay; see
        `torch_series`. Replays without the fields are skipped. Workers of a ``DataLoader`` and processes of
        ``torch.distributed`` share the replays.

        Raises:
            ModuleNotFoundError: PyTorch is not installed.
            KeyError, ValueError: as of `series`.
        """
        read = partial(_series_of, limits=self._limits, steps=make_steps(every, fields))
        return torch_series([item.file for item in self.items if item.reason is None], read)

    def lazy(self, name: str) -> polars.LazyFrame:
        """Return one table over all replays as a lazy Polars frame, with `replay` and `file` as first columns.

        Replays are read at ``collect()``, one after another, with the columns that the query uses. A filter
        drops rows as they are read; one by `replay` or `file` alone skips the other replays, and ``head`` ends
        the reading. Text is never categorical.

        Raises:
            ModuleNotFoundError: Polars is not installed (extra ``polars``).
            KeyError: none of these replays has such a table.
        """
        self._check_table(name)
        rows = self.info().select(["replay", "format", "game", "error"]).to_pylist()
        one = {(row["format"], row["game"]): row["replay"] for row in rows if row["error"] is None}
        games = [each for each in self.items if each.id in one.values()]
        return lazy_table(name, self.items, games, self._limits, self._parts_in_order)

    def to_polars(self, name: str, **query: Any) -> polars.DataFrame:
        """Return one table over all as a Polars frame; as `table` and `Replay.to_polars`."""
        return to_polars(self.table(name, **query))

    def to_pandas(self, name: str, **query: Any) -> pandas.DataFrame:
        """Return one table over all as a pandas frame; as `table` and `Replay.to_pandas`."""
        return to_pandas(self.table(name, **query))

    def to_duckdb(
        self, names: Iterable[str] = ("info", "players"), connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Return a DuckDB connection with tables over all replays as views of their names.

        Each table is read from every replay at once. For queries over many tables use `export` and `open_lake`.

        Raises:
            ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
            KeyError: as `table` does.
        """
        from playhead.sql.connection import connect

        connection = connection or connect()
        for name in [names] if isinstance(names, str) else names:
            connection.register(name, self.table(name))
        return connection

    @cached_property
    def problems(self) -> pa.Table:
        """Return everything that could not be read (`CORPUS_PROBLEMS`); reads every replay to its end."""
        rows: list[dict[str, Any]] = []
        with self._read(self.items, Request(tables=(), limits=self._limits)) as outcomes:
            for outcome in outcomes:
                held = {"replay": outcome.item.id, "file": valid_text(outcome.item.file), "status": outcome.status}
                if not outcome.is_good:
                    rows.append({**held, "kind": outcome.reason, "what": outcome.error, "cost": "everything"})
                rows += [{**held, **problem.as_dict()} for problem in outcome.problems]
        return CORPUS_PROBLEMS.build_rows(
            [{name: row.get(name) for name in CORPUS_PROBLEMS.column_names} for row in rows]
        )

    def _read(self, items: Iterable[Item], request: Request) -> AbstractContextManager[list[Outcome]]:
        return outcomes_of(items, request, self._running)

    # -- exporting to a lake ----------------------------------------------------------------------------

    def export(
        self,
        lake: str | os.PathLike[str],
        *,
        tables: str | Iterable[str] | None = None,
        jobs: int | None = None,
        engine: str = "local",
        partition_by: str | Iterable[str] | None = None,
        retry: bool = False,
        max_failed: str | float | None = None,
        on_progress: OnProgress = lambda progress: None,
        shard_bytes: int = SHARD_BYTES,
        shard_inputs: int = SHARD_INPUTS,
        **engine_options: Any,
    ) -> Report:
        """Write the tables of all replays into a lake, or add the replays that it lacks.

        The export may be killed at any moment: finished work stays, the next run resumes, and the result is the
        same. Each run retries inputs that could not be read, and with `retry` also those that hung or crashed.

        Args:
            lake: folder or URL.
            tables: names; by default all except those that repeat others as JSON text. ``"all"`` includes these.
            jobs: number of processes; the value given to `scan` by default.
            engine: ``local``, or ``ray`` (extra ``ray``).
            partition_by: partition columns of a new lake: ``format`` (the default), ``game``, ``build``. An
                existing lake keeps its own.
            retry: also read inputs again that hung or crashed.
            max_failed: stop when more inputs fail than this number or percentage (``"5%"``).
            on_progress: called with the progress after each input: first while hashing, then while reading.
            shard_bytes: greatest number of input bytes written together.
            shard_inputs: greatest number of inputs written together.
            engine_options: for Ray: ``address``.

        Raises:
            TooManyFailures: see `max_failed`.
            ValueError: an argument is wrong, no format has such a table, or the lake has other partition columns.
            FileExistsError: the folder holds something else.
            OSError: the lake cannot be written.
            ModuleNotFoundError: the engine is not installed.
        """
        request = make_request(tables, DIVIDED if partition_by is None else partition_by, self._limits)
        _check_tables(request)
        store = open_store(lake)
        held, divided = partition_of(store, None if partition_by is None else request.partition_by)
        request = replace(request, partition_by=divided)
        progress = Progress()

        def count(file: InputFile) -> None:
            progress.files = len(self.files)
            progress.hashed += 1
            progress.bytes_hashed += file.size or 0
            on_progress(progress)

        running = self._running if jobs is None else Running(jobs, self._running.limits, self._running.decoder)
        run = engine_of(engine, engine_options)
        # All processes will have work: let them start while this one hashes.
        early = engine == "local" and held is None and len(self.files) > running.jobs
        with started(running) if early else nullcontext(running) as running:
            found = self._identified(known_hashes(store) if held is not None else None, count)
            rows = export_items(
                store,
                held,
                found.items,
                request,
                running,
                engine=run,
                retry=retry,
                max_failed=max_failed,
                on_progress=on_progress,
                progress=progress,
                shard_bytes=shard_bytes,
                shard_inputs=shard_inputs,
            )
        return Report(store.location, rows, progress, sum(len(item.copies) for item in found.items), found.skipped)


def _check_tables(request: Request) -> None:
    if request.tables is None:
        return  # the names would import every reader
    known = vocabulary()
    for name in request.tables:
        if known.is_whole and name not in known.tables and name != "all":
            raise ValueError(unknown_name(name, sorted(known.tables), "table"))


@dataclass(frozen=True, slots=True)
class _Identified:
    """The replays of a corpus, the number of skipped files, and table ``info`` if it was read to filter."""

    items: tuple[Item, ...]
    skipped: int
    info: pa.Table | None = None
