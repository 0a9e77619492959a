"""The command line.

Exit status: 0 success, 1 something could not be read or written, 2 usage, 3 read with problems, 130 interrupted,
143 terminated.
"""

from __future__ import annotations

import gc
import signal
import sys

from playhead.runtime.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

# New objects after which Python collects garbage. The default of 700 makes it run 40 times during the imports of a
# short command, a tenth of its time.
_NEW_OBJECTS = 100_000

_EXIT_FAILED = 1
#: More than the number of the signal that ended the command, as shells count.
_EXIT_SIGNAL = 128

#: The signals to end that came.
_came: list[int] = []


def main() -> None:
    """Entry point of the ``playhead`` program."""
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])
    try:
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _terminate)
        status = run(sys.argv[1:])
    except KeyboardInterrupt:  # before or after the command
        text, status = _ended()
        sys.stderr.write(f"{text}\n")
    if "duckdb" not in sys.modules:  # it reports objects that were not released
        gc.freeze()  # the process ends: a last collection would cost a fifth of a short command
    sys.exit(status)


def _terminate(number: int, frame: FrameType | None) -> None:
    """End as after Ctrl-C, without temporary files."""
    _came.append(number)
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # a shell's background jobs ignore it
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def _ended() -> tuple[str, int]:
    """Return what is said at the end by a signal, and the exit status."""
    number = _came[-1] if _came else signal.SIGINT
    return f"playhead: {'terminated' if _came else 'interrupted'}", _EXIT_SIGNAL + number


def run(words: list[str]) -> int:
    """Run the command that `words` name; return the exit status.

    Closing standard output early (``| head``) is no error. Output that cannot be written, a missing
    package, too little memory and Ctrl-C print a line on standard error instead of a traceback.
    """
    from playhead.cli.output.standard import OutputFailed, guard_stdout, print_error, stop_bar

    guard_stdout()
    try:
        from playhead.cli.program import run

        status = run(words)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return _interrupted()
    except OutputFailed as failure:
        if failure.is_closed:
            return 0
        print_error(f"standard output: {failure}")
        return _EXIT_FAILED
    except MemoryError:
        print_error("not enough memory")
        return _EXIT_FAILED
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "playhead":
            raise
        print_error(str(error))
        return _EXIT_FAILED
    except Exception as error:
        if not _is_interrupt(error):
            raise
        return _interrupted()
    finally:
        stop_bar()


def _interrupted() -> int:
    from playhead.cli.output.standard import print_err, stop_bar

    stop_bar()
    text, status = _ended()
    print_err(text)
    # If the signal came while code made of text ran, as imports run it for dataclasses, Python ends by the signal,
    # though it was caught; the next such code makes it forget that.
    eval("None")
    return status


def _is_interrupt(error: BaseException | None) -> bool:
    """Tell whether an error is Ctrl-C in other words: of DuckDB, or of Python 3.11 where it makes a class."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or str(error) == "Query interrupted":
            return True
        error = error.__cause__
    return False


__all__ = ["main", "run"]
