"""The samples of each game: ``playhead sample --game``."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

from playhead.io.atomic import write_whole
from playhead.registry import list_formats

#: Modules with ``write_sample(folder, minutes, seed) -> list[Path]``, by game: matches that tell their story.
MATCHES = {
    "cs2": "playhead.samples.source2.cs2_match.demo",
    "deadlock": "playhead.samples.source2.deadlock.recording",
}
#: Format whose small sample is that of the game.
SMALL = {"dota2": "source2", "sc2": "sc2", "hots": "hots", "ddnet": "teehistorian"}
#: Games of `SMALL` that have a longer one.
LONG = ("dota2", "sc2")
#: Minutes of the shortest match.
SHORTEST = 2.0


def write_match(game: str, folder: Path, minutes: float | None, seed: int | None = None) -> list[Path]:
    """Write the match of a game, with its story as JSON beside it; return the paths of the recordings.

    Args:
        minutes: its length; None is that of the game's sample.
        seed: another seed gives another match of the same length; None is that of the game's sample.
    """
    paths: list[Path] = importlib.import_module(MATCHES[game]).write_sample(folder, minutes, seed)
    return paths


def write_small(game: str | None, folder: Path) -> Iterator[Path]:
    """Write the small sample of a game, or with None of each format; yield the paths."""
    for known in list_formats():
        if game is None or known.name == SMALL[game]:
            yield known.write_sample(folder)


def write_long(game: str | None, folder: Path, minutes: float) -> Iterator[Path]:
    """Write the longer sample of a game of `LONG`, or with None of each; yield the paths."""
    from playhead.samples.sc2.game import write_game
    from playhead.samples.source2.match_demo import match_demo

    if game in (None, "dota2"):
        path = folder / f"sample_dota2_{minutes:g}min.dem"
        write_whole(path, match_demo(minutes)[0])
        yield path
    if game in (None, "sc2"):
        yield write_game(folder, minutes)
