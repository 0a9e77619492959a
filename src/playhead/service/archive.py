"""`Archive`: the lake of the service, as it grows, and the answers that it gives."""

from __future__ import annotations

import io
import json
import os
import shutil
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from playhead.corpus.lake import Lake
from playhead.corpus.lists import add_to_lists, read_manifests
from playhead.corpus.manifest import Manifest, names_in, problems_of
from playhead.export.files import FORMATS, write_to
from playhead.io.store import open_store
from playhead.runtime.bounded import in_words
from playhead.runtime.libraries import pa
from playhead.service.access import Refused
from playhead.service.bounds import Bounds
from playhead.tables.arrow import to_rows
from playhead.text.json import to_json
from playhead.text.names import unknown_name
from playhead.version import __version__

#: Tables in the JSON of a match, as far as its game has them.
OF_MATCH = ("match", "players", "player_stats")
#: Type of the content of each form of a table.
FORMS: Mapping[str, str] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.stream",
}


class Archive:
    """A lake in a folder that grows while it is read.

    Args:
        folder: of the lake; made if it is missing.

    Raises:
        OSError: it cannot be written.
        FileExistsError: it holds something else.
    """

    def __init__(self, folder: Path, bounds: Bounds) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.location = str(folder.absolute())
        self._bounds = bounds
        self._store = open_store(self.location)
        self._lock = Lock()
        self._held: dict[str, Manifest] = {}
        self._lake: Lake | None = None
        self._manifests_of: dict[str, list[Manifest]] = {}
        if not names_in(self._store):
            for each in self._store.files():
                if not each.name.startswith(("_", ".")):
                    raise FileExistsError(f"{folder} holds {each.name} and is no lake: choose another folder")

    @property
    def lake(self) -> Lake:
        """The lake as it is now; only manifests that are new are read."""
        with self._lock:
            names = names_in(self._store)
            if self._lake is None or names != list(self._held):
                lake = Lake(self._store, read_manifests(self._store, self._held))
                manifests_of: dict[str, list[Manifest]] = {}
                for each in lake.manifests:
                    for replay in each.rows["replay"].to_pylist():
                        manifests_of.setdefault(replay, []).append(each)
                self._held = {each.name: each for each in lake.all_manifests}
                self._lake, self._manifests_of = lake, manifests_of
            return self._lake

    def of(self, replay: str) -> Lake:
        """Return the lake of one replay.

        Raises:
            Refused: there is no such replay.
        """
        store = self.lake.store
        found = self._manifests_of.get(replay)
        if found is None:
            raise Refused(404, f"no replay {replay[:80]!r}")
        return Lake(store, tuple(found), frozenset((replay,)))

    def has(self, replay: str) -> bool:
        """Return whether this version of playhead has read a replay."""
        return self.lake is not None and any(
            row["playhead"] == __version__
            for each in self._manifests_of.get(replay, ())
            for row in each.rows.select(["replay", "playhead"]).to_pylist()
            if row["replay"] == replay
        )

    def add(self, manifest: str) -> None:
        """List a manifest that a process has written."""
        with self._lock:
            add_to_lists(self._store, [manifest])

    @property
    def shards(self) -> int:
        """Number of shards that no compaction has merged."""
        return len(self.lake.manifests)

    @property
    def size(self) -> int:
        """Bytes of the data files that count."""
        return sum(file.size for each in self.lake.manifests for file in each.files)

    def check_room(self, more: int) -> None:
        """Refuse what does not fit.

        Args:
            more: bytes of the uploads that wait.

        Raises:
            Refused: the lake is full, or the disk.
        """
        if self.size + more > self._bounds.disk:
            raise Refused(507, f"the lake has {in_words(self.size)} of {in_words(self._bounds.disk)}")
        if shutil.disk_usage(self.location).free - more < self._bounds.free:
            raise Refused(507, f"the disk has less than {in_words(self._bounds.free)} left")

    def without_path(self, text: str) -> str:
        """Return a text for strangers: without the place of the lake on this machine."""
        return text.replace(self.location, "lake")

    # -- answers ----------------------------------------------------------------------------------------

    def document(self, replay: str, tables: Sequence[str] = ()) -> bytes:
        """Return a match as JSON: its facts, players, statistics, and rows of more tables.

        Args:
            tables: names of tables whose rows are wanted.

        Raises:
            Refused: there is no such replay or table.
        """
        lake = self.of(replay)
        [row] = lake.inputs.to_pylist()
        [facts] = to_rows(lake.info())
        counts: dict[str, int] = json.loads(row["rows"])
        answer: dict[str, Any] = {
            "replay": replay,
            "file": row["file"],
            "status": row["status"],
            "problems": [each.as_dict() for each in problems_of(row)],
            "info": {name: value for name, value in facts.items() if value is not None},
            "rows": counts,
            "left_out": {},
            "tables": {},
        }
        left = self._bounds.answer
        for name in dict.fromkeys((*(each for each in OF_MATCH if each in counts), *tables)):
            found = self._table(lake, name, ())
            rows = found.drop_columns(["replay", "file"]).slice(0, self._bounds.rows)
            left -= rows.nbytes * 2
            answer["tables"][name] = to_rows(rows) if left > 0 else []
            if found.num_rows > len(answer["tables"][name]):
                answer["left_out"][name] = found.num_rows - len(answer["tables"][name])
        return to_json(answer).encode()

    def listing(self, facts: Mapping[str, str], offset: int, limit: int) -> bytes:
        """Return the replays that fit conditions, as of `Replays.filter`, as JSON."""
        info = self._fitting(facts).info()
        limit = min(limit, self._bounds.rows)
        rows = [
            {name: value for name, value in row.items() if value is not None}
            for row in to_rows(info.slice(offset, limit))
        ]
        return to_json({"total": info.num_rows, "offset": offset, "replays": rows}).encode()

    def table(
        self,
        lake: Lake,
        name: str,
        form: str,
        columns: Iterable[str] = (),
        offset: int = 0,
        limit: int | None = None,
    ) -> bytes:
        """Return rows of a table of a lake in one of `FORMS`.

        Raises:
            Refused: there is no such table, column or form, or the answer is too large.
        """
        if form not in FORMS:
            raise Refused(400, unknown_name(form, FORMS, "form"))
        stored = sum(piece.file.size for piece in lake.pieces(name))
        if stored > self._bounds.answer:
            raise self._too_large()
        found = self._table(lake, name, tuple(columns))
        if form == "json":
            limit = min(self._bounds.rows if limit is None else limit, self._bounds.rows)
        rows = found.slice(offset, limit)
        if rows.nbytes > self._bounds.answer:
            raise self._too_large()
        if form == "json":
            total = {"table": name, "total": found.num_rows, "offset": offset}
            return to_json({**total, "rows": to_rows(rows)}).encode()
        file = io.BytesIO()
        if form in FORMATS:
            write_to(file, rows, form)
        else:
            with pa.ipc.new_stream(file, rows.schema) as writer:
                writer.write_table(rows)
        return file.getvalue()

    def names(self, facts: Mapping[str, str]) -> bytes:
        """Return the names of the tables with their columns, as JSON."""
        lake = self._fitting(facts)
        return to_json({name: lake.schema(name).names for name in lake.tables}).encode()

    def part(self, facts: Mapping[str, str]) -> Lake:
        """Return the lake of the replays that fit conditions."""
        return self._fitting(facts)

    def _fitting(self, facts: Mapping[str, str]) -> Lake:
        if not facts:
            return self.lake
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that none fits is an answer
            return self.lake.filter(**facts)

    @staticmethod
    def _table(lake: Lake, name: str, columns: Sequence[str]) -> pa.Table:
        if name not in lake.tables:
            raise Refused(404, unknown_name(name, lake.tables, "table"))
        return lake.table(name, columns=columns or None)

    def _too_large(self) -> Refused:
        text = f"the answer has more than {in_words(self._bounds.answer)}"
        return Refused(413, f"{text}: ask for fewer replays, columns or rows, or copy the lake's Parquet files")


def remove(path: str) -> None:
    """Remove an upload, if it is there."""
    if os.path.exists(path):
        os.unlink(path)
