"""``playhead sample``: synthetic replays to try everything with."""

from __future__ import annotations

from pathlib import Path

from playhead.cli.arguments import Parser, UsageError
from playhead.cli.output.standard import print_note, print_out
from playhead.registry import list_formats
from playhead.samples import FILES, write_sample_broadcast, write_stored


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="Folder to write to; created if it does not exist."
    )
    parser.option(
        "--game",
        "Write the samples of this game. sc2: one of 7 minutes too; cs2 and deadlock: a match, and its story as "
        "JSON.",
        choices=tuple(FILES),
    )
    parser.flag("--broadcast", "Write the Dota 2 match as the folder of a broadcast.")


def run(folder: Path, *, game: str | None, broadcast: bool) -> None:
    """Write small synthetic replays to try everything with."""
    if game is not None and broadcast:
        raise UsageError("the broadcast is that of the Dota 2 match", "--game")
    folder.mkdir(parents=True, exist_ok=True)
    if broadcast:
        print_out(write_sample_broadcast(folder))
    elif game is not None:
        for name in FILES[game]:
            print_out(write_stored(name, folder))
    else:
        for known in list_formats():
            print_out(known.write_sample(folder))
        print_note("more samples: --game cs2, --game deadlock; --game sc2 has one of 7 minutes too")
