"""`Archive`: the lake of the service, as it grows, and the answers that it gives."""

from __future__ import annotations

import io
import json
import os
import shutil
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from playhead.corpus.delta import INFO, LakeTables, folder_of
from playhead.corpus.facts import LAKE_INPUTS, problems_of
from playhead.corpus.reading.lake import Lake, open_lake
from playhead.corpus.writing.export import rows_held
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

#: LakeTables in the JSON of a match, as far as its game has them.
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
        rows_held(self._store)  # which refuses a folder of something else
        tables = LakeTables(self._store)
        tables.retried(lambda: tables.make(INFO, LAKE_INPUTS.arrow(), LAKE_INPUTS.doc))
        self._lake = open_lake(self.location)

    @property
    def lake(self) -> Lake:
        """The lake as it is now."""
        with self._lock:
            next_commit = f"{folder_of(INFO)}/_delta_log/{self._lake.version + 1:020}.json"
            if self._store.has(next_commit):
                self._lake = open_lake(self.location)
            return self._lake

    def of(self, replay: str) -> Lake:
        """Return the lake of one replay.

        Raises:
            Refused: there is no such replay.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that none fits is an answer
            found = self.lake.filter(replay=replay)
        if not len(found):
            raise Refused(404, f"no replay {replay[:80]!r}")
        return found

    def has(self, replay: str) -> bool:
        """Return whether this version of playhead has read a replay."""
        rows = self.lake.inputs.select(["replay", "playhead"]).to_pylist()
        return {"replay": replay, "playhead": __version__} in rows

    @property
    def shards(self) -> int:
        """Number of files of table ``info``, of the game that has most: a compaction leaves one."""
        return max(Counter(file.game for file in self.lake.data_files(INFO)).values(), default=0)

    @property
    def size(self) -> int:
        """Bytes of the lake on the disk, with what a compaction has replaced and keeps for a while."""
        return sum(max(each.size, 0) for each in self._store.files())

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
        if name not in lake.tables:
            raise Refused(404, unknown_name(name, lake.tables, "table"))
        stored = sum(file.size for file in lake.data_files(name))
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
