"""``playhead lake remove``: replays taken out of a lake for good."""

from __future__ import annotations

from playhead.cli.arguments import EXIT_FAILED, Exit, Parser
from playhead.cli.commands.lake import add_lake, lake_errors
from playhead.cli.output.standard import print_error, print_out
from playhead.text.names import counted


def add_arguments(parser: Parser) -> None:
    add_lake(parser)
    parser.add_argument("replays", metavar="REPLAY", nargs="+", help="SHA-256 of a replay, as in table info.")


def run(lake: str, replays: list[str]) -> None:
    """Remove replays for good.

    No file of the lake has their rows afterwards, so its earlier versions go too.
    """
    from playhead.corpus import remove

    try:
        with lake_errors():
            count = remove(lake, replays)
    except KeyError as error:
        print_error(str(error.args[0]))
        raise Exit(EXIT_FAILED) from None
    print_out(f"{counted(count, 'replay')} removed")
