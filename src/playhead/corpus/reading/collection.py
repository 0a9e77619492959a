"""`Corpus`: many replays as one; opens the files that a user names and gives tables over all of them."""

from __future__ import annotations

import math
import os
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.corpus.facts import CORPUS_INFO, problem_rows, with_identity_columns
from playhead.corpus.reading.replays import LISTED, Replays, skipping
from playhead.corpus.series.arrays import Read, SeriesReader
from playhead.corpus.series.steps import Game, SeriesRequest, Steps, batches
from playhead.corpus.writing.decode import ALL, DEFAULT, Outcome, Request, make_request, read_part
from playhead.corpus.writing.export import (
    OnProgress,
    Progress,
    Report,
    export_items,
    known_hashes,
    rows_held,
)
from playhead.corpus.writing.identity import Item, Seen, identify, without_copies
from playhead.corpus.writing.pool import WorkerLimits
from playhead.corpus.writing.shards import (
    SHARD_BYTES,
    SHARD_INPUTS,
    SHARD_SECONDS,
    Running,
    read_items,
    run_shards,
    started,
)
from playhead.errors import ReplayError
from playhead.export.frames import Keep, lazy_polars
from playhead.io.inputs import InputFile, check_exists, expand_inputs
from playhead.io.packs import is_url
from playhead.io.scratch import TemporaryFolder
from playhead.io.spool import Spool
from playhead.io.store import open_store
from playhead.limits import Limits
from playhead.model import Problem
from playhead.registry import open_replay, vocabulary
from playhead.runtime.libraries import pa
from playhead.runtime.records import replace
from playhead.runtime.workers import cores
from playhead.sql.connection import LazyTable, add_table
from playhead.tables.arrow import plain_text, with_schema
from playhead.tables.combined import combined, combined_schema
from playhead.tables.shared import INFO
from playhead.tables.value_arrays import array_of
from playhead.text.html import page_html, rows_html, title_html
from playhead.text.json import valid_text
from playhead.text.names import unknown_name
from playhead.text.visible import visible

if TYPE_CHECKING:
    import duckdb
    import polars

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
    named itself, or has a replay's suffix, must be one: else it is a row with its error.

    Args:
        replays: a path, folder, pattern (``"*.dem"``), zip or tar pack, list (``"@files.txt"``), URL
            (``s3://…/``), or several of them.
        jobs: number of processes; one per core by default. 0 reads in this process, where nothing stops an input
            that hangs.
        limits: bounds on what a file may make the reader allocate.
        worker_limits: time and memory limits of one input; a process that exceeds them is killed.

    Raises:
        FileNotFoundError: the only input is a path that does not exist, or a pattern that no file matches.
    """
    if isinstance(replays, str | os.PathLike):
        check_exists(os.fspath(replays))
    names = [replays] if isinstance(replays, str | os.PathLike) else list(replays)
    running = Running(cores() if jobs is None else jobs, worker_limits or WorkerLimits())
    return Corpus(names, running, limits or Limits())


def _series_of(files: Iterable[str], limits: Limits, steps: Steps) -> SeriesReader:
    """Return the series of files, read in this process: a worker of a loader may not start others."""
    return scan(list(files), jobs=0, limits=limits)._series(steps, None)


def _why_empty(steps: Steps, file: str) -> str:
    """Return why the series of a file is empty, as the end of a sentence."""
    with suppress(ReplayError, OSError), open_replay(file) as replay:
        tables = [source.table for source, _ in steps.of(replay.format, replay.brief_info.game)]
        for reason in replay.why_empty(*tables).values():
            return f"; {file}: {reason}"
    return ""


class Corpus(Replays):
    """A set of replays; see `scan`. Equal bytes under two names are one replay.

    Worker processes read the replays, so a replay that hangs or crashes affects only itself.
    """

    def __init__(
        self, names: Iterable[str | os.PathLike[str]], running: Running, limits: Limits, spool: Spool | None = None
    ) -> None:
        """`spool` keeps local copies of URLs."""
        self._names = list(names)
        self._running = running
        self._limits = limits
        self._spool = spool
        #: The replays, and the number of skipped files.
        self._found: tuple[tuple[Item, ...], int] | None = None
        self._facts: pa.Table | None = None
        #: The problems of each file, as far as tables were read; `problems` reads everything.
        self.problems_so_far: dict[str, tuple[Problem, ...]] = {}
        #: The errors of inputs that could not be read, as far as tables were read.
        self.errors_so_far: dict[str, str] = {}

    # -- choosing replays -------------------------------------------------------------------------------

    @cached_property
    def _inputs(self) -> tuple[InputFile, ...]:
        """The named files, before any is read."""
        return tuple(expand_inputs(self._names, limits=self._limits))

    @property
    def items(self) -> tuple[Item, ...]:
        """The replays, each once, and named inputs that cannot be read. Hashes every file."""
        return self._identified()[0]

    def _identified(
        self, known: Mapping[Seen, str] | None = None, on_file: Callable[[InputFile], None] = lambda file: None
    ) -> tuple[tuple[Item, ...], int]:
        """Return the replays and the number of skipped files; hashes once.

        Args:
            known: hashes of earlier runs, by path, size and time of change.
            on_file: called with each file after it is hashed.
        """
        if self._found is None:
            if self._spool is None and any(is_url(file.path) for file in self._inputs):
                self._spool = Spool()
            found = []
            hashed = identify(
                self._inputs,
                jobs=self._running.jobs,
                known=known,
                spool=self._spool,
                limits=self._limits,
                worker_limits=self._running.limits,
            )
            for file, item in zip(self._inputs, hashed, strict=True):
                found.append(item)
                on_file(file)
            items = without_copies(each for each in found if each is not None)
            self._found = tuple(items), found.count(None)
        return self._found

    def _only(self, replays: Collection[str]) -> Corpus:
        found = Corpus(self._names, self._running, self._limits, self._spool)
        found._found = tuple(each for each in self.items if each.id in replays), self._identified()[1]
        if self._facts is not None:
            found._facts = self._facts.filter(array_of([each in replays for each in self.replays], pa.bool_()))
        return found

    @property
    def replays(self) -> tuple[str, ...]:
        return tuple(item.id for item in self.items)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(item.file for item in self.items)

    @property
    def copies(self) -> dict[str, tuple[str, ...]]:
        return {item.file: item.copies for item in self.items if item.copies}

    def __repr__(self) -> str:
        names = ", ".join(repr(os.fspath(name)) for name in self._names[:3])
        is_near = not any(is_url(os.fspath(name)) for name in self._names)  # a look asks no network
        count = f"{len(self)} replays, " if self._found else f"{len(self._inputs)} files, " if is_near else ""
        return f"<Corpus of {count}{names}{', …' if len(self._names) > 3 else ''}>"

    def _repr_html_(self) -> str:
        if self._facts is None:  # a look must not read every file
            names = [{"file": each.path, "bytes": each.size} for each in self._inputs]
            note = "<div class='ph-note'>info() opens each, and this lists what they are</div>"
            return page_html(title_html(f"{len(names):,} files", repr(self)), rows_html(names, LISTED), note)
        return super()._repr_html_()

    # -- tables over all --------------------------------------------------------------------------------

    def info(self) -> pa.Table:
        if self._facts is None:
            rows = []
            for outcome in self._outcomes(Request((INFO.name,), limits=self._limits)):
                item, facts = outcome.item, dict(outcome.info) or {"problems": None}
                held = {"replay": item.id, "file": valid_text(item.file), "size": item.size}
                rows.append(
                    {**held, "copies": len(item.copies), "status": outcome.status, "error": outcome.error, **facts}
                )
            self._facts = CORPUS_INFO.build_rows(rows)
        return self._facts

    @cached_property
    def problems(self) -> pa.Table:
        """Everything that could not be read (`CORPUS_PROBLEMS`); reads every replay to its end."""
        return problem_rows(
            (each.item.id, each.item.file, each.status, each.reason, each.error, each.problems)
            for each in self._outcomes(Request((), limits=self._limits))
        )

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, sorted; opens one replay of each game."""
        return tuple(sorted(self._schemas(ALL)))

    def _known_tables(self) -> Iterable[str]:
        known = vocabulary()
        return known.tables if known.is_whole else self.tables

    def _schemas(self, name: str) -> dict[str, list[tuple[str, pa.Schema]]]:
        """Return the columns of a table, or of `ALL`, in one replay of each game, by table and file."""
        rows = self.info().select(["replay", "format", "game", "error"]).to_pylist()
        one = {(row["format"], row["game"]): row["replay"] for row in rows if row["error"] is None}
        request = Request((name,), limits=self._limits, only_schema=True)
        found: dict[str, list[tuple[str, pa.Schema]]] = {}
        for table, file, part in self._parts(request, [each for each in self.items if each.id in one.values()]):
            found.setdefault(table, []).append((file, part.schema))
        return found

    def _schema(self, name: str) -> pa.Schema:
        """Return the columns of one table, with text instead of categories; errors as of `table`."""
        self._check_table(name)
        if not (found := self._schemas(name)):
            raise self._no_table(name)
        return plain_text(combined_schema(name, found[name]))

    def table(self, name: str, *, columns: str | Iterable[str] | None = None, **options: Any) -> pa.Table:
        self._check_table(name)
        chosen = None if columns is None else with_identity_columns(columns)
        only = None if chosen is None else frozenset(chosen)
        request = Request((name,), limits=self._limits, columns=only, options=options)
        if not (found := self._tables(request)):
            raise self._no_table(name)
        table = found[name]
        for unknown in {*(chosen or ())} - {*table.column_names}:
            known = {column for _, schema in self._schemas(name)[name] for column in schema.names}
            raise KeyError(unknown_name(unknown, known, f"column of {name}"))
        return table if chosen is None else table.select(chosen)

    def _tables(self, request: Request) -> dict[str, pa.Table]:
        """Return the requested tables that any of the replays has; reads each replay once."""
        parts: dict[str, list[tuple[str, pa.Table]]] = {}
        for outcome in self._read(request):
            if request.options and outcome.reason == "internal":
                raise ValueError(f"{outcome.item.file}: {outcome.error}")
            for part in outcome.parts:
                parts.setdefault(part.table, []).append((outcome.item.file, read_part(outcome, part)))
        return {name: combined(name, held).unify_dictionaries() for name, held in parts.items()}

    def _read_several(self, names: Sequence[str], options: Mapping[str, Any]) -> Mapping[str, pa.Table]:
        first, last = (names[:-1], names[-1:]) if options else (names, ())
        found = self._tables(Request(tuple(first), limits=self._limits))
        return found | (self._tables(Request(tuple(last), limits=self._limits, options=options)) if last else {})

    def _no_table(self, name: str) -> KeyError:
        return KeyError(f"no replay of {len(self)} has a table {name!r}")

    @staticmethod
    def _check_table(name: str, error: type[Exception] = KeyError) -> None:
        known = vocabulary()
        if known.is_whole and name not in known.tables:
            raise error(unknown_name(name, sorted(known.tables), "table"))

    def batches(self, name: str) -> pa.RecordBatchReader:
        schema = self._schema(name)
        tables = (with_schema(part, schema) for _, _, part in self._parts(Request((name,), limits=self._limits)))
        return pa.RecordBatchReader.from_batches(schema, (batch for each in tables for batch in each.to_batches()))

    def lazy(self, name: str) -> polars.LazyFrame:
        """As `Replays.lazy`: replays are read one after another, with the columns that the query uses. A filter
        drops rows as they are read; one by `replay` or `file` alone skips the other replays, and ``head`` ends
        the reading."""
        schema = self._schema(name)

        def read(columns: list[str] | None, keep: Keep | None) -> Iterator[pa.Table]:
            chosen = self.items
            if keep is not None:
                kept = set(keep(pa.table({"replay": self.replays, "file": self.files}))["replay"].to_pylist())
                chosen = tuple(each for each in chosen if each.id in kept)
            wanted = None if columns is None else frozenset(columns)
            fields = schema if columns is None else pa.schema([schema.field(each) for each in columns])
            for _, _, part in self._parts(Request((name,), limits=self._limits, columns=wanted), chosen):
                yield with_schema(part, fields)

        return lazy_polars(schema, read, ("replay", "file"))

    def _register(self, connection: duckdb.DuckDBPyConnection, names: Sequence[str] | None) -> None:
        if names is not None:
            request = Request(tuple(names), limits=self._limits)
            for name, table in self._tables(request).items() if names else ():
                add_table(connection, name, table)
            return
        for name, schemas in self._schemas(ALL).items():
            with skipping(name):
                schema = combined_schema(name, schemas)
                add_table(connection, name, LazyTable(schema, cache(partial(self.table, name))))

    def _series(self, steps: Steps, chosen: str | None) -> SeriesReader:
        request = SeriesRequest(tables=("series",), limits=self._limits, steps=steps)
        files = {item.id: valid_text(item.file) for item in self.items}
        games: set[Game] = set()

        def parts() -> Iterator[pa.Table]:
            for outcome in self._read(request):
                if outcome.is_good:
                    games.add((outcome.info["format"], outcome.info["game"]))
                yield from (read_part(outcome, part) for part in outcome.parts)

        return SeriesReader(batches(steps, files, parts(), chosen, games, partial(_why_empty, steps)), steps.every)

    def _reader(self, steps: Steps) -> tuple[Sequence[str], Read]:
        read = partial(_series_of, limits=self._limits, steps=steps)
        return [item.file for item in self.items if item.reason is None], read

    def _parts(self, request: Request, items: Sequence[Item] | None = None) -> Iterator[tuple[str, str, pa.Table]]:
        """Yield name, file and rows of each requested table of `items` (all by default), sorted by id; lazily."""
        for outcome in self._read(request, items):
            for part in outcome.parts:
                yield part.table, outcome.item.file, read_part(outcome, part)

    def _read(self, request: Request, items: Sequence[Item] | None = None) -> Iterator[Outcome]:
        """Yield as `_outcomes`; then warn of the inputs that could not be read."""
        failed: list[Outcome] = []
        for outcome in self._outcomes(request, items):
            if not outcome.is_good:
                failed.append(outcome)
            yield outcome
        if failed:
            count = f"{len(failed)} of {len(self.items if items is None else items)} inputs"
            file, error = failed[0].item.file, failed[0].error or ""
            first = error if file in error else f"{file}: {error}"
            reasons = Counter(each.reason for each in failed).most_common()
            why = ", ".join(f"{number} {reason}" for reason, number in reasons)
            text = f"{count} add no rows ({why}; `problems` lists all), the first {first}"
            warnings.warn(visible(text), stacklevel=2)

    def _outcomes(self, request: Request, items: Sequence[Item] | None = None) -> Iterator[Outcome]:
        """Yield the outcomes of `items` (all by default), sorted by id; the scratch file of each exists until the
        next."""
        waiting: dict[str, Outcome] = {}
        items = self.items if items is None else items
        with TemporaryFolder("corpus") as scratch:
            outcomes = read_items(items, request, self._running, Path(scratch))
            for item in items:
                while item.id not in waiting:
                    outcome = next(outcomes)
                    waiting[outcome.item.id] = outcome
                outcome = waiting.pop(item.id)
                if outcome.error is not None:
                    self.errors_so_far[item.file] = outcome.error
                if len(outcome.problems) > len(self.problems_so_far.get(item.file, ())):
                    self.problems_so_far[item.file] = outcome.problems
                yield outcome
                if outcome.spill is not None:
                    os.unlink(outcome.spill)

    # -- exporting to a lake ----------------------------------------------------------------------------

    def export(
        self,
        lake: str | os.PathLike[str],
        *,
        tables: str | Iterable[str] | None = None,
        jobs: int | None = None,
        retry: bool = False,
        max_failed: str | float | None = None,
        on_progress: OnProgress = lambda progress: None,
        shard_bytes: int = SHARD_BYTES,
        shard_inputs: int = SHARD_INPUTS,
        shard_seconds: float = SHARD_SECONDS,
    ) -> Report:
        """Write the tables of all replays into a lake, or add the replays that it lacks.

        A lake is a set of Delta tables, one for each table. A replay is there when its row of table ``info`` is,
        which is written last. The export may be killed at any moment, and others may write the same lake: finished
        work stays, the next run adds the rest, and no row is there twice. Each run retries inputs that could not
        be read, and with `retry` also those that hung or crashed.

        Args:
            lake: folder or URL.
            tables: names, beside ``info``; by default all except those that repeat others as JSON text. ``"all"``
                includes these.
            jobs: number of processes; the value given to `scan` by default.
            retry: also read inputs again that hung or crashed.
            max_failed: stop when more inputs fail than this number or percentage (``"5%"``).
            on_progress: called with the progress after each input: first while hashing, then while reading.
            shard_bytes: greatest number of input bytes written together.
            shard_inputs: greatest number of inputs written together.
            shard_seconds: time after which the inputs read so far are first written, and the shortest between
                two such writes; later, after a quarter of the time so far, and at least once a minute. Infinite
                to write whole shards only.

        Raises:
            TooManyFailures: see `max_failed`.
            ValueError: an argument is wrong, no format has such a table, or an earlier version wrote the lake.
            ColumnTypeError: a column has another type in the lake.
            FileExistsError: the folder holds something else.
            OSError: the lake cannot be written.
            ModuleNotFoundError: delta-rs is not installed (extra ``lake``).
        """
        request = make_request(tables, self._limits)
        for name in {*(request.tables or ())} - {ALL, DEFAULT}:  # without any, the names would import every reader
            self._check_table(name, ValueError)
        store = open_store(lake)
        rows = rows_held(store)
        held = {row["replay"]: row for row in rows}
        progress = Progress()

        def count(file: InputFile) -> None:
            progress.files = len(self._inputs)
            progress.hashed += 1
            progress.bytes_hashed += file.size or 0
            on_progress(progress)

        running = self._running if jobs is None else Running(jobs, self._running.limits, self._running.decoder)
        running = replace(running, seconds=shard_seconds)
        # All processes will have work: let them start while this one hashes.
        early = not held and len(self._inputs) > running.jobs
        with started(running) if early else nullcontext(running) as running:
            items, skipped = self._identified(known_hashes(rows), count)
            written = export_items(
                held,
                items,
                request,
                lambda shards, request, count: run_shards(shards, store, request, running, count),
                progress,
                on_progress=on_progress,
                retry=retry,
                max_failed=max_failed,
                most_bytes=shard_bytes,
                most_inputs=shard_inputs,
            )
        copies = sum(len(item.copies) for item in items)
        return Report(store.location, written, progress, copies, skipped)


def run_shard(
    inputs: Names,
    output: str | os.PathLike[str],
    *,
    tables: str | Iterable[str] | None = None,
    jobs: int = 1,
    limits: WorkerLimits | None = None,
) -> pa.Table:
    """Read replays and add their tables to a lake, as one commit; return their rows of `LAKE_INPUTS`.

    The function for engines: call it for lists of inputs anywhere, repeatedly, and at once. What the lake has is
    not read again; an input that hangs or crashes is a row that says so.

    Args:
        inputs: paths or URLs, also folders, patterns and packs.
        output: folder or URL of the lake.
        tables: names; all but copies by default, ``"all"`` for all.
        jobs: number of processes; 0 reads in this process, where nothing stops an input that hangs.
        limits: limits of one input.

    Raises:
        OSError: the lake cannot be written.
    """
    corpus = scan(inputs, jobs=jobs, worker_limits=limits)
    return corpus.export(output, tables=tables, shard_seconds=math.inf).rows
