"""Opens the files of a command line, reports errors and problems, and decides the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playhead import Problem, Replay, ReplayError, UnknownFormat
from playhead.capabilities import CAPABILITIES
from playhead.cli.arguments import EXIT_FAILED, EXIT_PROBLEMS, EXIT_USAGE, Exit, UsageError
from playhead.cli.output.progress import ProgressBar
from playhead.cli.output.standard import print_err, print_error, print_json, print_note, print_out
from playhead.io.inputs import STDIN, InputFile, expand_inputs, is_one_file
from playhead.model import Options
from playhead.registry import has_replay_name, is_replay, open_replay
from playhead.text.names import counted


class Reading:
    """The files of one command: opens one after the other and counts errors.

    Attributes:
        several: there may be more than one file: several were named, or a folder, pattern or list.
    """

    def __init__(
        self,
        names: list[str],
        *,
        strict: bool,
        stream: bool = False,
        disk: bool = False,
        one_each: bool = False,
        as_json: bool = False,
    ) -> None:
        """Prepare to open `names`; see `playhead.io.inputs`.

        Args:
            strict: stop reading a file at its first problem.
            stream: read in flat memory, for commands that read once from front to back.
            disk: keep a large file in memory only while it is read; see `open_source`.
            as_json: print an object with ``file`` and ``error`` for a file that failed or lacks what is asked.
            one_each: each name is exactly one file, for commands that take one or two.
        """
        self.several = not one_each and (len(names) != 1 or not is_one_file(names[0]))
        self._names = names
        self._one_each = one_each
        self._as_json = as_json
        self._stream = stream
        self._disk = disk
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
                self._bar.begin(os.path.basename(file.path))
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
            if not (file.named or has_replay_name(file.path) or is_replay(file.path)):
                self._skipped += 1
                return
            target = sys.stdin.buffer if file.path == STDIN else file.path
            options = Options(strict=self._strict, progress=self._bar.update)
            replay = open_replay(target, options, stream=self._stream, disk=self._disk)
        except (ReplayError, OSError, ModuleNotFoundError, MemoryError) as error:
            self.failed(file.path, error)
            return
        self._opened += 1
        yield replay

    def print_title(self, replay: Replay) -> None:
        """Print the file's name above its output, if there are several files."""
        if self.several:
            print_out(f"==> {replay.name} <==")

    def can(self, replay: Replay, capability: str) -> bool:
        """Return whether a replay has one of `CAPABILITIES`; if not, skip it as `lacks` does."""
        if capability in replay.capabilities:
            return True
        self.lacks(replay, f"cannot {CAPABILITIES[capability].partition(' (')[0]}", all_of_it=True)
        return False

    def lacks(self, replay: Replay, text: str, *, all_of_it: bool) -> None:
        """Skip something that a replay lacks; `finish` prints a note.

        Args:
            text: ``cannot …`` or ``has no …``.
            all_of_it: the replay has nothing that the command asked for.

        Raises:
            UsageError: it is the only file.
        """
        if all_of_it:
            self._without(replay, f"{replay.name} is a {replay.format_title}, which {text}")
        if not self.several:
            raise UsageError(f"{replay.name} is a {replay.format_title}, which {text}")
        self.misses(replay, text)

    def misses(self, replay: Replay, text: str) -> None:
        """Like `lacks`, but no error if the replay is the only file."""
        self._lacking.setdefault((replay.format_title, text), []).append(replay.name)

    def note(self, replay: Replay, text: str, *, option: str) -> None:
        """Print that an option does not fit one of several files.

        Raises:
            UsageError: it is the only file.
        """
        self._without(replay, text)
        if not self.several:
            raise UsageError(text, option)
        print_note(f"{replay.name}: {text}")

    def _without(self, replay: Replay, text: str) -> None:
        """Count a replay of which nothing is printed, and print its reason as JSON."""
        self._unable += 1
        if self._as_json:
            print_json({"file": replay.name, "error": text})

    @contextmanager
    def guard(self, replay: Replay, *more: type[Exception]) -> Iterator[None]:
        """Report a `ReplayError`, a lack of memory, or one of `more` errors of the block; leave the block."""
        expected: tuple[type[Exception], ...] = (ReplayError, MemoryError, *more)
        try:
            yield
        except expected as error:
            self.failed(replay.name, error)

    def failed(self, file: str, error: Exception) -> None:
        """Report a file that cannot be read."""
        self._unreadable += 1
        text = error_text(file, error)
        print_error(text)
        if self._as_json:
            print_json({"file": file, "error": text})

    def problems(self, replay: Replay) -> None:
        """Read the replay to its end and print all problems."""
        self._problems(replay, replay.problems)

    def problems_so_far(self, replay: Replay) -> None:
        """Print the problems found so far, without reading more."""
        self._problems(replay, replay.problems_so_far)

    def _problems(self, replay: Replay, problems: tuple[Problem, ...]) -> None:
        self._with_problems += bool(problems)
        self._problem_count += len(problems)
        for problem in problems:
            print_err(f"playhead: problem: {replay.name}: {problem}")

    def check_any(self) -> None:
        """Return if at least one replay was opened.

        Raises:
            Exit: none was; the errors of each file have been printed.
        """
        if self._opened:
            return
        if not self._unreadable:
            print_error(f"no replay in {', '.join(self._names)}")
        print_skipped(self._skipped)
        raise Exit(EXIT_FAILED)

    def finish(self) -> None:
        """Print notes on skipped files and missing data.

        Raises:
            Exit: something failed or had problems.
        """
        self.check_any()
        print_skipped(self._skipped)
        for (title, text), names in self._lacking.items():
            if len(names) == 1:
                print_note(f"{names[0]} is a {title}, which {text}")
            else:
                print_note(f"{len(names)} files: a {title} {text}")
        if self._unreadable:
            raise Exit(EXIT_FAILED)
        if self._unable == self._opened:
            raise Exit(EXIT_USAGE)
        if self._with_problems:
            raise Exit(EXIT_PROBLEMS)


def print_skipped(files: int) -> None:
    """Print how many files of a folder or pattern were skipped."""
    if files:
        print_note(f"skipped {counted(files, 'file')} without a replay")


def error_text(file: str, error: Exception) -> str:
    """Return the message of an error about a file, naming the file once."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror is not None:
        text = error.strerror
    if isinstance(error, MemoryError):  # it often has no text
        text = "not enough memory"
    if isinstance(error, UnknownFormat) and file == STDIN:
        text += " (for a list of files on standard input: @-)"
    return text if file in text and file != STDIN else f"{file}: {text}"


def missing_input(error: FileNotFoundError) -> UsageError:
    """Return the error of a command whose argument FILE names no file."""
    return UsageError(str(error) if error.filename is None else error_text(error.filename, error), "FILE")
