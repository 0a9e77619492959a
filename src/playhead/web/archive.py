"""`Archive`: the lake of the service, as it grows."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from playhead.ask.matches import NotThere
from playhead.corpus.lake import Lake
from playhead.corpus.lists import add_to_lists, read_manifests
from playhead.corpus.manifest import Manifest, names_in
from playhead.io.store import open_store
from playhead.runtime.bounded import in_words
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
            NotThere: there is no such replay.
        """
        store = self.lake.store
        found = self._manifests_of.get(replay)
        if found is None:
            raise NotThere(f"no replay {replay[:80]!r}")
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

    def part(self, facts: Mapping[str, str]) -> Lake:
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
