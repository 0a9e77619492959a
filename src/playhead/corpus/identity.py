"""Which replay is it? The hash of its bytes says, whatever its name: copies of one recording are one replay."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from playhead.errors import LimitExceeded, ReplayError, UnknownFormat
from playhead.io.inputs import InputFile, natural_key
from playhead.io.source import open_stream
from playhead.registry import detect, open_replay

#: Files that are hashed ahead of who asks for them.
_AHEAD = 64


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
    """

    id: str
    file: str
    size: int = 0
    copies: tuple[str, ...] = ()
    reason: str | None = None
    error: str | None = None
    changed: int = 0


def identify(
    files: Iterable[InputFile], *, jobs: int = 1, known: Mapping[Seen, str] | None = None
) -> Iterator[Item | None]:
    """Iterate over what the files are, in their order, each hashed unless `known` has it; None for what is no
    replay and was not named itself.
    """
    waiting = iter(files)
    with ThreadPoolExecutor(max(jobs, 1)) as threads:  # hashing and decompression let go of the interpreter lock
        ahead = deque(threads.submit(_identify, each, known or {}) for each in islice(waiting, _AHEAD))
        while ahead:
            yield ahead.popleft().result()
            ahead.extend(threads.submit(_identify, each, known or {}) for each in islice(waiting, 1))


def without_copies(items: Iterable[Item]) -> list[Item]:
    """Return each replay once, in the order of ids; of its copies the first by name is read."""
    by_id: dict[str, list[Item]] = {}
    for item in items:
        by_id.setdefault(item.id, []).append(item)
    found = []
    for _, same in sorted(by_id.items()):
        first, *others = sorted(same, key=lambda each: natural_key(each.file))
        copies = tuple(each.file for each in others)
        found.append(Item(first.id, first.file, first.size, copies, first.reason, first.error, first.changed))
    return found


def _identify(file: InputFile, known: Mapping[Seen, str]) -> Item | None:
    try:
        if file.error is not None:
            raise file.error
        seen = _look(file.path)
        if seen is not None and seen in known:
            return Item(known[seen], file.path, seen.size, changed=seen.changed)
        found = _hash(file)
    except (ReplayError, OSError, ModuleNotFoundError) as error:
        if isinstance(error, UnknownFormat) and not file.named:
            return None
        return Item(
            f"path-{hashlib.sha256(file.path.encode('utf-8', 'surrogateescape')).hexdigest()}",
            file.path,
            file.size or 0,
            reason=reason_of(error),
            error=_text(error),
        )
    size = seen.size if seen is not None else file.size or 0
    return Item(found, file.path, size, changed=seen.changed if seen is not None else 0)


def _hash(file: InputFile) -> str:
    """The hash of a file that is a replay.

    Raises:
        UnknownFormat: it is none.
        OSError, ReplayError: it cannot be read.
    """
    source = open_stream(file.path)
    detect(source)
    if source.fragments is None:
        found = source.content_hash()
        assert found is not None  # a path or URL can be read more than once
        return found
    with open_replay(file.path) as replay:  # put together of its fragments
        whole = replay.content_hash
    if whole is None:
        raise OSError(f"{file.path}: can be read only once")
    return whole


def _look(path: str) -> Seen | None:
    """Return what an ordinary file looks like from outside; None for a member of a pack, a folder or a URL."""
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    return Seen(os.path.abspath(path), facts.st_size, facts.st_mtime_ns) if os.path.isfile(path) else None


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
