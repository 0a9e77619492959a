"""The command line: one file per command.

Exit status: 0 fine, 1 something could not be read or written, 2 usage, 3 read with problems, 130 interrupted.
"""

from __future__ import annotations

import gc
import sys

# New objects after which Python looks for garbage: 700 by default, so that it looks 40 times through what a short
# command imports, which is a tenth of its time. What a long one makes and drops in circles is still found.
_NEW_OBJECTS = 100_000

_EXIT_FAILED = 1
_EXIT_INTERRUPTED = 130


def main() -> None:
    """Entry point of the ``playhead`` program.

    Who closes standard output (``| head``) has seen enough, and that is no error. Output that cannot be written, a
    missing package and Ctrl-C are a line on standard error, not a traceback.
    """
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])
    try:
        status = _run()
    except KeyboardInterrupt:
        status = _EXIT_INTERRUPTED
    if status == _EXIT_INTERRUPTED:
        print("playhead: interrupted", file=sys.stderr)
    if "duckdb" not in sys.modules:  # which says at the end what of it nobody let go of
        gc.freeze()  # the process ends: a last search for garbage would cost a fifth of a short command
    sys.exit(status)


def _run() -> int:
    """Run the program; return its exit status."""
    from playhead.cli.output.standard import OutputFailed, guard_stdout, print_err, stop_bar

    guard_stdout()
    try:
        status = _run_command()
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except OutputFailed as failure:
        if failure.is_closed:
            return 0
        print_err(f"playhead: error: standard output: {failure}")
        return _EXIT_FAILED
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "playhead":
            raise
        print_err(f"playhead: error: {error}")
        return _EXIT_FAILED
    finally:
        stop_bar()


def _run_command() -> int:
    """Run the command that the arguments name; return its exit status."""
    import typer

    from playhead.cli.program import app

    try:
        typer.main.get_command(app)(prog_name="playhead")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


__all__ = ["main"]
