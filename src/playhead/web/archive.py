"""`Archive`: the lake of the service, as it grows."""

from __future__ import annotations

import os
import shutil
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from playhead.ask.matches import NotThere
from playhead.corpus.delta import INFO, LakeTables, folder_of
from playhead.corpus.facts import LAKE_INPUTS
from playhead.corpus.reading.lake import Lake, open_lake
from playhead.corpus.writing.export import rows_held
from playhead.io.store import open_store
from playhead.runtime.bounded import in_words
from playhead.runtime.libraries import pa, pc
from playhead.tables.value_arrays import scalar_of
from playhead.version import __version__
from playhead.web.answers import Refused
from playhead.web.bounds import Bounds


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
            NotThere: there is no such replay.
        """
        found = self.part({"replay": replay})
        if found.replays != (replay.lower(),):  # a pattern fits several
            inputs = self.lake.inputs
            same = inputs["replay"].filter(pc.equal(inputs["file"], scalar_of(replay, pa.string()))).to_pylist()
            named = f"the file of this name is {same[-1]}" if same else "GET /replays has the SHA-256 of each"
            raise NotThere(f"no replay {replay[:80]!r}: {named}")
        return found

    def has(self, replay: str) -> bool:
        """Return whether this version of playhead has read a replay."""
        inputs = self.lake.inputs
        versions = inputs["playhead"].filter(pc.equal(inputs["replay"], scalar_of(replay, pa.string())))
        return __version__ in versions.to_pylist()

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

    def part(self, facts: Mapping[str, Any]) -> Lake:
        """Return the replays that fit conditions, as of `Replays.filter`."""
        if not facts:
            return self.lake
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that none fits is an answer
            return self.lake.filter(**facts)

    def without_path(self, text: str) -> str:
        """Return a text for strangers: without the place of the lake on this machine."""
        return text.replace(self.location, "lake")


def remove(path: str) -> None:
    """Remove an upload, if it is there."""
    if os.path.exists(path):
        os.unlink(path)
