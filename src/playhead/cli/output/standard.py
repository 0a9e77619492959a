"""Standard output and standard error, as a shell expects them to be used.

Standard output is wrapped at its lowest level: an error there becomes `OutputFailed`, which no ``except OSError``
for an input takes for its own, and a progress bar in the way is wiped first. Control characters in text are
spelled out: most of what is printed comes from files.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from typing import Any, Protocol

from playhead.text.visible import visible, visible_lines


class OutputFailed(Exception):
    """Standard output takes no more.

    Attributes:
        is_closed: its reader has gone, as ``head`` does.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        # Windows has EINVAL for a pipe whose reader has gone.
        self.is_closed = error.errno == errno.EPIPE or (os.name == "nt" and error.errno == errno.EINVAL)


class Bar(Protocol):
    """A progress bar: what else is written goes above it."""

    def hide(self) -> None: ...
    def stop(self) -> None: ...


class _Screen:
    """The bar that is shown now, if any."""

    bar: Bar | None = None


_screen = _Screen()


def show_bar(bar: Bar | None) -> None:
    """Say which bar is on the screen: none, if None."""
    _screen.bar = bar


def stop_bar() -> None:
    """Take away the bar that is on the screen."""
    if _screen.bar is not None:
        _screen.bar.stop()


def print_out(text: object = "") -> None:
    """Print a line on standard output. What would end it earlier is from a file, and is spelled out."""
    print(visible(str(text)))


def print_err(text: str, *more: str) -> None:
    """Print a line on standard error, above the bar; what belongs to it stands in lines below, further in."""
    if _screen.bar is not None:
        _screen.bar.hide()
    print(visible(text), file=sys.stderr)
    for line in more:
        print(f"    {visible(line)}", file=sys.stderr)


def counted(number: int, what: str, several: str | None = None) -> str:
    """Return a number of things: ``1 replay``, ``2 replays``; `several` is a plural without s."""
    return f"{number} {what if number == 1 else several or what + 's'}"


class VisibleText(io.TextIOWrapper):
    """Standard output, with control characters spelled out."""

    def write(self, text: str, /) -> int:
        super().write(visible_lines(text))
        return len(text)

    def write_styled(self, text: str) -> None:
        """Write text with escape sequences of our own, which holds none of a file."""
        super().write(text)


class StyledOutput:
    """Where rich may write its styles; what it is given to show is for the caller to make visible."""

    def __init__(self) -> None:
        stdout = sys.stdout
        self.encoding = stdout.encoding
        self.isatty = stdout.isatty
        self.flush = stdout.flush
        self.fileno = stdout.fileno
        self.write = stdout.write_styled if isinstance(stdout, VisibleText) else stdout.write


class PrintedFile(io.BufferedIOBase):
    """A file whose bytes, which are UTF-8, are printed as text: with control characters spelled out."""

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
        # Nothing to write is no test of the device; what is left in buffers after an error is let go.
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
    """Let standard output raise `OutputFailed` from now on, unless it is an object that is no file."""
    stdout = sys.stdout
    buffer = getattr(stdout, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # python -u has no buffer between
    if not isinstance(raw, io.RawIOBase):
        return
    guarded = _GuardedOutput(raw)
    encoding = stdout.encoding
    sys.stdout = VisibleText(
        guarded if buffer is raw else io.BufferedWriter(guarded),  # type: ignore[arg-type]
        encoding=encoding,
        # Names of files come out as the bytes they are; what another encoding lacks is spelled out.
        errors="surrogateescape" if encoding.lower().startswith("utf") else "backslashreplace",
        line_buffering=bool(stdout.line_buffering),
        write_through=bool(getattr(stdout, "write_through", False)),
    )
