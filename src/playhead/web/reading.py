"""The work on one upload, in a process that may be killed: fetch, identify, read, write into the lake."""

from __future__ import annotations

from itertools import filterfalse, islice
from pathlib import Path
from typing import Any

from playhead.corpus import compact, remove
from playhead.corpus.delta import LakeTables
from playhead.corpus.writing.commits import InfoTable, commit, make_name
from playhead.corpus.writing.decode import Order, decode, make_request
from playhead.corpus.writing.identity import Item, identify
from playhead.corpus.writing.shards import WriteOrder, scratch_folder, write_shard
from playhead.io.inputs import InputFile
from playhead.io.remote import open_remote
from playhead.io.store import open_store
from playhead.io.web import Deadline
from playhead.model import Options, Progress
from playhead.registry import open_replay
from playhead.runtime.bounded import BoundExceeded, confined, in_words
from playhead.runtime.records import dataclass, replace
from playhead.view.feed import notable_kinds, sentences, uncounted

_PIECE = 1 << 20
#: Sentences in an answer.
_SENTENCES = 10_000


class Unreadable(ValueError):
    """An upload is no replay, or cannot be read."""


@dataclass(frozen=True, slots=True)
class Upload:
    """One upload.

    Attributes:
        path: where its bytes are.
        name: of the file, as the sender calls it.
        lake: path of the lake.
        memory: bytes that reading may need.
    """

    path: str
    name: str
    lake: str
    memory: int


@dataclass(frozen=True, slots=True)
class Fetch:
    """A URL to be written to a file, with so many bytes and in so many seconds at most."""

    url: str
    path: str
    most: int
    seconds: float


def fetch(order: Fetch, report: Progress) -> int:
    """Download a URL to a file; return the number of bytes.

    Raises:
        OSError: it cannot be read.
        BoundExceeded: it has more bytes than it may.
    """
    size = 0
    with open_remote(order.url, Deadline(order.seconds)) as source, open(order.path, "wb") as file:
        while piece := source.read(_PIECE):
            size += len(piece)
            if size > order.most:
                raise BoundExceeded(f"{order.url} has more than {in_words(order.most)}")
            file.write(piece)
    return size


def identified(upload: Upload, report: Progress) -> Item:
    """Return the replay that an upload is.

    Raises:
        Unreadable: the upload is no replay.
    """
    with confined(upload.memory):
        [item] = identify([InputFile(upload.path, named=True)], jobs=0)
    if item is None or item.reason is not None:
        error = "it is no replay" if item is None else item.error or item.reason or ""
        raise Unreadable(error.replace(upload.path, upload.name))
    return replace(item, file=upload.name, copy=upload.path)


def stored(order: tuple[Upload, Item], report: Progress) -> None:
    """Read a replay into the lake.

    Raises:
        Unreadable: nothing of it can be read.
        OSError: the lake cannot be written.
    """
    upload, item = order
    request = make_request()
    store = open_store(upload.lake)
    with scratch_folder(store) as scratch:
        with confined(upload.memory):
            outcome = decode(Order(item, request, str(scratch / "read.arrow")), report)
        if not outcome.is_good:
            raise Unreadable(outcome.error or outcome.reason or "it cannot be read")
        written = write_shard(WriteOrder(make_name(), (outcome,), request, upload.lake, str(scratch)), report)
        tables = LakeTables(store)
        commit(tables, InfoTable(tables, scratch), [written])


def told(order: tuple[Upload, Item], report: Progress) -> tuple[list[dict[str, Any]], int]:
    """Return the first events of a replay as sentences, as ``playhead events`` shows them, and how many follow.

    Raises:
        ReplayError: it cannot be read.
    """
    upload, item = order
    with confined(upload.memory), open_replay(item.file, Options(progress=report), copy=item.copy) as replay:
        events = filterfalse(uncounted(replay), replay.events(*notable_kinds(replay)))
        lines = sentences(replay, events, everything=False)
        first = [
            {
                "tick": event.tick,
                "seconds": event.seconds,
                "kind": event.kind,
                "player": event.player,
                "text": text,
            }
            for event, text in islice(lines, _SENTENCES)
        ]
        return first, sum(1 for _ in lines)


def compacted(lake: str, report: Progress) -> int:
    """Merge the small files of the lake; return how many files there are."""
    return compact(lake, keep_hours=1).files_after


def removed(order: tuple[str, str], report: Progress) -> int:
    """Remove a replay from a lake; return the number of removed replays."""
    lake, replay = order
    return remove(lake, [replay])


def file_name(name: str) -> str:
    """Return the name of an upload as it is shown: its last part, without what paths and URLs give a meaning."""
    last = Path(name.replace("\\", "/")).name[:200]
    plain = "".join(letter if letter.isprintable() and letter not in ':*?"<>|@[]' else "_" for letter in last)
    return plain.lstrip(".-_ ") or "upload"
