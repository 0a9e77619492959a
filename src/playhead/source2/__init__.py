"""Source 2 demos (``.dem``): the engine; each game has its own package on top.

games; container ──► messages ──► string tables, schema ──► entities ──► playback ──► tables ──► replay
"""

from __future__ import annotations

import importlib

from playhead.runtime.typing import TYPE_CHECKING
from playhead.source2.games import GAMES, UNKNOWN_GAME

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.registry import Vocabulary
    from playhead.replay import Replay

__all__ = ["GAMES", "open_replay", "vocabulary", "write_sample"]


def open_replay(source: Source, options: Options) -> Replay:
    """Return the demo in `source`, in the type of its game if it has one; reads only its head.

    Raises:
        UnsupportedVersion: a Source 1 demo, or a Source 2 demo of the 2014 workshop alpha.
        CorruptReplay, TruncatedReplay: the head cannot be read, or a broadcast is empty.
    """
    from playhead.io.source import read_all
    from playhead.runtime.garbage import GC_PAUSED

    with GC_PAUSED:  # imported modules stay alive anyway
        from playhead.source2.replay import Source2Replay

    if source.fragments is not None:
        from playhead.source2.container.broadcast import open_broadcast
        from playhead.source2.messages.packet import server_tick, state_messages

        source = open_broadcast(source, options.limits, state_messages, server_tick)
    if source.stream is not None and source.stream.follow is None:
        source = read_all(source, options.limits)  # frames are read more than once
    replay = Source2Replay(source, options)
    package = GAMES.get(replay.recording.game, UNKNOWN_GAME).package
    if package is None or (source.stream is not None and not source.stream.reopenable):
        return replay  # such a stream cannot be read again
    game_replay: Replay = importlib.import_module(package).open_replay(source, options)
    return game_replay


def write_sample(folder: Path) -> Path:
    """Write ``sample_dota2.dem``, a small synthetic Dota 2 recording; return its path."""
    from playhead.samples import write_stored

    return write_stored("sample_dota2.dem", folder)


def vocabulary() -> Vocabulary:
    """Return the names that the engine and its games know."""
    from playhead.registry import Vocabulary
    from playhead.source2.tables import TABLES

    found = Vocabulary(
        frozenset(TABLES.tables()),
        frozenset(source.kind for maker in TABLES.makers() for source in maker.events),
        games={name: game.title for name, game in GAMES.items()},
    )
    for game in GAMES.values():
        if game.package is not None:
            found |= importlib.import_module(game.package).vocabulary()
    return found
