"""The command line: one file per command. Exit status: 0 fine, 1 could not read, 2 usage, 3 read with problems."""

from __future__ import annotations


def main() -> None:
    """Entry point of the ``playhead`` program."""
    from playhead.cli.app import app

    app()


__all__ = ["main"]
