"""Export a corpus into a lake: find what it lacks, read and write that, report the result."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Literal

from playhead.corpus.delta import open_info
from playhead.corpus.facts import LAKE_INPUTS
from playhead.corpus.writing.commits import LOST
from playhead.corpus.writing.decode import ALL, Outcome, Request, both, has_all
from playhead.corpus.writing.identity import Item, Seen, is_of_path, make_seen, states_before
from playhead.corpus.writing.shards import Shard, cut
from playhead.io.store import Store
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import dataclass, field, replace
from playhead.tables.arrow import to_rows
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
        rows: rows of `LAKE_INPUTS` of the inputs read by this export.
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


def missing(held: Mapping[str, Row], items: Iterable[Item], request: Request, *, retry: bool) -> list[Item]:
    """Return the inputs that a lake lacks: new ones, failed ones, and those read by another version of playhead
    or for other tables. Inputs that hung or crashed are included only with `retry`.

    Args:
        held: the rows of the lake by replay, with the columns of `KEPT`.
    """
    return [item for item in items if item.id not in held or not _satisfies(held[item.id], request, retry)]


#: The columns of `LAKE_INPUTS` that decide what is read again.
KEPT = ["replay", "file", "size", "changed", "status", "reason", "playhead", "wanted", "rows"]

Row = Mapping[str, Any]

_DATA = re.compile(r"\.?[0-9a-f]{21}-\d+\.parquet.*")


def known_hashes(held: Iterable[Row]) -> dict[Seen, str]:
    """Return the ids of rows by facts of the file, so that unchanged files are not hashed again."""
    rows = (row for row in held if row["changed"] and not is_of_path(row["replay"]))
    return {make_seen(row["file"], row["size"], row["changed"]): row["replay"] for row in rows}


def _grown(states: Mapping[str, list[tuple[str, int]]], item: Item) -> Item:
    """Return the item with the earlier states of its file that the lake has."""
    known = states.get(item.file, ()) if item.reason is None else ()
    return replace(item, grew_from=states_before(item, known)) if known else item


def _satisfies(row: Row, request: Request, retry: bool) -> bool:
    if row["playhead"] != __version__:
        return False
    if row["status"] == "quarantined":
        return not retry
    if row["status"] == "failed" or row["reason"] == LOST:
        return False
    return has_all(row["wanted"], request.wanted) or {*(request.tables or (ALL,))} <= {*json.loads(row["rows"])}


def rows_held(store: Store) -> list[Row]:
    """Return the rows that a lake has, with the columns of `KEPT`.

    Raises:
        ValueError: it is a lake of another version.
        FileExistsError: the store holds other files.
    """
    table = open_info(store)
    if table is not None:
        return [row for file in table.files for row in to_rows(table.read(file, KEPT))]
    for each in store.files():  # a first export may have begun
        folder, _, name = each.name.partition("/")
        if not folder.startswith(("_", ".")) and not name.startswith("_delta_log/") and not _DATA.fullmatch(name):
            raise FileExistsError(f"{store.location} holds {each.name} and is not a lake: choose another folder")
    return []


def export_items(
    held: Mapping[str, Row],
    items: Collection[Item],
    request: Request,
    run: Callable[[list[Shard], Request, Callable[[Outcome], None]], Iterator[pa.Table]],
    progress: Progress,
    *,
    on_progress: OnProgress,
    retry: bool,
    max_failed: str | float | None,
    **sizes: int,
) -> pa.Table:
    """Add missing inputs to a lake; return their rows of `LAKE_INPUTS`.

    A replay that is read again keeps the tables that it has: they are requested too.

    Args:
        held: the rows of the lake by replay, with the columns of `KEPT`.
        run: runs shards: yields the rows of inputs once they are in the lake, and reports the outcome of each.
        progress: is updated.
        sizes: of shards, as of `cut`.

    Raises:
        TooManyFailures: more inputs failed than `max_failed` allows.
        ValueError: `max_failed` is neither a number nor a percentage.
        OSError: the lake cannot be written.
    """
    states: dict[str, list[tuple[str, int]]] = {}
    for row in held.values():
        states.setdefault(row["file"], []).append((row["replay"], row["size"]))
    todo = [_grown(states, item) for item in missing(held, items, request, retry=retry)]
    allowed = failures_allowed(max_failed, len(todo))
    wanted = both([held[item.id]["wanted"] for item in todo if item.id in held], request.wanted)
    request = replace(request, tables=tuple(wanted.split(",")) if wanted else None)
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

    shards = list(cut(todo, **sizes))
    return pa.concat_tables([LAKE_INPUTS.build_rows(()), *run(shards, request, count)])
