"""``playhead sample``: synthetic replays to try everything with."""

from __future__ import annotations

from pathlib import Path

from playhead.cli.arguments import Parser, UsageError, bounded
from playhead.cli.output.standard import print_out
from playhead.io.atomic import write_whole
from playhead.registry import list_formats
from playhead.samples.source2.matches import MATCHES, SHORTEST, write_match


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
        "Write a match of this game instead (of --minutes, at least 2), with its story as JSON beside it. "
        "The Dota 2 match is that of --minutes alone.",
        choices=tuple(MATCHES),
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
    """Write a small synthetic replay of each format, made by playhead's own writers."""
    if seed is not None and game is None:
        raise UsageError("only a match of --game has a seed", "--seed")
    if game is not None:
        if broadcast:
            raise UsageError("a match with a story has one form", "--game")
        if minutes is not None and minutes < SHORTEST:
            raise UsageError(f"a match with a story has at least {SHORTEST:g} minutes", "--minutes")
        folder.mkdir(parents=True, exist_ok=True)
        for written in write_match(game, folder, minutes, seed):
            print_out(written)
        return
    folder.mkdir(parents=True, exist_ok=True)
    if broadcast:
        from playhead.samples.source2.broadcast import write_sample_broadcast

        print_out(write_sample_broadcast(folder, minutes))
        return
    if minutes is not None:
        from playhead.samples.sc2.game import write_game
        from playhead.samples.source2.match_demo import match_demo

        path = folder / f"sample_dota2_{minutes:g}min.dem"
        write_whole(path, match_demo(minutes)[0])
        print_out(path)
        print_out(write_game(folder, minutes))
        return
    for known in list_formats():
        print_out(known.write_sample(folder))
