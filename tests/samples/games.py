"""Written recordings as files: those that playhead stores, and longer ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.samples import teehistorian
from tests.samples.hots import replay as hots
from tests.samples.sc2 import game as sc2_game
from tests.samples.sc2 import replay as sc2
from tests.samples.source2 import dota2
from tests.samples.source2.cs2_match import demo as cs2
from tests.samples.source2.deadlock import recording as deadlock
from tests.samples.source2.match_demo import match_demo

#: Games that have longer recordings.
LONG = ("cs2", "deadlock", "dota2", "sc2")
#: Minutes of stored recordings, and in those of CS2 and Deadlock the ticks between two steps of a player: most of
#: the bytes of a recording are steps.
_SC2_MINUTES, _CS2_MINUTES, _DEADLOCK_MINUTES, _STEP = 7.0, 4.0, 2.5, 12


def stored_samples() -> Iterator[tuple[str, bytes]]:
    """Make the files that playhead stores; yield name and bytes of each."""
    yield "sample_dota2.dem", dota2.sample_demo()[0]
    yield "sample_sc2.SC2Replay", sc2.sample_bytes()
    yield "sample_sc2_7min.SC2Replay", sc2_game.game_bytes(_SC2_MINUTES)
    yield "sample_hots.StormReplay", hots.sample_bytes()
    yield "sample_ddnet.teehistorian", teehistorian.sample_bytes()
    rounds = cs2.write_cs2_match(_CS2_MINUTES, step=_STEP)
    yield "sample_cs2.dem", rounds.data
    yield "sample_cs2.json", json.dumps(rounds.story).encode()
    match = deadlock.WrittenMatch(_DEADLOCK_MINUTES, new=True, step=_STEP)
    yield "sample_deadlock.dem", match.demo()
    yield "sample_deadlock.json", json.dumps(match.told()).encode()


def write_match(game: str, folder: Path, minutes: float, seed: int | None = None) -> list[Path]:
    """Write a recording of a game of `LONG`; return the paths of the recordings.

    One of CS2 or Deadlock has its story as JSON beside it, and needs at least two minutes. Deadlock has two: as
    before the update of 29 September 2026, and as after it (``…_new``).

    Args:
        game: the game.
        folder: an existing folder.
        minutes: length of the match.
        seed: another seed gives another match of CS2 or Deadlock, and ends the names of its files.
    """
    start = f"sample_{game}_{minutes:g}min{'' if seed is None else f'_seed{seed}'}"
    if game == "dota2":
        return [_write(folder / f"{start}.dem", match_demo(minutes)[0])]
    if game == "sc2":
        return [sc2_game.write_game(folder, minutes)]
    if game == "cs2":
        rounds = cs2.write_cs2_match(minutes) if seed is None else cs2.write_cs2_match(minutes, seed=seed)
        return [_write(folder / f"{start}.dem", rounds.data, rounds.story)]
    paths = []
    for new in (False, True):
        match = deadlock.WrittenMatch(minutes, new=new, seed=seed or 0)
        paths.append(_write(folder / f"{start}{'_new' if new else ''}.dem", match.demo(), match.told()))
    return paths


def _write(path: Path, data: bytes, story: dict[str, Any] | None = None) -> Path:
    path.write_bytes(data)
    if story is not None:
        path.with_suffix(".json").write_text(json.dumps(story))
    return path
