"""Identify replays by the hash of their bytes: copies of one recording under several names are one replay."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from playhead.corpus.writing.pool import DEATHS, Result, Task, WorkerLimits, open_pool
from playhead.errors import LimitExceeded, ReplayError, UnknownFormat
from playhead.io.compression import LONGEST_MAGIC, compression_of
from playhead.io.fragments import may_be_relay
from playhead.io.inputs import InputFile, natural_key
from playhead.io.ordinary import open_ordinary
from playhead.io.packs import is_url, split_member
from playhead.io.source import Source, open_stream
from playhead.io.spool import Spool
from playhead.limits import Limits
from playhead.model import Options, Progress
from playhead.registry import detect, has_replay_name, open_replay
from playhead.runtime.records import dataclass, replace

#: Number of files hashed together.
_AHEAD = 128

#: Larger files are hashed in a worker, and so are all that are not ordinary uncompressed files: what they cost is
#: known only afterwards.
_PLAIN = 1 << 30

#: Prefix of the id of an input that cannot be read, before the hash of its path.
_OF_PATH = "path-"


class Seen(NamedTuple):
    """Facts of a file when it was hashed; a file with equal facts is not hashed again."""

    path: str
    size: int
    changed: int


@dataclass(frozen=True, slots=True)
class Item:
    """One replay to read.

    Attributes:
        id: SHA-256 of the decompressed bytes; for an input that cannot be read, ``path-`` and the hash of its
            path.
        file: the path or URL to read; for duplicates the first name.
        size: bytes as stored.
        copies: the other paths with the same content, in natural order.
        reason: ``unreadable`` or ``unknown_format``; None for a replay.
        error: the reason in words.
        grew_from: ids of earlier states of the recording: `id` is of the same file with more bytes after them.
        gave_up: its worker process died twice while hashing it.
        changed: time of the last change in nanoseconds; 0 if unknown.
        copy: a local file with the same stored bytes, to be read instead; it may have been removed.
    """

    id: str
    file: str
    size: int = 0
    copies: tuple[str, ...] = ()
    reason: str | None = None
    error: str | None = None
    changed: int = 0
    copy: str | None = None
    gave_up: bool = False
    grew_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Order:
    """A file to be hashed in a worker, and the facts known about it."""

    file: InputFile
    limits: Limits
    seen: Seen | None
    copy: str | None


def identify(
    files: Iterable[InputFile],
    *,
    jobs: int = 1,
    known: Mapping[Seen, str] | None = None,
    spool: Spool | None = None,
    limits: Limits | None = None,
    worker_limits: WorkerLimits | None = None,
) -> Iterator[Item | None]:
    """Identify the files in their order; None for a found file that is no replay and is not named like one.

    A compressed file, a member of a pack and a broadcast are hashed in worker processes: one that hangs or takes
    too much memory is an `Item` with the reason. With `jobs=0` all are hashed in this process.

    Args:
        known: ids of files that were hashed before; these are not hashed again.
        spool: keeps local copies of URLs for the decoder, up to `limits.decompressed_input` bytes each.
    """
    waiting = iter(files)
    work = partial(_identify, known=known or {}, spool=spool, limits=limits or Limits())
    with (
        ThreadPoolExecutor(max(jobs, 1)) as threads,  # hashing releases the interpreter lock
        open_pool(jobs, worker_limits or WorkerLimits()) as pool,
    ):
        while some := list(islice(waiting, _AHEAD)):
            found = list(threads.map(work, some))
            orders = (Task(place, _hash_order, each) for place, each in enumerate(found) if type(each) is _Order)
            for result in pool.run(orders):
                found[result.task.key] = _hashed(result)
            for item in found:
                assert not isinstance(item, _Order)
                yield item


def is_of_path(id: str) -> bool:
    """Return whether the id is made of the input's path, because its bytes could not be read."""
    return id.startswith(_OF_PATH)


def states_before(item: Item, states: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Return which earlier states of an uncompressed file, given as id and size, it begins with."""
    found = []
    with suppress(OSError), open_ordinary(item.file) as file:
        digest = hashlib.sha256()
        for id, size in sorted(states, key=itemgetter(1)):
            if size >= item.size:
                break
            while (left := size - file.tell()) and (piece := file.read(min(left, 1 << 20))):
                digest.update(piece)
            if digest.hexdigest() == id:
                found.append(id)
    return tuple(found)


def without_copies(items: Iterable[Item]) -> list[Item]:
    """Return each replay once, sorted by id, under the first of its names."""
    by_id: dict[str, list[Item]] = {}
    for item in items:
        by_id.setdefault(item.id, []).append(item)
    found = []
    for _, same in sorted(by_id.items()):
        first, *others = sorted(same, key=lambda each: natural_key(each.file))
        copies = tuple(each.file for each in others)
        found.append(replace(first, copies=copies))
    return found


def _identify(
    file: InputFile, known: Mapping[Seen, str], spool: Spool | None, limits: Limits
) -> Item | _Order | None:
    try:
        if file.error is not None:
            raise file.error
        seen = _look(file)
        if seen is not None and seen in known:
            return Item(known[seen], file.path, seen.size, changed=seen.changed)
        copy = None
        if spool is not None and is_url(file.path) and not may_be_relay(file.path):
            copy = spool.fetch(file.path, limits.decompressed_input, lambda path: _opened(path, file.path))
        order = _Order(file, limits, seen, copy)
        return _hash_order(order) if copy is None and _is_plain(file.path) else order
    except (ReplayError, OSError, ModuleNotFoundError) as error:
        return _unreadable(file, error)


def _is_plain(path: str) -> bool:
    """Return whether a file is an ordinary uncompressed one of moderate size.

    Raises:
        OSError: it cannot be opened, or is a pipe or device.
    """
    if is_url(path) or split_member(path) is not None or os.path.isdir(path):
        return False
    with open_ordinary(path) as file:
        return os.fstat(file.fileno()).st_size <= _PLAIN and compression_of(file.read(LONGEST_MAGIC)) is None


def _hash_order(order: _Order, report: Progress = lambda done, total: None) -> Item | None:
    """Hash one file; its errors are part of the result."""
    file, seen, copy = order.file, order.seen, order.copy
    try:
        found = _hash(file.path, copy, order.limits, report)
    except (ReplayError, OSError, ModuleNotFoundError, MemoryError) as error:
        return _unreadable(file, error)
    size = os.path.getsize(copy) if copy is not None else seen.size if seen is not None else file.size or 0
    return Item(found, file.path, size, changed=seen.changed if seen is not None else 0, copy=copy)


def _hashed(result: Result) -> Item | None:
    """Return the item of a file that a worker hashed, or died of."""
    if result.error is not None:
        raise result.error
    if result.death is None:
        found: Item | None = result.value
        return found
    file, reason = result.task.payload.file, result.death.reason
    text = f"{file.path}: reading its bytes {DEATHS.get(reason, reason)}"
    return replace(_bad(file, reason, text), gave_up=True)


def _unreadable(file: InputFile, error: BaseException) -> Item | None:
    """Return the item of a file that cannot be read; None if it was only found and is not named like a replay."""
    if isinstance(error, UnknownFormat) and not file.named and not has_replay_name(file.path):
        return None
    return _bad(file, reason_of(error), text_of(error))


def _bad(file: InputFile, reason: str, text: str) -> Item:
    id = hashlib.sha256(file.path.encode("utf-8", "surrogateescape")).hexdigest()
    return Item(f"{_OF_PATH}{id}", file.path, file.size or 0, reason=reason, error=text)


def _opened(path: str, name: str) -> Source:
    """Open a file that begins like a replay, as far as it is complete; `name` is in the messages of its errors.

    Raises:
        UnknownFormat: it does not.
        OSError: it cannot be read.
    """
    source = open_stream(path)
    source.name = name
    detect(source)
    return source


def _hash(path: str, copy: str | None, limits: Limits, report: Progress) -> str:
    """Return the hash of a replay file, read from a local copy if there is one.

    Raises:
        LimitExceeded: it has more bytes than `limits` allow.
        UnknownFormat: it is no replay.
        OSError, ReplayError: it cannot be read.
    """
    source = _opened(copy or path, path)
    if source.fragments is None:
        found = source.content_hash(limits, report)
    else:
        # This concatenates the fragments of a broadcast.
        with open_replay(path, Options(limits=limits, progress=report)) as replay:
            found = replay.content_hash
    if found is None:
        raise OSError(f"{path}: can be read only once")
    return found


def _look(file: InputFile) -> Seen | None:
    """Return the facts of a file that identify it without reading; None for a folder or if they are unknown."""
    if file.changed and file.size is not None:  # a URL, or a member of a pack
        return make_seen(file.path, file.size, int(file.changed * 1e9))
    try:
        facts = os.stat(file.path)
    except (OSError, ValueError):
        return None
    return make_seen(file.path, facts.st_size, facts.st_mtime_ns) if os.path.isfile(file.path) else None


def make_seen(path: str, size: int, changed: int) -> Seen:
    """Return the facts of a file under its absolute path."""
    return Seen(path if is_url(path) else os.path.abspath(path), size, changed)


def reason_of(error: BaseException) -> str:
    """Return the stable word for an error that made an input unreadable."""
    if isinstance(error, LimitExceeded):
        return "limit"
    if isinstance(error, ReplayError):
        snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(error).__name__)
        return snake.lstrip("_").removesuffix("_replay")
    if isinstance(error, OSError | ModuleNotFoundError):
        return "unreadable"
    return "memory" if isinstance(error, MemoryError) else "internal"


def text_of(error: BaseException) -> str:
    """Return the message of an error, or the name of its class."""
    return str(error) or type(error).__name__
