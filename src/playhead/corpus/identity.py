"""Which replay is it? The hash of its bytes says, whatever its name: copies of one recording are one replay."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import NamedTuple

from playhead.errors import LimitExceeded, ReplayError, UnknownFormat
from playhead.io.fragments import may_be_relay
from playhead.io.inputs import InputFile, natural_key
from playhead.io.source import Source, open_stream
from playhead.io.spool import Spool
from playhead.limits import Limits
from playhead.registry import detect, open_replay
from playhead.runtime.records import dataclass, replace

#: Files that are hashed ahead of who asks for them.
_AHEAD = 64

#: Before the hash of a path that stands for bytes which cannot be read.
_OF_PATH = "path-"


class Seen(NamedTuple):
    """A file as it was when it was hashed; with the same facts it is taken for the same."""

    path: str
    size: int
    changed: int


@dataclass(frozen=True, slots=True)
class Item:
    """One replay to read.

    Attributes:
        id: SHA-256 of the decompressed bytes; of an input that cannot be read, of its path behind ``path-``.
        file: the path or URL to read it from; of several copies the first by name.
        size: bytes as stored.
        copies: the other paths with the same content, in natural order.
        reason: why it cannot be read at all: ``unreadable``, ``unknown_format``; None for a replay.
        error: that in words.
        changed: time of the last change in nanoseconds; 0 where that is not known.
        copy: a file on this machine with the same bytes as stored, to be read instead; it may be gone.
    """

    id: str
    file: str
    size: int = 0
    copies: tuple[str, ...] = ()
    reason: str | None = None
    error: str | None = None
    changed: int = 0
    copy: str | None = None


def identify(
    files: Iterable[InputFile],
    *,
    jobs: int = 1,
    known: Mapping[Seen, str] | None = None,
    spool: Spool | None = None,
    limits: Limits | None = None,
) -> Iterator[Item | None]:
    """Iterate over what the files are, in their order, each hashed unless `known` has it; None for what is no
    replay and was not named itself.

    Args:
        known: hashes by what files look like from outside.
        spool: keeps what is behind URLs, up to `limits.decompressed_input` bytes each, for who decodes it.
    """
    waiting = iter(files)
    work = partial(_identify, known=known or {}, spool=spool, limits=limits or Limits())
    with ThreadPoolExecutor(max(jobs, 1)) as threads:  # hashing and decompression let go of the interpreter lock
        ahead = deque(threads.submit(work, each) for each in islice(waiting, _AHEAD))
        while ahead:
            yield ahead.popleft().result()
            ahead.extend(threads.submit(work, each) for each in islice(waiting, 1))


def is_of_path(id: str) -> bool:
    """Whether the id of an input is made of its path, as its bytes could not be read."""
    return id.startswith(_OF_PATH)


def without_copies(items: Iterable[Item]) -> list[Item]:
    """Return each replay once, in the order of ids; of its copies the first by name is read."""
    by_id: dict[str, list[Item]] = {}
    for item in items:
        by_id.setdefault(item.id, []).append(item)
    found = []
    for _, same in sorted(by_id.items()):
        first, *others = sorted(same, key=lambda each: natural_key(each.file))
        copies = tuple(each.file for each in others)
        found.append(replace(first, copies=copies))
    return found


def _identify(file: InputFile, known: Mapping[Seen, str], spool: Spool | None, limits: Limits) -> Item | None:
    try:
        if file.error is not None:
            raise file.error
        seen = _look(file)
        if seen is not None and seen in known:
            return Item(known[seen], file.path, seen.size, changed=seen.changed)
        copy = None
        if spool is not None and "://" in file.path and not may_be_relay(file.path):
            copy = spool.fetch(file.path, limits.decompressed_input, lambda path: _check(path, file.path))
        found = _hash(file.path) if copy is None else _hash_copy(copy, file.path)
    except (ReplayError, OSError, ModuleNotFoundError) as error:
        if isinstance(error, UnknownFormat) and not file.named:
            return None
        return Item(
            f"{_OF_PATH}{hashlib.sha256(file.path.encode('utf-8', 'surrogateescape')).hexdigest()}",
            file.path,
            file.size or 0,
            reason=reason_of(error),
            error=_text(error),
        )
    size = os.path.getsize(copy) if copy is not None else seen.size if seen is not None else file.size or 0
    return Item(found, file.path, size, changed=seen.changed if seen is not None else 0, copy=copy)


def _check(copy: str, name: str) -> Source:
    """Check that the copy of a file, as far as it is there, is one of a replay.

    Raises:
        UnknownFormat: it is none.
    """
    source = open_stream(copy)
    source.name = name
    detect(source)
    return source


def _hash_copy(copy: str, name: str) -> str:
    found = _check(copy, name).content_hash()
    assert found is not None  # an ordinary file
    return found


def _hash(path: str) -> str:
    """The hash of a file that is a replay.

    Raises:
        UnknownFormat: it is none.
        OSError, ReplayError: it cannot be read.
    """
    source = open_stream(path)
    detect(source)
    if source.fragments is None:
        found = source.content_hash()
        assert found is not None  # a path or URL can be read more than once
        return found
    with open_replay(path) as replay:  # put together of its fragments
        whole = replay.content_hash
    if whole is None:
        raise OSError(f"{path}: can be read only once")
    return whole


def _look(file: InputFile) -> Seen | None:
    """Return what a file looks like from outside; None for a folder, and where that is too little."""
    if file.changed and file.size is not None:  # behind a URL, or in a pack
        return make_seen(file.path, file.size, int(file.changed * 1e9))
    try:
        facts = os.stat(file.path)
    except (OSError, ValueError):
        return None
    return make_seen(file.path, facts.st_size, facts.st_mtime_ns) if os.path.isfile(file.path) else None


def make_seen(path: str, size: int, changed: int) -> Seen:
    """Return what a file looks like from outside, by whatever path it was named."""
    return Seen(path if "://" in path else os.path.abspath(path), size, changed)


def reason_of(error: BaseException) -> str:
    """Return the stable word for why an input could not be read."""
    if isinstance(error, LimitExceeded):
        return "limit"
    if isinstance(error, ReplayError):
        snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(error).__name__)
        return snake.lstrip("_").removesuffix("_replay")
    if isinstance(error, OSError | ModuleNotFoundError):
        return "unreadable"
    return "memory" if isinstance(error, MemoryError) else "internal"


def _text(error: BaseException) -> str:
    return str(error) or type(error).__name__
