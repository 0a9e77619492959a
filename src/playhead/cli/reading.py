"""Opening the files of a command line: errors and problems on standard error, and the exit status."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from playhead import Problem, Replay, ReplayError, UnknownFormat, open
from playhead.capabilities import CAPABILITIES
from playhead.cli.progress import ProgressBar
from playhead.io.fragments import is_broadcast_folder

FilesArgument = Annotated[
    list[str],
    typer.Argument(
        help="Replay files or URLs, also compressed (.xz .gz .bz2 .zst); folders or relays of broadcasts; - is "
        "standard input.",
        metavar="FILE...",
    ),
]
FileArgument = Annotated[
    str,
    typer.Argument(
        help="A replay file, folder of a broadcast, or URL; - is standard input.",
        metavar="FILE",
    ),
]
OutputOption = Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="File to write.")]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Stop a file at its first problem instead of reading around it.")
]

EXIT_UNREADABLE = 1
EXIT_PROBLEMS = 3


def require(replay: Replay, capability: str) -> None:
    """Refuse a replay of a format without one of `CAPABILITIES`, as wrong usage."""
    if capability not in replay.capabilities:
        what = CAPABILITIES[capability].partition(" (")[0]
        raise typer.BadParameter(f"{replay.name} is a {replay.format} replay, which cannot {what}")


def _files_in(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those below; the folder of a broadcast is one."""
    for path in sorted(folder.iterdir()):
        if path.is_file() or is_broadcast_folder(path):
            yield path
        elif path.is_dir():
            yield from _files_in(path)


class Reading:
    """The files of one command, opened one after the other, and how that went."""

    def __init__(
        self, files: list[str], *, strict: bool, stream: bool = False, skip_foreign: bool = False
    ) -> None:
        """Prepare to open `files`.

        Args:
            strict: stop each at its first problem.
            stream: read in flat memory, for work that is one pass from front to back.
            skip_foreign: folders are allowed; what is in one of them and is no replay is passed over.
        """
        self._stream = stream
        self._files = files
        self._skip_foreign = skip_foreign
        self._strict = strict
        self._unreadable = 0
        self._with_problems = 0
        self.bar = ProgressBar()

    def __iter__(self) -> Iterator[Replay]:
        for file, in_folder in self._inputs():
            self.bar.start(Path(file).name)
            try:
                target = sys.stdin.buffer if file == "-" else file
                yield open(target, strict=self._strict, stream=self._stream, progress=self.bar.update)
            except (ReplayError, OSError) as error:
                if not (in_folder and isinstance(error, UnknownFormat)):
                    self.failed(file, error)
            finally:
                self.bar.stop()

    def _inputs(self) -> Iterator[tuple[str, bool]]:
        """Yield each file, and whether it was found in a folder."""
        for name in self._files:
            folder = Path(name)
            if self._skip_foreign and folder.is_dir() and not is_broadcast_folder(folder):
                yield from ((str(path), True) for path in _files_in(folder))
            else:
                yield name, False

    def failed(self, file: str, error: Exception) -> None:
        """Report that `file` cannot be read."""
        self._unreadable += 1
        text = str(error) if file in str(error) else f"{file}: {error}"
        print(f"playhead: error: {text}", file=sys.stderr)

    def problems(self, replay: Replay) -> None:
        """Report what could not be read of `replay`, which is read to its end for it."""
        self._problems(replay, replay.problems)

    def problems_so_far(self, replay: Replay) -> None:
        """Report what could not be read of what was read already."""
        self._problems(replay, replay.problems_so_far)

    def _problems(self, replay: Replay, problems: tuple[Problem, ...]) -> None:
        if problems:
            self._with_problems += 1
        for problem in problems:
            print(f"playhead: problem: {replay.name}: {problem}", file=sys.stderr)

    def finish(self) -> None:
        """Exit with the status of this run."""
        if self._unreadable:
            raise typer.Exit(EXIT_UNREADABLE)
        if self._with_problems:
            raise typer.Exit(EXIT_PROBLEMS)
