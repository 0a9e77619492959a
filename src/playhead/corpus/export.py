"""Export a corpus into a lake: plan the work, run it on one machine or many, report the result."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, Literal

from playhead.corpus.decode import Outcome
from playhead.corpus.identity import Item, states_before
from playhead.corpus.lake import Lake, open_lake
from playhead.corpus.lists import listing
from playhead.corpus.manifest import LOST, Manifest, names_in, under_each_other
from playhead.corpus.plan import make_plan
from playhead.corpus.request import ALL, DIVIDED, Request
from playhead.corpus.shards import Running, Shard, run_shards
from playhead.io.store import Store, open_store
from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import dataclass, field, replace
from playhead.tables.value_arrays import array_of
from playhead.version import __version__


class TooManyFailures(Exception):
    """More inputs failed than were allowed; the lake keeps the finished shards."""


@dataclass(slots=True)
class Progress:
    """Progress of an export.

    Attributes:
        files: number of files to hash; 0 if they were hashed before.
        hashed: number of files hashed, or known from an earlier run.
        bytes_hashed: their size.
        total: number of inputs to read, known after hashing.
        size: their size in bytes.
        held: number of inputs already present in the lake.
        done: number of inputs read.
        bytes_done: their size.
        statuses: number of inputs by `Outcome.status`.
        problems: number of problems in them.
        latest: the input read last.
    """

    files: int = 0
    hashed: int = 0
    bytes_hashed: int = 0
    phase: Literal["hash", "read"] = "hash"
    total: int = 0
    size: int = 0
    held: int = 0
    done: int = 0
    bytes_done: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    problems: int = 0
    latest: Outcome | None = None
    began: float = field(default_factory=time.monotonic)
    reading_since: float | None = None

    def add(self, outcome: Outcome) -> None:
        """Count an input that was read."""
        self.done += 1
        self.bytes_done += outcome.item.size
        self.statuses[outcome.status] += 1
        self.problems += int(outcome.info.get("problems", 0))
        self.latest = outcome

    @property
    def failed(self) -> int:
        """Number of inputs without tables."""
        return self.statuses["failed"] + self.statuses["quarantined"]

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.began

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dict, including reading rate and remaining seconds."""
        seconds = time.monotonic() - self.reading_since if self.reading_since is not None else 0.0
        left = seconds * (self.size - self.bytes_done) / self.bytes_done if self.bytes_done else None
        return {
            **{name: getattr(self, name) for name in _COUNTS},
            "bytes": self.size,
            **{name: self.statuses[name] for name in ("whole", "partial", "failed", "quarantined")},
            "seconds": round(self.seconds, 3),
            "replays_per_second": round(self.done / seconds, 3) if seconds else None,
            "seconds_left": None if left is None else round(left, 1),
        }


_COUNTS = tuple("phase files hashed bytes_hashed total held done bytes_done problems".split())

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """Result of an export.

    Attributes:
        location: path or URL of the lake.
        rows: manifest rows of the inputs read by this export.
        progress: the final progress.
        copies: number of duplicate inputs.
        skipped: number of files that are no replays.
    """

    location: str
    rows: pa.Table
    progress: Progress
    copies: int
    skipped: int

    def __repr__(self) -> str:
        progress = self.progress
        text = f"{progress.done} read, {progress.failed} failed, {progress.held} already present"
        return f"<Report of {self.location!r}: {text}; {self.copies} duplicates, {self.skipped} files skipped>"

    @property
    def failed(self) -> pa.Table:
        """The rows of the inputs that failed."""
        bad = array_of(["failed", "quarantined"], pa.string())
        return self.rows.filter(pc.is_in(self.rows["status"], bad))


def failures_allowed(text: str | float | None, total: int) -> float:
    """Return the number of inputs that may fail, of `total`; `text` is ``"5%"``, a number, or None for any.

    Raises:
        ValueError: `text` is something else.
    """
    if text is None:
        return float("inf")
    number, percent, rest = str(text).partition("%")
    try:
        found = float(number) * (total / 100 if percent else 1)
        if found >= 0 and not rest and not (percent and float(number) > 100):
            return found
    except ValueError:
        pass
    raise ValueError(f"expected a number of inputs or a percentage such as 5%, got {text!r}")


def missing(lake: Lake | None, items: Iterable[Item], request: Request, *, retry: bool) -> list[Item]:
    """Return the inputs that the lake lacks: new ones, failed ones, and those read by another version of playhead
    or for other tables. Inputs that hung or crashed are included only with `retry`.
    """
    held: dict[str, list[Mapping[str, Any]]] = {}
    if lake is not None:
        for manifest in lake.manifests:
            for row in manifest.rows.select(_KEPT).to_pylist():
                held.setdefault(row["replay"], []).append(row)
    return [item for item in items if not any(_satisfies(row, request, retry) for row in held.get(item.id, ()))]


def _grown(lake: Lake | None, item: Item) -> Item:
    """Return the item with the earlier states of its file that the lake has."""
    states = () if lake is None or item.reason is not None else lake.states.get(item.file, ())
    return replace(item, grew_from=states_before(item, states)) if states else item


_KEPT = ["replay", "status", "reason", "playhead", "wanted", "rows"]


def _satisfies(row: Mapping[str, Any], request: Request, retry: bool) -> bool:
    if row["playhead"] != __version__:
        return False
    if row["status"] == "quarantined":
        return not retry
    if row["status"] == "failed" or row["reason"] == LOST:
        return False
    if row["wanted"] == request.wanted:
        return True
    if request.tables is None or ALL in request.tables:
        return bool(row["wanted"] == ALL)
    given: set[str] = set(row["wanted"].split(",")) | set(json.loads(row["rows"]))
    return ALL in given or given.issuperset(request.tables)


def partition_of(store: Store, wanted: tuple[str, ...] | None) -> tuple[Lake | None, tuple[str, ...]]:
    """Return the lake in a store, and the partition columns of an export: those requested, or those of the lake.

    Raises:
        ValueError: the lake has other partition columns. Its views would lack a column for some replays.
        FileExistsError: the store holds other files.
    """
    lake = _lake_in(store)
    held = () if lake is None else lake.divisions
    if wanted is None and len(held) <= 1:
        return lake, held[0] if held else DIVIDED
    if wanted is not None and (not held or wanted in held):
        return lake, wanted
    ways = " and ".join("by " + ",".join(each) if each else "by nothing" for each in held)
    raise ValueError(f"the lake is partitioned {ways}: request that, or export to another lake")


def _lake_in(store: Store) -> Lake | None:
    """Return the lake in a store; None if the store is empty."""
    try:
        return open_lake(store.location)
    except FileNotFoundError:
        for each in store.files():
            if not each.name.startswith(("_", ".")) and not each.name.endswith(".part"):
                raise FileExistsError(
                    f"{store.location} holds {each.name} and is not a lake: choose another folder"
                ) from None
        return None


def export_items(
    store: Store,
    lake: Lake | None,
    items: Collection[Item],
    request: Request,
    run: Callable[[list[Shard], Callable[[Outcome], None]], Iterator[Manifest]],
    progress: Progress,
    *,
    on_progress: OnProgress,
    retry: bool,
    max_failed: str | float | None,
    **sizes: int,
) -> pa.Table:
    """Add missing inputs to a lake; return their manifest rows.

    Args:
        run: runs shards: yields each manifest once it is in the lake, and reports the outcome of each input.
        progress: is updated.
        sizes: of shards, as of `make_plan`.

    Raises:
        TooManyFailures: more inputs failed than `max_failed` allows.
        ValueError: `max_failed` is neither a number nor a percentage.
        OSError: the lake cannot be written.
    """
    todo = [_grown(lake, item) for item in missing(lake, items, request, retry=retry)]
    allowed = failures_allowed(max_failed, len(todo))
    again = {item.id for item in todo}
    held = () if lake is None else lake.all_manifests
    # Read failed inputs again although a manifest lists them.
    stale = {each.name for each in held if not again.isdisjoint(each.rows["replay"].to_pylist())}
    gone = frozenset() if lake is None else lake.gone
    shards = make_plan(store, todo, request, set(names_in(store)) - stale, gone, **sizes)
    progress.total, progress.size = len(todo), sum(item.size for item in todo)
    progress.held = len(items) - len(todo)
    progress.phase, progress.reading_since = "read", time.monotonic()
    on_progress(progress)

    def count(outcome: Outcome) -> None:
        progress.add(outcome)
        on_progress(progress)
        if progress.failed > allowed:
            raise TooManyFailures(
                f"{progress.failed} of {progress.done} inputs read so far failed, with {max_failed} of "
                f"{progress.total} allowed; the last: {outcome.error}"
            )

    return under_each_other([each.rows for each in listing(store, run(shards, count), gone)])


def engine_of(name: str, options: dict[str, Any]) -> Callable[..., Iterator[Any]]:
    """Return the function that runs shards on an engine.

    Raises:
        ValueError: there is no such engine, or it has no such option.
    """
    if name == "local":
        if options:
            raise ValueError(f"engine local has no option {min(options)!r}")
        return run_shards
    if name == "ray":
        wrong = options.keys() - {"address"}
        if wrong:
            raise ValueError(f"engine ray has no option {min(wrong)!r}; it has address")
        return partial(run_on_ray, **options)
    raise ValueError(f"unknown engine {name!r}; known are local and ray")


# -- shards as Ray core tasks --------------------------------------------------------------------------

# Ray's own retries are off: they would repeat an input that exhausts memory without end. If a node leaves, its
# tasks are rescheduled here; running a shard twice writes the same files. Each task has processes of its own.

#: Greatest number of attempts at a shard.
_ATTEMPTS = 5

#: Shards submitted per processor of the cluster; more than one, so that none is idle.
_AHEAD = 2


def run_on_ray(
    shards: list[Shard],
    store: Store,
    request: Request,
    running: Running,
    on_outcome: Callable[[Outcome], None] = lambda outcome: None,
    *,
    address: str | None = None,
) -> Iterator[Manifest]:
    """Read and write shards on a cluster, one processor each; arguments and errors as in `run_shards`.

    New nodes are used; if a node leaves, its shards are rescheduled. The lake must be a URL, or a folder on all
    nodes.

    Args:
        address: address of the cluster; by default the connected one, or a new one on this machine.

    Raises:
        ModuleNotFoundError: Ray is not installed (extra ``ray``).
    """
    ray = import_extra("ray", "ray", "engine ray")
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, include_dashboard=False)
    # Spread: prefer an idle node to one that has the arguments.
    remote = ray.remote(max_retries=0, num_cpus=1, scheduling_strategy="SPREAD")(_run)
    here = replace(running, jobs=1, seconds=math.inf, gone=frozenset())
    waiting = iter(shards)
    given: dict[Any, tuple[Shard, int]] = {}

    def give(shard: Shard, attempt: int) -> None:
        given[remote.remote(shard, store.location, request, here)] = (shard, attempt)

    try:
        while True:
            ahead = max(_AHEAD, _AHEAD * int(ray.cluster_resources().get("CPU", 1)))
            for shard in islice(waiting, max(ahead - len(given), 0)):
                give(shard, 1)
            if not given:
                return
            done, _ = ray.wait(list(given), num_returns=1, timeout=10)
            for reference in done:
                shard, attempt = given.pop(reference)
                try:
                    manifest, outcomes = ray.get(reference)
                except (
                    ray.exceptions.RayTaskError
                ) as error:  # the task raised: the lake cannot be written, or a bug
                    raise error.cause if isinstance(error.cause, OSError) else error from None
                except ray.exceptions.RayError as error:  # its process or node is gone
                    if attempt >= _ATTEMPTS:
                        raise OSError(f"{shard.name} was lost {attempt} times: {error}") from error
                    give(shard, attempt + 1)
                    continue
                for outcome in outcomes:
                    on_outcome(outcome)
                yield manifest
    finally:
        for reference in given:
            ray.cancel(reference, force=True)


def _run(shard: Shard, location: str, request: Request, running: Running) -> tuple[Manifest, list[Outcome]]:
    """Run one shard on a node of the cluster."""
    outcomes: list[Outcome] = []
    (manifest,) = run_shards([shard], open_store(location), request, running, outcomes.append)
    return manifest, [replace(each, parts=(), spill=None) for each in outcomes]
