"""The program itself: which commands there are, and what holds for all of them."""

from __future__ import annotations

from typing import Annotated

import typer

from playhead.cli.anonymize import anonymize
from playhead.cli.at import at
from playhead.cli.buildorder import buildorder
from playhead.cli.diff import diff
from playhead.cli.events import events
from playhead.cli.export import export
from playhead.cli.find import find
from playhead.cli.info import info
from playhead.cli.messages import messages
from playhead.cli.patterns import patterns
from playhead.cli.runs import runs
from playhead.cli.sample import sample
from playhead.cli.schema import schema
from playhead.cli.slice import slice_command
from playhead.cli.sql import sql
from playhead.cli.tables import tables
from playhead.cli.verify import verify

app = typer.Typer(
    name="playhead",
    help="Game replays as data: Source 2 .dem, StarCraft II .SC2Replay, DDNet teehistorian.\n\n"
    "Exit status: 0 fine, 1 something could not be read, 2 usage, 3 read with problems.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from playhead import __version__, hot

        print(f"playhead {__version__} ({hot.summary()})")
        raise typer.Exit


@app.callback()
def _everywhere(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the version, and whether the hot modules run compiled or interpreted (slow).",
        ),
    ] = False,
) -> None:
    """Holds the options that come before any command."""


for command in (
    *(info, events, tables, export, sql, schema, messages, patterns, runs),
    *(anonymize, buildorder, find, diff, verify, sample),
):
    app.command()(command)
app.command("at", context_settings={"ignore_unknown_options": True})(at)  # a time may be negative
app.command("slice")(slice_command)
