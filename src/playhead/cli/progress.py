"""A progress bar on standard error, if that is a terminal and the work takes more than a second."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE_SECONDS = 1.0


class ProgressBar:
    """One bar a file; silent until `_PATIENCE_SECONDS` have passed."""

    def __init__(self) -> None:
        self._wanted = sys.stderr.isatty()
        self._title = ""
        self._started = 0.0
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def start(self, title: str) -> None:
        """A new file begins."""
        self._title = title
        self._started = time.monotonic()

    def update(self, done: int, total: int) -> None:
        """`done` of `total` bytes are behind us; fits `playhead.open(progress=…)`."""
        if not self._wanted or time.monotonic() - self._started < _PATIENCE_SECONDS:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=total)
        if self._task is not None:
            self._bar.update(self._task, completed=done, total=total)

    def stop(self) -> None:
        """The file is done: the bar goes away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None
