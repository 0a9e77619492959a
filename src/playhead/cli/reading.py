"""Opening the files of a command line: errors and problems on standard error, and the exit status."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from playhead import Problem, Replay, ReplayError, open
from playhead.cli.progress import ProgressBar

FilesArgument = Annotated[
    list[str],
    typer.Argument(
        help="Replay files or URLs, also compressed (.xz .gz .bz2 .zst); - is standard input.", metavar="FILE..."
    ),
]
FileArgument = Annotated[
    str, typer.Argument(help="A replay file or URL, also compressed; - is standard input.", metavar="FILE")
]
OutputOption = Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="File to write.")]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Stop a file at its first problem instead of reading around it.")
]

EXIT_UNREADABLE = 1
EXIT_PROBLEMS = 3


class Reading:
    """Goes through the files of one command and remembers how it went."""

    def __init__(self, files: list[str], *, strict: bool, stream: bool = False) -> None:
        """`stream`: read in flat memory, for work that is one pass from front to back."""
        self._stream = stream
        self._files = files
        self._strict = strict
        self._unreadable = 0
        self._with_problems = 0
        self.bar = ProgressBar()

    def __iter__(self) -> Iterator[Replay]:
        for file in self._files:
            self.bar.start(Path(file).name)
            try:
                target = sys.stdin.buffer if file == "-" else file
                yield open(target, strict=self._strict, stream=self._stream, progress=self.bar.update)
            except (ReplayError, OSError) as error:
                self.failed(file, error)
            finally:
                self.bar.stop()

    def failed(self, file: str, error: Exception) -> None:
        """Say that `file` cannot be read."""
        self._unreadable += 1
        text = str(error) if file in str(error) else f"{file}: {error}"
        print(f"playhead: error: {text}", file=sys.stderr)

    def problems(self, replay: Replay) -> None:
        """Say what could not be read of `replay`."""
        self._problems(replay, replay.problems)

    def problems_so_far(self, replay: Replay) -> None:
        """`problems`, of what was read already: nothing more is."""
        self._problems(replay, replay.problems_so_far)

    def _problems(self, replay: Replay, problems: tuple[Problem, ...]) -> None:
        if problems:
            self._with_problems += 1
        for problem in problems:
            print(f"playhead: problem: {replay.name}: {problem}", file=sys.stderr)

    def finish(self) -> None:
        """Leave the program with the status that this run deserves."""
        if self._unreadable:
            raise typer.Exit(EXIT_UNREADABLE)
        if self._with_problems:
            raise typer.Exit(EXIT_PROBLEMS)
