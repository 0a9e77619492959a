"""`Shelf`: the recordings that a server shows."""

from __future__ import annotations

import gc
import tempfile
from collections import OrderedDict
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from playhead.ask import Chosen, Processes
from playhead.io.inputs import expand_inputs
from playhead.io.scratch import TemporaryFolder
from playhead.model import Options
from playhead.registry import detect, has_replay_name, is_replay, open_replay
from playhead.runtime.records import replace
from playhead.text.json import valid_text
from playhead.view.match import MapFile, Match
from playhead.view.report import report_page

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.io.source import Input
    from playhead.presentation import PresentedReplay
    from playhead.replay import Replay
    from playhead.tables.schema import TableSchema

#: Limit of the open recordings.
MOST_OPEN = 3
#: Limits of all files that are dropped on the page, in bytes, and of a name.
MOST_DROPPED, MOST_NAME = 2 << 30, 200


class Shelf:
    """The recordings of the server; the last few stay open."""

    def __init__(
        self,
        names: Iterable[str],
        map_file: MapFile | None = None,
        against: Path | None = None,
        said: Callable[[str], object] | None = None,
    ) -> None:
        self._map_file, self._said = map_file, said
        self._against = against
        self.files = [file for file in expand_inputs(list(names)) if file.error is None]
        self.files = [file for file in self.files if file.named or self._is_listed(file.path)]
        self._open: OrderedDict[int, Match] = OrderedDict()
        self._lock = Lock()
        self._about: list[dict[str, Any]] = []
        self._reader: Thread | None = None
        self._folder: TemporaryFolder | None = None
        self._dropped = 0
        #: Runs the SQL about these recordings.
        self.queries = Processes()

    def _is_listed(self, path: str) -> bool:
        try:
            return has_replay_name(path) or is_replay(path)
        except OSError as error:  # as a sparse file of a tar; the other files are shown
            if self._said is not None:
                self._said(str(error))
            return False

    def listing(self) -> list[dict[str, Any]]:
        """Return the list of files; `about` of a file is None until its head is read."""
        about = [*self._about, *[None] * len(self.files)]
        return [
            {
                "id": number,
                "name": Path(file.path).name,
                "folder": Path(file.path).parent.name,
                "size": file.size,
                "about": about[number],
            }
            for number, file in enumerate(self.files)
        ]

    def read_heads(self) -> None:
        """Read the heads of the files, for the list, in the background."""
        with self._lock:
            if self._reader is None or not self._reader.is_alive():
                self._reader = Thread(target=self._read_heads, daemon=True)
                self._reader.start()

    def _read_heads(self) -> None:
        while len(self._about) < len(self.files):
            self._about.append(about(self.files[len(self._about)].path))

    def number_of(self, path: str) -> int:
        """Return the number of a file; add it if it is newer than the shelf."""
        with self._lock:
            paths = [file.path for file in self.files]
            if path not in paths:
                self.files += expand_inputs([path])
            return paths.index(path) if path in paths else len(paths)

    async def add(self, name: str, parts: AsyncIterable[bytes]) -> int:
        """Keep a file while the server runs; return its number.

        Raises:
            ValueError: it is not a replay, or dropped files have more than `MOST_DROPPED` bytes.
            OSError: it cannot be written.
        """
        if self._folder is None:
            self._folder = TemporaryFolder("dropped")
        name = Path(name).name if len(name) <= MOST_NAME and valid_text(name).isprintable() else ""
        path = Path(tempfile.mkdtemp(dir=self._folder.name)) / (name or "dropped")
        with path.open("wb") as file:
            async for part in parts:
                self._dropped += len(part)
                if self._dropped > MOST_DROPPED:
                    file.close()  # Windows removes no open file
                    path.unlink()
                    limit = f"dropped files may have {MOST_DROPPED >> 20} MiB together"
                    raise ValueError(f"{limit}; name larger ones on the command line")
                file.write(part)
        if not is_replay(str(path)):
            self._dropped -= path.stat().st_size
            path.unlink()
            raise ValueError(f"{name or 'the file'} is not a replay")
        with self._lock:
            self.files += expand_inputs([str(path)])
            return len(self.files) - 1

    def match(self, number: int) -> Match:
        """Return a recording; open it if necessary.

        Raises:
            KeyError: there is no such recording.
            ReplayError, OSError: it cannot be read.
        """
        if not 0 <= number < len(self.files):
            raise KeyError(f"no recording {number}; the last one is {len(self.files) - 1}")
        with self._lock:
            if number not in self._open:
                path = self.files[number].path
                self._open[number] = open_match(path, self._map_file, self._against, self._said)
            self._open.move_to_end(number)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
                gc.unfreeze()  # the collector can free its objects now
            match = self._open[number]
        match.moments.source.release()  # the data of the last requests
        return match

    def chosen(self, number: int) -> Chosen:
        """Return a recording as questions take it."""
        return Chosen((self.files[number].path,))

    def report(self, number: int, ticks: tuple[int, int] | None, opens: int) -> tuple[bytes, str]:
        """Return the report of a recording, or of a part of it, and a name for its file. It opens at tick `opens`
        if that is in it.

        Raises:
            KeyError: there is no such recording.
            ValueError: `ticks` are not a part of it, or the report would be too large.
            ReplayError, OSError: it cannot be read.
        """
        match = self.match(number)
        first, last = ticks or (match.first_tick, match.last_tick)
        at = opens if first <= opens <= last else None
        page = report_page(match.another(), self._map_file, None, ticks, at)
        return page, f"{safe_name(Path(match.name).stem)}.html"


def safe_name(name: str) -> str:
    """Return the name of a file for a header of HTTP: ASCII letters and digits."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)


def open_match(
    target: Input,
    map_file: MapFile | None = None,
    against: Input | None = None,
    said: Callable[[str], object] | None = None,
) -> Match:
    """Open a recording; its file is read or decompressed once, for all readers of the `Match`. Compare its players
    with those of the recording `against`, if it is of the same format and the game can; else say why not."""
    replay = open_replay(target, disk=True)

    def again() -> Replay:
        return detect(replay.source).open(replace(replay.source, problems=list(replay.source.problems)), Options())

    def compare(whole: PresentedReplay) -> Mapping[str, tuple[TableSchema, pa.Table]]:
        make = whole.presentation.coach
        if against is None:
            return {}
        try:
            if make is None:
                raise NotImplementedError("its game has no tables that compare players")
            with open_replay(against) as other:
                if other.format != whole.format:
                    raise NotImplementedError(f"{against} is {other.format}, not {whole.format}")
                return make(whole, other)
        except NotImplementedError as error:
            if said is not None:
                said(f"{replay.source.name}: not compared: {error}")
        return {}

    return Match(replay, map_file, again=again, compare=compare if against is not None else None, said=said)


def about(path: str) -> dict[str, Any]:
    """Return the facts of a file for the list; only its head is read."""
    found: dict[str, Any] = {"error": None, "title": "", "map": None, "players": [], "winner": None}
    found |= {"seconds": None, "started": None}
    try:
        with open_replay(path) as replay:
            info = replay.info
            return found | {
                "title": replay.presentation.title(info),
                "map": replay.presentation.map_name(info),
                "players": [player.name for player in replay.players if player.name and player.kind != "observer"],
                "winner": replay.presentation.winner(info),
                "seconds": replay.recorded_seconds,
                "started": info.played_at and info.played_at.isoformat(),
            }
    except Exception as error:  # the other files are listed; the page shows the error
        return found | {"error": str(error)}
