"""Progress of an export into a lake: a bar for a person, lines of JSON for a program."""

from __future__ import annotations

import time
from pathlib import PurePath
from typing import TYPE_CHECKING

from playhead.cli.output.progress import ProgressBar
from playhead.cli.output.standard import print_error, print_json

if TYPE_CHECKING:
    from playhead.corpus.writing.export import Progress

#: Seconds between two lines of JSON.
_INTERVAL = 1.0


class LakeProgress:
    """Shows the progress of one export and names each input that could not be read."""

    def __init__(self, *, json: bool) -> None:
        self._json = json
        self._bar = ProgressBar()
        self._phase = ""
        self._printed = 0.0

    def update(self, progress: Progress) -> None:
        """Show the state of the export; a callback for `Corpus.export(on_progress=…)`."""
        begins = progress.phase != self._phase
        self._phase = progress.phase
        if progress.phase == "hash":
            if begins:
                self._bar.start([None] * progress.files)
            self._bar.begin("hashing")
            self._bar.end()
        else:
            if begins:
                average = progress.size // progress.total if progress.total else 0
                self._bar.start([average] * progress.total)
            self._show_latest(progress)
        now = time.monotonic()
        if self._json and (begins or now - self._printed >= _INTERVAL):
            self._printed = now
            print_json({"event": "progress", **progress.as_dict()}, flush=True)

    def _show_latest(self, progress: Progress) -> None:
        latest = progress.latest
        if latest is None:
            return
        if not latest.is_good:
            facts = {"file": latest.item.file, "status": latest.status, "reason": latest.reason}
            if self._json:
                print_json({"event": "failed", **facts, "error": latest.error}, flush=True)
            else:
                print_error(f"{latest.error} ({latest.status}: {latest.reason})")
        self._bar.begin(PurePath(latest.item.file).name)
        self._bar.end(int(latest.info.get("problems", 0)) + (not latest.is_good))

    def stop(self) -> None:
        """Remove the bar."""
        self._bar.stop()
