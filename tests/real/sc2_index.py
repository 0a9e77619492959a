"""The StarCraft II replays of the corpus, as its index lists them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.opened import open_as

from playhead.sc2.replay import Sc2Replay


@cache
def sc2_rows(folder: Path) -> list[dict[str, str]]:
    """Return the rows of the index: the path of each file below the folder, and facts about it."""
    with (folder / "INDEX.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def sc2_replays(folder: Path, step: int = 1) -> Iterator[tuple[str, Sc2Replay]]:
    """Yield every file that is `step` places after the last one, with its replay."""
    for row in sc2_rows(folder)[::step]:
        yield row["file"], open_as(Sc2Replay, folder / row["file"])
