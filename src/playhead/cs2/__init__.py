"""Counter-Strike 2, a game of the Source 2 engine: facts of a match as tables and typed events.

playback (entities, messages) ──► sources (people, rounds) ──► facts (collectors) ──► replay
"""

from __future__ import annotations

from playhead.runtime.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.registry import Vocabulary
    from playhead.replay import Replay

__all__ = ["join", "open_replay", "vocabulary"]


def open_replay(source: Source, options: Options) -> Replay:
    """Return the CS2 demo in `source`; `playhead.source2.open_replay` detects the game.

    Raises:
        UnsupportedVersion: a Source 1 demo.
        CorruptReplay, TruncatedReplay: the head cannot be read.
    """
    from playhead.runtime.garbage import GC_PAUSED

    with GC_PAUSED:  # objects made by imports are never garbage
        from playhead.cs2.replay import Cs2Replay

    return Cs2Replay(source, options)


def join(parts: Sequence[Replay]) -> Replay:
    """Return recordings of one match as one.

    Raises:
        ValueError: they are not of one match.
    """
    from playhead.cs2.parts import Cs2Parts

    return Cs2Parts(parts)


def vocabulary() -> Vocabulary:
    """Return the names that this game accepts besides those of the engine."""
    from playhead.cs2.events import SOURCES
    from playhead.cs2.facts import TABLES
    from playhead.cs2.presentation import SERIES
    from playhead.registry import Vocabulary

    return Vocabulary(frozenset(TABLES.own()), frozenset(source.kind for source in SOURCES), series=SERIES)
