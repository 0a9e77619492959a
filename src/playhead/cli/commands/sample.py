"""``playhead sample``: synthetic replays to try everything with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from playhead.cli.arguments import Parser, UsageError, bounded
from playhead.cli.output.standard import print_out
from playhead.samples.games import LONG, MATCHES, SHORTEST, SMALL, write_long, write_match, write_small


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="Folder to write to; created if it does not exist."
    )
    parser.option(
        "--minutes N",
        "Write longer replays instead: a Dota 2 match (ten heroes, about 900 entities, full packets) and a "
        "StarCraft II game (two economies, a fight every 90 seconds) of this length.",
        type=bounded(float, 0.01, 240),
    )
    parser.option(
        "--game",
        "Write only the sample of this game. cs2 and deadlock: a match (of --minutes, at least 2), with its story "
        "as JSON beside it.",
        choices=(*MATCHES, *SMALL),
    )
    parser.option(
        "--seed N",
        "Seed of the match of --game (cs2 or deadlock; no other sample has one): people, places, hits and luck "
        "differ, and the file's name ends with it.",
        type=bounded(int, 0, 1 << 32),
    )
    parser.flag("--broadcast", "Write the match as the folder of a broadcast.")


def run(
    folder: Path, *, minutes: float | None, game: str | None, seed: int | None = None, broadcast: bool
) -> None:
    """Write small synthetic replays to try everything with."""
    if seed is not None and game not in MATCHES:
        raise UsageError("only a match of --game cs2 or deadlock has a seed", "--seed")
    if game is not None and broadcast:
        raise UsageError("the broadcast is that of the Dota 2 match", "--game")
    if game in MATCHES and minutes is not None and minutes < SHORTEST:
        raise UsageError(f"a match with a story has at least {SHORTEST:g} minutes", "--minutes")
    if game in SMALL and game not in LONG and minutes is not None:
        raise UsageError(f"the sample of {game} has one length", "--minutes")
    folder.mkdir(parents=True, exist_ok=True)
    for written in _write(folder, minutes, game, seed, broadcast):
        print_out(written)


def _write(
    folder: Path, minutes: float | None, game: str | None, seed: int | None, broadcast: bool
) -> Iterator[Path]:
    if game in MATCHES:
        yield from write_match(game, folder, minutes, seed)
    elif broadcast:
        from playhead.samples.source2.broadcast import write_sample_broadcast

        yield write_sample_broadcast(folder, minutes)
    elif minutes is not None:
        yield from write_long(game, folder, minutes)
    else:
        yield from write_small(game, folder)
