"""Deadlock, a game of the Source 2 engine: facts of a match as tables and typed events.

playback (entities, messages, string tables) ──► sources ──► facts (collectors) ──► replay
"""

from __future__ import annotations

from playhead.runtime.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.registry import Vocabulary
    from playhead.replay import Replay

__all__ = ["open_replay", "vocabulary"]


def open_replay(source: Source, options: Options) -> Replay:
    """Return the Deadlock recording in `source`; `playhead.source2.open_replay` detects the game.

    Raises:
        UnsupportedVersion: no Source 2 recording.
        CorruptReplay, TruncatedReplay: the head cannot be read.
    """
    from playhead.runtime.garbage import GC_PAUSED

    with GC_PAUSED:  # objects made by imports are never garbage
        from playhead.deadlock.replay import DeadlockReplay

    return DeadlockReplay(source, options)


def vocabulary() -> Vocabulary:
    """Return the names that this game accepts besides those of the engine."""
    from playhead.deadlock.events import SOURCES
    from playhead.deadlock.facts import TABLES
    from playhead.deadlock.presentation import SERIES
    from playhead.registry import Vocabulary

    return Vocabulary(frozenset(TABLES.own()), frozenset(source.kind for source in SOURCES), series=SERIES)
