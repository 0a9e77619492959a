"""Shards: inputs that are read, written and recorded together."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from playhead.corpus.decode import Order, Outcome, decode, given_up, read_part
from playhead.corpus.identity import Item
from playhead.corpus.manifest import DataFile, Manifest, rows_of, shard_names
from playhead.corpus.pool import Call, Calls, Result, Task, WorkerLimits, open_pool
from playhead.corpus.request import Request
from playhead.corpus.write import groups_of, write_group, write_schema
from playhead.io.scratch import TemporaryFolder
from playhead.io.store import FolderStore, Store, open_store
from playhead.runtime.records import asdict, dataclass, field, replace

SCRATCH = "_scratch"

#: Seconds after which the inputs that were read are first written as a shard of their own. Later they are written
#: after a part of the time so far, and at least once in so many seconds: a killed export loses no more.
SHARD_SECONDS = 2.0
_PART = 0.25
_MOST_SECONDS = 60.0
# Modules that a worker needs for its first call.
_WORKER_MODULES = ("playhead.corpus.shards", "pyarrow.compute", "pyarrow.parquet")


@dataclass(frozen=True, slots=True)
class Shard:
    """Inputs that make one set of files.

    Attributes:
        name: hash of its inputs and the request: equal shards have equal names and files.
    """

    name: str
    items: tuple[Item, ...]

    @property
    def size(self) -> int:
        """Bytes of all inputs as stored."""
        return sum(item.size for item in self.items)


def make_shard(items: Iterable[Item], request: Request, gone: Collection[str] = ()) -> Shard:
    """Return a shard of inputs in any order. Its name is none of `gone`, of replaced manifests."""
    members = tuple(sorted(items, key=lambda each: each.id))
    names = shard_names(request.key, (each.id for each in members))
    return Shard(next(name for name in names if name not in gone), members)


@dataclass(frozen=True, slots=True)
class Running:
    """How to run shards; none of it changes the result.

    Attributes:
        jobs: number of processes; 0 reads in this process, without limits.
        limits: limits of one input.
        decoder: the function that reads one input in a worker.
        scratch: folder for intermediate files; by default in the lake, or the system's temporary folder.
        pool: processes that were started before; None starts and ends them.
        seconds: see `SHARD_SECONDS`; infinite to write whole shards only.
        gone: names that no shard may have: of manifests that were replaced.
    """

    jobs: int = 1
    limits: WorkerLimits = field(default_factory=WorkerLimits)
    decoder: Call = decode
    scratch: str | None = None
    pool: Calls | None = None
    seconds: float = SHARD_SECONDS
    gone: frozenset[str] = frozenset()


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
) -> Iterator[Manifest]:
    """Read and write shards; yield the manifest of each once it is in the lake.

    Args:
        on_outcome: called with the outcome of each input after it is read.

    Raises:
        OSError: a scratch file or the lake cannot be written.
    """
    own = nullcontext(running.pool) if running.pool else open_pool(running.jobs, running.limits)
    with scratch_folder(store, running.scratch) as scratch, own as pool:
        open_shards: dict[str, _Open] = {}
        clock = _Clock(running.seconds)
        for result in pool.run(_tasks(shards, request, running, scratch, open_shards)):
            kind, name, place = result.task.key
            if kind == "write":
                yield _written(result)
                for written in result.task.payload.outcomes:
                    if written.spill is not None:
                        Path(written.spill).unlink(missing_ok=True)
                continue
            outcome = _outcome(result)
            on_outcome(outcome)
            shard = open_shards[name]
            shard.outcomes[place] = outcome
            if shard.is_read:
                del open_shards[name]
                done = [shard]
            elif clock.is_due():
                done = [each for each in open_shards.values() if each.outcomes]
            else:
                continue
            order = _write_order(done, store, request, scratch, running.gone)
            pool.push(Task(("write", order.name, 0), write_shard, order, watched=False))


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


def _write_order(
    done: Sequence[_Open], store: Store, request: Request, scratch: Path, gone: Collection[str]
) -> WriteOrder:
    """Return the order to write what was read of some shards, and take it from them."""
    whole = done[0] if len(done) == 1 and done[0].is_whole else None
    outcomes = [each for some in done for each in some.take()]
    outcomes.sort(key=lambda each: each.item.id)
    name = whole.shard.name if whole else make_shard((each.item for each in outcomes), request, gone).name
    return WriteOrder(name, tuple(outcomes), request, store.location, str(scratch))


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
        return self.written + len(self.outcomes) == len(self.shard.items)

    @property
    def is_whole(self) -> bool:
        """Whether all its inputs wait to be written."""
        return len(self.outcomes) == len(self.shard.items)

    def take(self) -> list[Outcome]:
        """Return what was read, to be written."""
        found = list(self.outcomes.values())
        self.outcomes.clear()
        self.written += len(found)
        return found


@dataclass(frozen=True, slots=True)
class WriteOrder:
    """Inputs that were read, and the shard to write them as."""

    name: str
    outcomes: tuple[Outcome, ...]
    request: Request
    location: str
    scratch: str


def _tasks(
    shards: Iterable[Shard], request: Request, running: Running, scratch: Path, open_shards: dict[str, _Open]
) -> Iterator[Task]:
    for shard, place in in_order(tuple(shards), max(running.jobs, 1)):
        if shard.name not in open_shards:
            open_shards[shard.name] = _Open(shard)
            (scratch / shard.name).mkdir()
        spill = str(scratch / shard.name / f"{place}.arrow")
        yield Task(("read", shard.name, place), running.decoder, Order(shard.items[place], request, spill))


def in_order(shards: Sequence[Shard], jobs: int) -> Iterator[tuple[Shard, int]]:
    """Yield each input as its shard and place: shard by shard, but the last `jobs` shards in turns, so that they
    are complete at the same time and all processes write one.
    """
    last = shards[-jobs:]
    yield from ((shard, place) for shard in shards[:-jobs] for place in range(len(shard.items)))
    places = range(max((len(shard.items) for shard in last), default=0))
    yield from ((shard, place) for place in places for shard in last if place < len(shard.items))


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


def _written(result: Result) -> Manifest:
    if result.error is not None:
        raise result.error
    if result.death is not None:
        raise OSError(f"the process that wrote {result.task.key[1]} died twice ({result.death.reason})")
    manifest: Manifest = result.value
    return manifest


def write_shard(order: WriteOrder, report: Callable[[int, int], None]) -> Manifest:
    """Write a shard whose inputs were read: data files, schemas, and then the manifest."""
    store = open_store(order.location)
    scratch = Path(order.scratch)
    files: list[DataFile] = []
    empty: set[tuple[str, str]] = set()
    shapes: set[str] = set()
    # Files are synced to disk, or uploaded, while the next ones are made; the manifest waits for all.
    moved: list[Future[None]] = []
    with ThreadPoolExecutor(1) as mover:

        def move_in(name: str, path: Path) -> None:
            moved.append(mover.submit(store.move_in, name, path))

        for group, parts in groups_of(order.outcomes, order.request).items():
            table, shape, _ = group
            if shape not in shapes:
                write_schema(store, shape, read_part(*parts[0]).schema)
                shapes.add(shape)
            if any(part.rows for _, part in parts):
                files.append(write_group(move_in, scratch, order.name, group, parts))
            else:
                empty.add((table, shape))
        for each in moved:
            each.result()
    manifest = Manifest(order.name, tuple(files), rows_of(order.outcomes, order.request), tuple(sorted(empty)))
    manifest.write(store)
    return manifest


# -- scratch ------------------------------------------------------------------------------------------------------


@contextmanager
def scratch_folder(store: Store, wanted: str | None) -> Iterator[Path]:
    """A folder for intermediate files, removed at the end. It is in the lake if that is a folder, so that files
    are moved and not copied."""
    own = None
    if wanted is None and isinstance(store, FolderStore):
        own = Path(store.path(SCRATCH))
        own.mkdir(parents=True, exist_ok=True)
        if own.is_symlink():
            raise OSError(f"{own}: is a link; files of unfinished work go into the lake's own folder")
    try:
        with TemporaryFolder("lake", str(own) if own else wanted) as folder:
            yield Path(folder)
    finally:
        if own:
            with suppress(OSError):  # another process may use it, or remove it too
                own.rmdir()
