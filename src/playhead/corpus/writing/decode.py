"""What to read of each replay, and the decoding of one to tables in a scratch file, which runs in a worker."""

from __future__ import annotations

import hashlib
import os
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.corpus.facts import recording_facts
from playhead.corpus.writing.identity import Item, reason_of, text_of
from playhead.corpus.writing.pool import DEATHS
from playhead.errors import ReplayError
from playhead.io.store import naming
from playhead.limits import Limits
from playhead.model import Options, Problem
from playhead.registry import open_replay
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass, field, replace
from playhead.tables.combined import with_identities, with_identity
from playhead.tables.schema import TableSchema
from playhead.tables.shared import INFO

if TYPE_CHECKING:
    from playhead.replay import Replay

#: Requests every table, including copies.
ALL = "all"

#: Requests all but copies, beside other names.
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Request:
    """The data to read of each replay.

    Attributes:
        tables: names; None for all except copies (`TableSchema.is_copy`), ``("all",)`` for all, empty for problems
            only. Tables that a replay lacks are skipped.
        limits: bounds on the memory that an input may make the reader allocate.
        columns: names of the columns to read, of those that a table has; None for all.
        only_schema: the tables have no rows.
        options: options of the tables, as for `Replay.table`.
    """

    tables: tuple[str, ...] | None = None
    limits: Limits = field(default_factory=Limits)
    columns: frozenset[str] | None = None
    only_schema: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def everything(self) -> bool:
        """Whether a replay is read to its end, which finds all its problems."""
        return not self.tables or ALL in self.tables or DEFAULT in self.tables

    @property
    def wanted(self) -> str:
        """The tables as text, as a lake has them; empty for the default."""
        return "" if self.tables is None else ",".join(self.tables)

    def choose(self, schemas: Mapping[str, TableSchema]) -> list[str]:
        """Return the names of the tables to build, given a replay's schemas."""
        asked = self.tables or (() if self.tables is not None else (DEFAULT,))
        return [
            name
            for name, schema in schemas.items()
            if ALL in asked or name in asked or (DEFAULT in asked and not schema.is_copy)
        ]

    def read(self, replay: Replay) -> Mapping[str, pa.Table]:
        """Return the tables of a replay; errors as in `Replay.read_tables`."""
        names = self.choose(replay.tables)
        schemas = {name: replay.tables[name] for name in names}
        if self.only_schema:
            return {name: schema.build_rows([]) for name, schema in schemas.items()}
        chosen = {
            name: None
            if self.columns is None
            else [each for each in schema.column_names if each in self.columns] or schema.column_names[:1]
            for name, schema in schemas.items()
        }
        if self.options:
            return {n: replay.table(n, columns=some, **self.options) for n, some in chosen.items()}
        return replay.read_tables(chosen)


def make_request(tables: str | Iterable[str] | None = None, limits: Limits | None = None) -> Request:
    """Return a request for a user's arguments; the order of tables does not matter. Table ``info`` is always
    among them: a lake has it in any case.

    Raises:
        ValueError: `tables` is empty.
    """
    names = [tables] if isinstance(tables, str) else tables
    chosen = None if names is None else tuple(sorted(set(names)))
    if chosen == ():
        raise ValueError("expected the name of a table, got none")
    if chosen is not None and ALL not in chosen:
        chosen = tuple(sorted({*chosen, INFO.name}))
    return Request(chosen, limits or Limits())


def _words(wanted: str) -> frozenset[str]:
    return frozenset(wanted.split(",") if wanted else (DEFAULT,))


def has_all(held: str, wanted: str) -> bool:
    """Return whether what was requested of a replay, as text, includes another request."""
    have = _words(held)
    return ALL in have or have >= _words(wanted)


def both(held: Iterable[str], wanted: str) -> str:
    """Return the request, as text, for what was requested earlier and what is wanted now."""
    words = _words(wanted).union(*map(_words, held))
    found = (ALL,) if ALL in words else tuple(sorted(words))
    return "" if found == (DEFAULT,) else ",".join(found)


#: The statuses of inputs that have tables.
GOOD = ("whole", "partial")

_SHOWN_PROBLEMS = 20
#: Tables of fewer rows are not compressed in the scratch file.
_SMALL = 1000
#: Bytes that are written at once: each table is many small writes.
_BUFFER = 1 << 18


@dataclass(frozen=True, slots=True)
class Part:
    """One table of one replay, in a scratch file.

    Attributes:
        shape: hash of its Arrow schema including `REPLAY` and `FILE`, which the scratch file lacks.
        offset: position in the scratch file; the table is an Arrow stream there.
        size: length in bytes.
        doc: what the table has a row for.
    """

    table: str
    shape: str
    rows: int
    offset: int
    size: int
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of reading one input.

    Attributes:
        item: the input.
        status: ``whole``, ``partial`` (read with problems), ``failed`` (nothing could be read) or ``quarantined``
            (its process died twice).
        reason: stable word for a failure; see `playhead.corpus.writing.identity.reason_of` and `pool.WorkerDeath`.
        error: the failure in words.
        problems: the problems met while reading.
        info: the facts of table ``info``.
        parts: its tables.
        spill: the scratch file that holds them.
        seconds: time it took.
    """

    item: Item
    status: str
    reason: str | None = None
    error: str | None = None
    problems: tuple[Problem, ...] = ()
    info: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    spill: str | None = None
    seconds: float = 0.0
    attempts: int = 1
    signal: str | None = None
    peak_memory: int | None = None
    log: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether there are tables."""
        return self.status in GOOD


@dataclass(frozen=True, slots=True)
class Order:
    """One input, the request, and the scratch file to write."""

    item: Item
    request: Request
    spill: str


def decode(order: Order, report: Callable[[int, int], None]) -> Outcome:
    """Read one input. An error of the input is part of the outcome; only an error of the scratch file raises.

    Raises:
        OSError: the scratch file cannot be written.
    """
    item = order.item
    if item.reason is not None:
        return Outcome(item, "quarantined" if item.gave_up else "failed", item.reason, item.error)
    began = time.monotonic()
    try:
        # The copy is on the machine that listed the inputs.
        copy = item.copy if item.copy is not None and os.path.exists(item.copy) else None
        options = Options(limits=order.request.limits, progress=report)
        with open_replay(item.file, options, copy=copy) as replay:
            if replay.content_hash != item.id:
                return Outcome(item, "failed", "changed", f"{item.file}: changed while it was read")
            tables = order.request.read(replay)
            problems = replay.problems if order.request.everything else replay.problems_so_far
            info = replay.info
            docs = {name: schema.doc for name, schema in replay.tables.items() if name in tables}
    except (ReplayError, OSError, ModuleNotFoundError, MemoryError) as error:
        return Outcome(item, "failed", reason_of(error), text_of(error), seconds=time.monotonic() - began)
    except Exception as error:  # a bug of ours must not stop the other inputs
        log = traceback.format_exc()[-4000:]
        text = f"{type(error).__name__}: {error}"
        return Outcome(item, "failed", "internal", text, seconds=time.monotonic() - began, log=log)
    with naming(order.spill):
        parts = _spill(tables, docs, Path(order.spill))
    return Outcome(
        item,
        "partial" if problems else "whole",
        problems=tuple(problems[:_SHOWN_PROBLEMS]),
        info={**recording_facts(info), "problems": len(problems)},
        parts=parts,
        spill=order.spill,
        seconds=time.monotonic() - began,
    )


def _spill(tables: Mapping[str, pa.Table], docs: Mapping[str, str], path: Path) -> tuple[Part, ...]:
    parts = []
    small = pa.ipc.IpcWriteOptions(use_threads=False)
    large = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with pa.output_stream(path, compression=None, buffer_size=_BUFFER) as file:
        for name, table in tables.items():
            offset = file.tell()
            options = small if table.num_rows < _SMALL else large
            with pa.ipc.new_stream(file, table.schema, options=options) as writer:
                writer.write_table(table)
            shape = _shape_of_table(name, table)
            size = file.tell() - offset
            parts.append(Part(name, shape, table.num_rows, offset, size, docs.get(name, "")))
    return tuple(parts)


#: Schema and shape of each table by name: nearly all replays of a format have the same.
_shapes: dict[str, tuple[pa.Schema, str]] = {}


def _shape_of_table(name: str, table: pa.Table) -> str:
    """Return `shape_of` the table with its identity columns."""
    held = _shapes.get(name)
    if held is None or not held[0].equals(table.schema, check_metadata=True):
        held = _shapes[name] = (table.schema, shape_of(with_identity(table.slice(0, 0), "", "").schema))
    return held[1]


def shape_of(schema: pa.Schema) -> str:
    """Return a hash of an Arrow schema; tables of equal shape can be concatenated."""
    return hashlib.sha256(schema.serialize()).hexdigest()[:12]


def read_part(outcome: Outcome, part: Part) -> pa.Table:
    """Read a table from its scratch file and add the identity columns."""
    return with_identity(_read_rows(outcome, part), outcome.item.id, outcome.item.file)


def _read_rows(outcome: Outcome, part: Part) -> pa.Table:
    assert outcome.spill is not None
    # A table is small: handing its buffers to threads takes as long as reading it.
    options = pa.ipc.IpcReadOptions(use_threads=False)
    with naming(outcome.spill), open(outcome.spill, "rb") as file:
        file.seek(part.offset)
        return pa.ipc.open_stream(file.read(part.size), options=options).read_all()


def read_parts(parts: Iterable[tuple[Outcome, Part]], least: int) -> Iterator[pa.Table]:
    """Yield the rows of parts of one shape as tables of at least so many rows, except the last, with the identity
    columns: made for many parts at once, as most have few rows."""
    waiting: list[pa.Table] = []
    origins: list[tuple[int, str | None, str]] = []
    rows = 0
    for outcome, part in parts:
        if part.rows:
            waiting.append(_read_rows(outcome, part))
            origins.append((part.rows, outcome.item.id, outcome.item.file))
            rows += part.rows
            if rows >= least:
                yield with_identities(joined(waiting), origins)
                origins, rows = [], 0
    if waiting:
        yield with_identities(joined(waiting), origins)


def joined(waiting: list[pa.Table]) -> pa.Table:
    """Return the rows of tables and empty the list, so that their memory is free once the result is copied."""
    table = pa.concat_tables(waiting)
    waiting.clear()
    return table


def given_up(item: Item, reason: str, **facts: Any) -> Outcome:
    """Return the outcome of an input whose process died twice."""
    return replace(Outcome(item, "quarantined", reason, f"{item.file}: {DEATHS.get(reason, reason)}"), **facts)
