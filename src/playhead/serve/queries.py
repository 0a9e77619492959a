"""SQL of strangers, and other long work: statements of the viewer's page and of language models, in a process of
their own.

The process opens the recordings by their paths, builds the tables, runs the statement and writes the answer; each
may take time and memory without harm to the server. It keeps the recordings of the last calls.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, LifoQueue
from typing import TYPE_CHECKING, Any

from playhead.corpus import open_lake, scan
from playhead.limits import Limits
from playhead.model import Options
from playhead.registry import open_replay
from playhead.runtime.bounded import BoundExceeded, CallProcess, confined, in_words
from playhead.runtime.records import dataclass
from playhead.serve.lake_sql import sql_of_lake
from playhead.serve.overlay import overlay
from playhead.text.json import to_json
from playhead.view.browse import SECONDS, as_file, rows_of, sql

if TYPE_CHECKING:
    from playhead.replay import Replay

#: Bytes of an answer.
ANSWER = 64 << 20
#: Cells of a table of entity fields; see `Limits.cells`.
CELLS = 32 << 20
#: Seconds after its limit in which a statement has to end, and between two looks at who waits.
_GRACE, _POLL = 2.0, 0.05
#: Recordings that stay open, and bytes of their tables that stay.
_MOST_OPEN, _TABLE_BYTES = 3, 48 << 20

_open: OrderedDict[str, Replay] = OrderedDict()


@dataclass(frozen=True, slots=True)
class SqlRequest:
    """A statement about recordings.

    Attributes:
        text: the SQL.
        paths: the recordings.
        form: of the answer: ``json`` (see `rows_of`), or one of `browse.as_file`.
        most: limit of its rows; all by default.
        names: of the recordings in the column `file`; their paths by default.
        answer: bytes of the answer: of its columns, and of the text or file made of them.
        lake: a lake whose tables are asked, instead of recordings.
    """

    text: str
    paths: tuple[str, ...]
    form: str = "json"
    most: int | None = None
    answer: int = ANSWER
    names: tuple[str, ...] = ()
    lake: str | None = None

    def run(self) -> bytes:
        """Run the statement."""
        if self.lake is None:
            names = dict(zip(self.paths, self.names, strict=False))
            found = sql(_opened(self.paths), self.text, most=self.most, names=names)
        else:
            found = sql_of_lake(open_lake(self.lake), self.text, SECONDS, self.most)
        _check(found.nbytes, self.answer)
        if self.form != "json":
            return as_file(found, self.form)
        return to_json(rows_of(found)).encode()


@dataclass(frozen=True, slots=True)
class StatsRequest:
    """Statistics over matches, as of `Replays.player_stats`.

    Attributes:
        paths: the recordings.
        lake: a lake, instead of recordings.
        by: dimensions.
        per: what counts are divided by.
        game: only its matches; None for all.
        least: rows of fewer matches are left out.
        answer: bytes of the answer.
    """

    paths: tuple[str, ...]
    lake: str | None
    by: tuple[str, ...]
    per: str = "match"
    game: str | None = None
    least: int = 1
    answer: int = ANSWER

    def run(self) -> bytes:
        """Return the statistics as JSON."""
        matches = scan(self.paths, jobs=0) if self.lake is None else open_lake(self.lake)
        if self.game is not None:
            matches = matches.filter(game=self.game)
        found = matches.player_stats(self.by, per=self.per, least=self.least)
        return to_json(rows_of(found)).encode()


@dataclass(frozen=True, slots=True)
class OverlayRequest:
    """The rounds of one recording on one clock."""

    path: str
    answer: int = ANSWER

    def run(self) -> bytes:
        """Return the rounds as JSON."""
        return to_json(overlay(next(_opened((self.path,))))).encode()


class Queries:
    """Runs statements, so many at a time.

    Attributes:
        at_once: number of statements that run at a time.
        memory: bytes that they may need together, with their tables; each has its share.
        seconds: time that one may take, with its tables; the statement alone has `browse.SECONDS`. One over a lake
            ends with its process soon after that: some functions of DuckDB do not let it be interrupted.
    """

    memory = 2 << 30
    seconds = 120.0

    def __init__(self, at_once: int = 1) -> None:
        self.at_once = at_once
        self._processes = [CallProcess("duckdb", "pyarrow.parquet", __name__) for _ in range(at_once)]
        self._idle: LifoQueue[CallProcess] = LifoQueue()  # the last one has what it needs in memory
        for each in self._processes:
            self._idle.put(each)

    def ask(
        self, request: SqlRequest | StatsRequest | OverlayRequest, gone: Callable[[], bool] = lambda: False
    ) -> bytes:
        """Return the answer to a request.

        Args:
            gone: asked meanwhile; True interrupts it.

        Raises:
            ValueError: the statement is wrong, or exceeds a bound.
            KeyError: there is nothing of that name.
            ReplayError, OSError: a recording cannot be read.
        """
        of_lake = isinstance(request, SqlRequest) and request.lake is not None
        seconds = min(self.seconds, SECONDS + _GRACE) if of_lake else self.seconds
        process = self._take(gone)
        try:
            found: bytes = process.call(_answer, (request, self.memory // self.at_once), seconds, gone)
        finally:
            self._idle.put(process)
        return found

    def _take(self, gone: Callable[[], bool]) -> CallProcess:
        while True:
            with suppress(Empty):
                return self._idle.get(timeout=_POLL)
            if gone():
                raise BoundExceeded("nobody waits for the answer any more")

    def close(self) -> None:
        """End the processes."""
        for each in self._processes:
            each.close()


def _answer(asked: tuple[SqlRequest | StatsRequest | OverlayRequest, int], report: object) -> bytes:
    """Answer a request within so much memory, in the process of `Queries`."""
    request, memory = asked
    with confined(memory):
        data = request.run()
        _check(len(data), request.answer)
    _forget()
    return data


def _check(size: int, most: int) -> None:
    if size > most:
        raise BoundExceeded(
            f"the answer has {in_words(size)}, more than {in_words(most)}: select fewer rows, columns or letters"
        )


def _opened(paths: Sequence[str]) -> Iterator[Any]:
    for path in paths:
        if path not in _open:
            _open[path] = open_replay(path, Options(limits=Limits(cells=CELLS)), disk=True)
        _open.move_to_end(path)
        yield _open[path]
        if len(paths) > 1:  # release the tables of each before the next
            _open[path].forget_tables(*_open[path].tables_so_far)
        while len(_open) > _MOST_OPEN:
            _open.popitem(last=False)[1].close()


def _forget() -> None:
    """Release the tables of all recordings if they have more than `_TABLE_BYTES`."""
    held = sum(replay.tables_so_far.size(name) for replay in _open.values() for name in list(replay.tables_so_far))
    if held > _TABLE_BYTES:
        for replay in _open.values():
            replay.forget_tables(*replay.tables_so_far)
