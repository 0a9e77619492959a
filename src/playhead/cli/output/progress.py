"""A progress bar on standard error, if that is a terminal and the command takes more than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from playhead.cli.output.standard import show_bar, shows_bars
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.text.visible import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE_SECONDS = 1.0
#: Seconds between two redraws.
_INTERVAL = 0.1
_LONGEST_TITLE = 32


class ProgressBar:
    """One bar for all files of a command: files done, rate, and remaining time.

    It appears after `_PATIENCE_SECONDS`. Only `update` and `end` draw it, not a thread, so that it never mixes
    with other output.
    """

    def __init__(self) -> None:
        self._wanted = shows_bars()
        self._weights: Sequence[float] = ()
        self._known_sizes = False
        self._title = ""
        self._place = 0
        self._done = 0.0
        self._problems = 0
        self._started = self._drawn = 0.0
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def start(self, sizes: Sequence[int | None]) -> None:
        """Start with files of these sizes in bytes, None if unknown; ends the previous run."""
        self.stop()
        known = [size for size in sizes if size]
        usual = sum(known) / len(known) if known else 1.0
        self._weights = [usual if size is None else float(size) for size in sizes]
        self._known_sizes = bool(known) and None not in sizes
        self._place, self._done, self._problems = 0, 0.0, 0
        self._started = time.monotonic()

    def begin(self, title: str) -> None:
        """Start the next file."""
        title = visible(title)
        self._title = title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` bytes of this file were read; a callback for `playhead.open(progress=…)`."""
        if self._wanted:
            self._draw(min(done / total, 1.0) if total else 0.0)

    def end(self, problems: int = 0) -> None:
        """End this file, with its number of problems."""
        self._problems += problems
        if self._place < len(self._weights):
            self._done += self._weights[self._place]
        self._place += 1
        if self._wanted:
            self._draw(0.0)

    def hide(self) -> None:
        """Wipe the bar for other output; the next redraw shows it again."""
        if self._bar is not None:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._drawn = 0.0

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None
            show_bar(None)

    def _draw(self, part: float) -> None:
        """Draw the bar, with this share of the present file done."""
        now = time.monotonic()
        if now - self._started < _PATIENCE_SECONDS or now - self._drawn < _INTERVAL:
            return
        self._drawn = now
        weight = self._weights[self._place] if self._place < len(self._weights) else 0.0
        shown: dict[str, Any] = {
            "description": self._title,
            "completed": self._done + part * weight,
            "files": f"{self._place}/{len(self._weights)} files" if len(self._weights) != 1 else "",
            "problems": f"{self._problems} problems" if self._problems else "",
        }
        if self._bar is None or self._task is None:
            self._bar = self._new_bar()
            self._task = self._bar.add_task(total=sum(self._weights), **shown)
            self._bar.start()
            show_bar(self)
        else:
            self._bar.update(self._task, **shown, refresh=True)

    def _new_bar(self) -> Progress:
        from rich import progress
        from rich.console import Console
        from rich.table import Column

        def text(template: str) -> progress.ProgressColumn:
            return progress.TextColumn(template, markup=False, table_column=Column(no_wrap=True))

        columns = [text("{task.description}"), progress.BarColumn(bar_width=20)]
        columns += [text("{task.percentage:>3.0f}%"), text("{task.fields[files]}")]
        columns += [progress.TransferSpeedColumn(table_column=Column(no_wrap=True))] if self._known_sizes else []
        columns += [progress.TimeRemainingColumn(table_column=Column(no_wrap=True))]
        columns += [text("{task.fields[problems]}")]
        return progress.Progress(
            *columns,
            console=Console(stderr=True),
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
            transient=True,
        )
