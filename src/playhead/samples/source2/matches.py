"""The games with a written match that tells its story: ``playhead sample --game``."""

from __future__ import annotations

import importlib
from pathlib import Path

#: Modules with ``write_sample(folder, minutes, seed) -> list[Path]``, by game.
MATCHES = {
    "cs2": "playhead.samples.source2.cs2_match.demo",
    "deadlock": "playhead.samples.source2.deadlock.recording",
}
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
