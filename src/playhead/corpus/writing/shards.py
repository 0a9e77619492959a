"""Shards: inputs that are read, written and recorded together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

from playhead.corpus.delta import GAME, INFO, DataFile
from playhead.corpus.writing.commits import (
    GROUP_ROWS,
    Commits,
    Written,
    make_name,
    rows_of,
    with_facts,
    with_readings,
    write_file,
)
from playhead.corpus.writing.decode import Order, Outcome, Part, Request, decode, given_up, read_part, read_parts
from playhead.corpus.writing.identity import Item
from playhead.corpus.writing.pool import Call, Calls, Result, Task, WorkerLimits, open_pool
from playhead.io.scratch import TemporaryFolder
from playhead.io.store import FolderStore, Store, open_store
from playhead.runtime.libraries import pa
from playhead.runtime.records import asdict, dataclass, field, replace

SCRATCH = "_scratch"

#: Inputs that are read, written and committed together.
Shard = tuple[Item, ...]

#: Greatest number of bytes and of inputs of a shard; a shard has at least one input.
SHARD_BYTES = 64 << 20
SHARD_INPUTS = 256

#: Seconds after which the inputs that were read are first written as a shard of their own. Later they are written
#: after a part of the time so far, and at least once in so many seconds: a killed export loses no more.
SHARD_SECONDS = 4.0
_PART = 0.5
_MOST_SECONDS = 60.0
# Modules that a worker needs for its first call.
_WORKER_MODULES = ("playhead.corpus.writing.shards", "pyarrow.compute", "pyarrow.parquet")


def cut(
    items: Iterable[Item], *, most_bytes: int = SHARD_BYTES, most_inputs: int = SHARD_INPUTS
) -> Iterator[Shard]:
    """Cut inputs into shards, in the order of their ids. They have equal numbers of inputs where their bytes allow
    it: one process writes a shard, and a small last one would leave the others idle."""
    members: list[Item] = []
    size = 0
    ordered = sorted(items, key=lambda each: each.id)
    count = max(1, -(-len(ordered) // most_inputs))
    for item in ordered:
        if members and (size + item.size > most_bytes or len(members) >= -(-len(ordered) // count)):
            yield tuple(members)
            members, size = [], 0
        members.append(item)
        size += item.size
    if members:
        yield tuple(members)


@dataclass(frozen=True, slots=True)
class Running:
    """How to run shards; none of it changes the result.

    Attributes:
        jobs: number of processes; 0 reads in this process, without limits.
        limits: limits of one input.
        decoder: the function that reads one input in a worker.
        pool: processes that were started before; None starts and ends them.
        seconds: see `SHARD_SECONDS`; infinite to write whole shards only.
    """

    jobs: int = 1
    limits: WorkerLimits = field(default_factory=WorkerLimits)
    decoder: Call = decode
    pool: Calls | None = None
    seconds: float = SHARD_SECONDS


@contextmanager
def started(running: Running) -> Iterator[Running]:
    """Start the processes before the first call; they import the modules that it needs."""
    with open_pool(running.jobs, running.limits) as pool:
        pool.start(*_WORKER_MODULES)
        yield replace(running, pool=pool)


def run_shards(
    shards: Iterable[Shard],
    store: Store,
    request: Request,
    running: Running,
    on_outcome: Callable[[Outcome], None] = lambda outcome: None,
) -> Iterator[pa.Table]:
    """Read, write and commit shards; yield their rows of `LAKE_INPUTS` once these are in the lake.

    Args:
        on_outcome: called with the outcome of each input after it is read.

    Raises:
        OSError: a scratch file or the lake cannot be written.
        ColumnTypeError: a column has another type in the lake.
    """
    own = nullcontext(running.pool) if running.pool else open_pool(running.jobs, running.limits)
    with scratch_folder(store) as scratch, own as pool, Commits(store, scratch) as commits:
        open_shards: dict[int, _Open] = {}
        clock = _Clock(running.seconds)
        for result in pool.run(_tasks(shards, request, running, scratch, open_shards)):
            kind, number, place = result.task.key
            if kind == "write":
                commits.give(_written(result))
                yield from commits.done()
                for written in result.task.payload.outcomes:
                    if written.spill is not None:
                        Path(written.spill).unlink(missing_ok=True)
                continue
            outcome = _outcome(result)
            on_outcome(outcome)
            shard = open_shards[number]
            shard.outcomes[place] = outcome
            if shard.is_read:
                del open_shards[number]
                done = [shard]
            elif clock.is_due():
                done = [each for each in open_shards.values() if each.outcomes]
            else:
                continue
            outcomes = [each for some in done for each in some.take()]
            order = WriteOrder(make_name(), tuple(outcomes), request, store.location, str(scratch))
            pool.push(Task(("write", 0, 0), write_shard, order, watched=False))
        yield from commits.done(rest=True)


class _Clock:
    """Tells when to write the inputs that were read; see `SHARD_SECONDS`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = self._latest = time.monotonic()

    def is_due(self) -> bool:
        now = time.monotonic()
        step = max(self._seconds, min((now - self._began) * _PART, _MOST_SECONDS))
        if now - self._latest < step:
            return False
        self._latest = now
        return True


def read_items(items: Iterable[Item], request: Request, running: Running, scratch: Path) -> Iterator[Outcome]:
    """Read inputs to scratch files for this process to merge; yield outcomes as they come.

    Raises:
        OSError: a scratch file cannot be written.
    """
    tasks = (
        Task(place, running.decoder, Order(item, request, str(scratch / f"{place}.arrow")))
        for place, item in enumerate(items)
    )
    with open_pool(running.jobs, running.limits) as pool:
        for result in pool.run(tasks):
            yield _outcome(result)


@dataclass(slots=True)
class _Open:
    """A shard that is being read: what was read and is not written yet, and how many inputs are."""

    shard: Shard
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    written: int = 0

    @property
    def is_read(self) -> bool:
        """Whether all its inputs were read."""
        return self.written + len(self.outcomes) == len(self.shard)

    def take(self) -> list[Outcome]:
        """Return what was read, to be written."""
        found = list(self.outcomes.values())
        self.outcomes.clear()
        self.written += len(found)
        return found


@dataclass(frozen=True, slots=True)
class WriteOrder:
    """Inputs that were read, and the start of the names of their files and readings."""

    name: str
    outcomes: tuple[Outcome, ...]
    request: Request
    location: str
    scratch: str


def _tasks(
    shards: Iterable[Shard], request: Request, running: Running, scratch: Path, open_shards: dict[int, _Open]
) -> Iterator[Task]:
    for shard, number, place in in_order(tuple(shards), max(running.jobs, 1)):
        if place == 0:
            open_shards[number] = _Open(shard)
        spill = str(scratch / f"{number}-{place}.arrow")
        yield Task(("read", number, place), running.decoder, Order(shard[place], request, spill))


def in_order(shards: Sequence[Shard], jobs: int) -> Iterator[tuple[Shard, int, int]]:
    """Yield each input as its shard, the shard's number and its place: shard by shard, but the last `jobs` shards
    in turns, so that they are complete at the same time and all processes write one.
    """
    numbered = list(enumerate(shards))
    last = numbered[-jobs:]
    yield from ((shard, number, place) for number, shard in numbered[:-jobs] for place in range(len(shard)))
    places = range(max((len(shard) for _, shard in last), default=0))
    yield from ((shard, number, place) for place in places for number, shard in last if place < len(shard))


def _outcome(result: Result) -> Outcome:
    """Return the outcome of an input.

    Raises:
        OSError: its tables could not be written to the scratch folder.
    """
    item = result.task.payload.item
    attempts = result.task.attempt
    if result.death is not None:
        return given_up(item, attempts=attempts, **asdict(result.death))
    if isinstance(result.error, OSError):
        raise result.error
    if result.error is not None:
        reason = "memory" if isinstance(result.error, MemoryError) else "internal"
        text = f"{type(result.error).__name__}: {result.error}"
        return Outcome(item, "failed", reason, text, attempts=attempts, log=result.log)
    outcome: Outcome = result.value
    return replace(outcome, attempts=attempts, peak_memory=result.peak_memory)


def _written(result: Result) -> Written:
    if result.error is not None:
        raise result.error
    if result.death is not None:
        raise OSError(f"the process that wrote {result.task.payload.name} died twice ({result.death.reason})")
    written: Written = result.value
    return written


def write_shard(order: WriteOrder, report: Callable[[int, int], None]) -> Written:
    """Write the data files of inputs that were read; they count once they are committed."""
    store = open_store(order.location)
    scratch = Path(order.scratch)
    outcomes = sorted(order.outcomes, key=lambda each: each.item.id)
    readings = {each.item.id: f"{order.name}-{place:03x}" for place, each in enumerate(outcomes)}
    groups: dict[tuple[str, str | None, str], list[tuple[Outcome, Part]]] = {}
    for outcome in outcomes:
        for part in outcome.parts:
            groups.setdefault((part.table, outcome.info.get(GAME), part.shape), []).append((outcome, part))
    files: list[DataFile] = []
    schemas: dict[str, tuple[str, list[tuple[str, pa.Schema]]]] = {}
    facts: list[pa.Table] = []
    # Files are synced to disk, or uploaded, while the next ones are made; the commit waits for all.
    moved: list[Future[None]] = []
    with ThreadPoolExecutor(1) as mover:

        def move_in(name: str, path: Path) -> None:
            moved.append(mover.submit(store.move_in, name, path))

        for number, ((table, game, _), parts) in enumerate(groups.items()):
            schema = read_part(*parts[0]).schema
            schemas.setdefault(table, (parts[0][1].doc, []))[1].append((parts[0][0].item.file, schema))
            rows = read_parts(parts, GROUP_ROWS)
            if table == INFO:
                facts += rows
            elif any(part.rows for _, part in parts):
                found = map(partial(with_readings, reading_of=readings.__getitem__), rows)
                files.append(write_file(move_in, scratch, f"{order.name}-{number}", table, game, found))
        for each in moved:
            each.result()
    rows = rows_of(outcomes, order.request, readings)
    return Written(tuple(files), schemas, with_facts(rows, facts))


# -- scratch ------------------------------------------------------------------------------------------------------


@contextmanager
def scratch_folder(store: Store) -> Iterator[Path]:
    """A folder for intermediate files, removed at the end. It is in the lake if that is a folder, so that files
    are moved and not copied."""
    own = None
    if isinstance(store, FolderStore):
        own = Path(store.path(SCRATCH))
        own.mkdir(parents=True, exist_ok=True)
        if own.is_symlink():
            raise OSError(f"{own}: is a link; files of unfinished work go into the lake's own folder")
    try:
        with TemporaryFolder("lake", str(own) if own else None) as folder:
            yield Path(folder)
    finally:
        if own:
            with suppress(OSError):  # another process may use it, or remove it too
                own.rmdir()
