"""Standard output and standard error, used as a shell expects.

Standard output is wrapped at its lowest level: an error there raises `OutputFailed`, which no ``except OSError``
around an input catches, and wipes the progress bar first. Control characters are escaped, because most printed
text comes from files.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys

from playhead.runtime.typing import Any, BinaryIO, Protocol, cast
from playhead.text.visible import visible, visible_lines


class OutputFailed(Exception):
    """Standard output cannot be written.

    Attributes:
        is_closed: its reader has closed it, as ``head`` does.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        # Windows reports a closed pipe as EINVAL.
        self.is_closed = error.errno == errno.EPIPE or (os.name == "nt" and error.errno == errno.EINVAL)


class Bar(Protocol):
    """A progress bar; other output appears above it."""

    def hide(self) -> None: ...
    def stop(self) -> None: ...


class _Screen:
    """The bar that is on the screen, if any."""

    bar: Bar | None = None
    #: What the user asked not to be shown.
    no_notes = False
    no_bars = False


_screen = _Screen()


def hush(*, notes: bool, bars: bool) -> None:
    """Print no notes or no bars in this run of a command."""
    _screen.no_notes, _screen.no_bars = notes, bars


def shows_bars() -> bool:
    """Return whether progress may be shown: standard error is a terminal, and the user did not decline."""
    return not _screen.no_bars and sys.stderr is not None and sys.stderr.isatty()


def show_bar(bar: Bar | None) -> None:
    """Register the bar that is on the screen; None removes it."""
    _screen.bar = bar


def stop_bar() -> None:
    """Remove the bar from the screen."""
    if _screen.bar is not None:
        _screen.bar.stop()


def print_out(text: object = "") -> None:
    """Print one line on standard output; line ends within the text are escaped."""
    print(visible(str(text)))


def binary_output() -> BinaryIO:
    """Return standard output for bytes.

    Raises:
        OutputFailed: it is a terminal.
    """
    if sys.stdout.isatty():
        raise OutputFailed(OSError("a terminal cannot show bytes: send them into a pipe or a file"))
    sys.stdout.flush()
    return cast(BinaryIO, sys.stdout.buffer)


def print_json(value: object, *, flush: bool = False) -> None:
    """Print a value as one line of JSON."""
    from playhead.text.json import to_json

    print_out(to_json(value))
    if flush:
        sys.stdout.flush()


def print_err(text: str, *more: str) -> None:
    """Print a line on standard error, above the bar; `more` lines are indented below it."""
    if _screen.bar is not None:
        _screen.bar.hide()
    print(visible(text), file=sys.stderr)
    for line in more:
        print(f"    {visible(line)}", file=sys.stderr)


def print_error(text: str, *more: str) -> None:
    """Print what failed."""
    print_err(f"playhead: error: {text}", *more)


def print_note(text: str) -> None:
    """Print a fact about the run that is no failure."""
    if not _screen.no_notes:
        print_err(f"playhead: note: {text}")


class VisibleText(io.TextIOWrapper):
    """Standard output with control characters escaped."""

    def write(self, text: str, /) -> int:
        super().write(visible_lines(text))
        return len(text)

    def write_styled(self, text: str) -> None:
        """Write text with our own escape sequences; the caller has escaped text from files."""
        super().write(text)


class StyledOutput:
    """The file for rich to write styles to; the caller makes the text visible."""

    def __init__(self) -> None:
        stdout = sys.stdout
        self.encoding = stdout.encoding
        self.isatty = stdout.isatty
        self.flush = stdout.flush
        self.fileno = stdout.fileno
        self.write = stdout.write_styled if isinstance(stdout, VisibleText) else stdout.write


class PrintedFile(io.BufferedIOBase):
    """A binary file that prints its UTF-8 bytes as text with control characters escaped."""

    def __init__(self) -> None:
        super().__init__()
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        sys.stdout.write(self._decoder.decode(bytes(data)))
        return memoryview(data).nbytes


class _GuardedOutput(io.RawIOBase):
    """The raw end of standard output."""

    def __init__(self, inner: io.RawIOBase) -> None:
        self._inner = inner
        self._failed = False
        self._is_terminal = inner.isatty()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._inner.fileno()

    def isatty(self) -> bool:
        return self._is_terminal

    def write(self, data: Any, /) -> int | None:
        # After an error, buffered data is dropped. An empty write does not touch the device.
        if self._failed or not memoryview(data).nbytes:
            return memoryview(data).nbytes
        if self._is_terminal and _screen.bar is not None:
            _screen.bar.hide()
        try:
            return self._inner.write(data)
        except OSError as error:
            self._failed = True
            raise OutputFailed(error) from None


def guard_stdout() -> None:
    """Make standard output raise `OutputFailed` and escape control characters, if it is a file."""
    stdout = sys.stdout
    buffer = getattr(stdout, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # python -u has no buffer between
    if not isinstance(raw, io.RawIOBase):
        return
    guarded = _GuardedOutput(raw)
    encoding = stdout.encoding
    if os.name == "nt" and not guarded.isatty() and "PYTHONIOENCODING" not in os.environ:
        encoding = "utf-8"  # a file or pipe, as on other systems: its reader expects JSON and CSV so
    sys.stdout = VisibleText(
        guarded if buffer is raw else io.BufferedWriter(guarded),  # type: ignore[arg-type]
        encoding=encoding,
        # File names are written as the bytes they are; characters that the encoding lacks are escaped.
        errors="surrogateescape" if encoding.lower().startswith("utf") else "backslashreplace",
        newline="\n",
        line_buffering=bool(stdout.line_buffering),
        write_through=bool(getattr(stdout, "write_through", False)),
    )
