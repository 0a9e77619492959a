"""Opening the files of a command line: errors and problems on standard error, and the exit status."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from playhead import Problem, Replay, ReplayError, UnknownFormat, open
from playhead.capabilities import CAPABILITIES
from playhead.cli.output.progress import ProgressBar
from playhead.cli.output.standard import print_err
from playhead.io.inputs import STDIN, InputFile, expand_inputs, is_one_file
from playhead.registry import is_replay

FilesArgument = Annotated[
    list[str],
    typer.Argument(
        help="Replays: files or URLs, also compressed (.xz .gz .bz2 .zst), folders, patterns ('*.dem'), packs "
        "(zip, tar), lists of such (@list.txt, @- on standard input), broadcasts; - is a replay on standard "
        "input.",
        metavar="FILE|DIR...",
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
FormulasOption = Annotated[
    bool,
    typer.Option(
        "--formulas/--no-formulas",
        help="CSV: texts as they are; or with an apostrophe before those that a spreadsheet takes for formulas, "
        "and control characters spelled out.",
    ),
]

EXIT_UNREADABLE = 1
EXIT_USAGE = 2
EXIT_PROBLEMS = 3


class Reading:
    """The files of one command, opened one after the other, and how that went.

    Attributes:
        several: there may be more than one: several were named, or a folder, pattern or list.
    """

    def __init__(self, names: list[str], *, strict: bool, stream: bool = False, one_each: bool = False) -> None:
        """Prepare to open what `names` mean; see `playhead.io.inputs`.

        Args:
            strict: stop each at its first problem.
            stream: read in flat memory, for work that is one pass from front to back.
            one_each: each name is that of one file, for commands that take just one or two.
        """
        self.several = not one_each and (len(names) != 1 or not is_one_file(names[0]))
        self._names = names
        self._one_each = one_each
        self._stream = stream
        self._strict = strict
        self._opened = 0
        self._skipped = 0
        self._unreadable = 0
        self._with_problems = 0
        self._problem_count = 0
        self._unable = 0
        self._lacking: dict[tuple[str, str], list[str]] = {}
        self._bar = ProgressBar()

    def __iter__(self) -> Iterator[Replay]:
        if self._one_each:
            files = [InputFile(name, True) for name in self._names]
        else:
            files = list(expand_inputs(self._names))
        self._bar.start([file.size for file in files])
        try:
            for file in files:
                self._bar.begin(Path(file.path).name)
                before = self._problem_count
                yield from self._open(file)
                self._bar.end(self._problem_count - before)
        finally:
            self._bar.stop()

    def _open(self, file: InputFile) -> Iterator[Replay]:
        """Yield the replay in a file, if there is one."""
        try:
            if file.error is not None:
                raise file.error
            if not file.named and not is_replay(file.path):
                self._skipped += 1
                return
            target = sys.stdin.buffer if file.path == STDIN else file.path
            replay = open(target, strict=self._strict, stream=self._stream, progress=self._bar.update)
        except (ReplayError, OSError, ModuleNotFoundError) as error:
            self.failed(file.path, error)
            return
        self._opened += 1
        yield replay

    def can(self, replay: Replay, capability: str) -> bool:
        """Whether a replay has one of `CAPABILITIES`; see `lacks` for one that has not."""
        if capability in replay.capabilities:
            return True
        self.lacks(replay, f"cannot {CAPABILITIES[capability].partition(' (')[0]}", all_of_it=True)
        return False

    def lacks(self, replay: Replay, what: str, *, all_of_it: bool) -> None:
        """Pass over what a replay lacks (`what`: cannot …, has no …), with a note in the end.

        Args:
            all_of_it: nothing that was asked for can be had of this replay.

        Raises:
            typer.BadParameter: it is the only one that was named.
        """
        if not self.several:
            raise typer.BadParameter(f"{replay.name} is a {replay.format} replay, which {what}")
        self.misses(replay, what)
        self._unable += all_of_it

    def misses(self, replay: Replay, what: str) -> None:
        """Note in the end that a replay lacks something, which is no mistake even if it is the only one."""
        self._lacking.setdefault((replay.format, what), []).append(replay.name)

    def note(self, replay: Replay, text: str, *, param_hint: str) -> None:
        """Say of one of several that it has not what an option asks for, and go on.

        Raises:
            typer.BadParameter: it is the only one that was named.
        """
        if not self.several:
            raise typer.BadParameter(text, param_hint=param_hint)
        self._unable += 1
        print_err(f"playhead: note: {replay.name}: {text}")

    def failed(self, file: str, error: Exception) -> None:
        """Report that `file` cannot be read."""
        self._unreadable += 1
        print_err(f"playhead: error: {error_text(file, error)}")

    def problems(self, replay: Replay) -> None:
        """Report what could not be read of `replay`, which is read to its end for it."""
        self._problems(replay, replay.problems)

    def problems_so_far(self, replay: Replay) -> None:
        """Report what could not be read of what was read already."""
        self._problems(replay, replay.problems_so_far)

    def _problems(self, replay: Replay, problems: tuple[Problem, ...]) -> None:
        self._with_problems += bool(problems)
        self._problem_count += len(problems)
        for problem in problems:
            print_err(f"playhead: problem: {replay.name}: {problem}")

    def check_any(self) -> None:
        """Exit if no replay could be opened.

        Raises:
            typer.Exit: none could; what was wrong with each has been printed.
        """
        if self._opened:
            return
        if not self._unreadable:
            print_err(f"playhead: error: no replay in {', '.join(self._names)}")
        self._print_skipped()
        raise typer.Exit(EXIT_UNREADABLE)

    def finish(self) -> None:
        """Print what was passed over, and exit with the status of this run."""
        self.check_any()
        self._print_skipped()
        for (format, what), names in self._lacking.items():
            if len(names) == 1:
                print_err(f"playhead: note: {names[0]} is a {format} replay, which {what}")
            else:
                print_err(f"playhead: note: {len(names)} {format} replays: such a replay {what}")
        if self._unreadable:
            raise typer.Exit(EXIT_UNREADABLE)
        if self._unable == self._opened:
            raise typer.Exit(EXIT_USAGE)
        if self._with_problems:
            raise typer.Exit(EXIT_PROBLEMS)

    def _print_skipped(self) -> None:
        if self._skipped:
            files = "1 file that is" if self._skipped == 1 else f"{self._skipped} files that are"
            print_err(f"playhead: note: passed over {files} no replay")


def error_text(file: str, error: Exception) -> str:
    """Return what to say of an error about a file, naming it once."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror is not None:
        text = error.strerror
    if isinstance(error, UnknownFormat) and file == STDIN:
        text += " (for a list of files on standard input: @-)"
    return text if file in text and file != STDIN else f"{file}: {text}"
