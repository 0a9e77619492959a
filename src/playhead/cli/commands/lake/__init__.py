"""Inspect and maintain a lake, the tables of many replays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playhead.cli.arguments import EXIT_FAILED, Exit, Parser
from playhead.cli.output.standard import print_error


def add_lake(parser: Parser) -> None:
    """Add the argument ``lake``."""
    parser.add_argument("lake", metavar="LAKE", help="Folder or URL of the lake.")


@contextmanager
def lake_errors() -> Iterator[None]:
    """Print an error of the lake and end with status 1.

    Raises:
        Exit: there was an error.
    """
    try:
        yield
    except (OSError, ValueError, ModuleNotFoundError) as error:
        print_error(str(error))
        raise Exit(EXIT_FAILED) from None
