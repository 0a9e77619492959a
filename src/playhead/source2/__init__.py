"""Source 2 demos (``.dem``): the engine's part; each game has a package of its own on top.

games; container ──► messages ──► string tables, schema ──► entities ──► playback ──► tables ──► replay
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from playhead.source2.games import GAMES, UNKNOWN_GAME

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.registry import Vocabulary
    from playhead.replay import Replay

__all__ = ["GAMES", "open_replay", "vocabulary", "write_sample"]


def open_replay(source: Source, options: Options) -> Replay:
    """Return the demo in `source`, of its game's own type where there is one; reads its head only.

    Raises:
        UnsupportedVersion: a Source 1 demo, or a Source 2 one of the 2014 workshop alpha.
        CorruptReplay, TruncatedReplay: the head cannot be read; nothing came of a broadcast.
    """
    from playhead.io.source import read_all
    from playhead.runtime.garbage import COLLECTOR_PAUSED

    with COLLECTOR_PAUSED:  # what imports make stays
        from playhead.source2.replay import Source2Replay

    if source.fragments is not None:
        from playhead.source2.container.broadcast import open_broadcast
        from playhead.source2.messages.state import state_messages

        source = open_broadcast(source, options.limits, state_messages)
    if source.stream is not None and source.stream.follow is None:
        source = read_all(source, options.limits)  # frames are read more than once
    replay = Source2Replay(source, options)
    package = GAMES.get(replay.game, UNKNOWN_GAME).package
    if package is None or (source.stream is not None and not source.stream.reopenable):
        return replay  # what was read of such a stream cannot be read again
    game_replay: Replay = importlib.import_module(package).open_replay(source, options)
    return game_replay


def write_sample(folder: Path) -> Path:
    """Write ``sample_dota2.dem``, a small synthetic Dota 2 recording; returns its path."""
    from playhead.samples.source2 import dota2 as sample

    return sample.write_sample(folder)


def vocabulary() -> Vocabulary:
    """Return the words that the engine and its games know."""
    from playhead.registry import Vocabulary
    from playhead.source2.tables import TABLES

    found = Vocabulary(
        frozenset(TABLES.tables()),
        frozenset(source.kind for maker in TABLES.makers() for source in maker.events),
    )
    for game in GAMES.values():
        if game.package is not None:
            found |= importlib.import_module(game.package).vocabulary()
    return found
