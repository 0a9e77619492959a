"""Dota 2 facts on the Source 2 engine: what happened in the match, as tables and typed events.

playback (entities, messages, string tables) ──► sources ──► facts (collectors) ──► replay
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.registry import Vocabulary
    from playhead.replay import Replay

__all__ = ["open_replay", "vocabulary"]


def open_replay(source: Source, options: Options) -> Replay:
    """Return the Dota 2 demo in `source`; `playhead.source2.open_replay` finds out that it is one.

    Raises:
        UnsupportedVersion: a Source 1 demo, or a Source 2 one of the 2014 workshop alpha.
        CorruptReplay, TruncatedReplay: the head cannot be read.
    """
    from playhead.runtime.garbage import COLLECTOR_PAUSED

    with COLLECTOR_PAUSED:  # what imports make stays
        from playhead.dota2.replay import Dota2Replay

    return Dota2Replay(source, options)


def vocabulary() -> Vocabulary:
    """Return the words that this game adds to those of the engine."""
    from playhead.dota2.events import SOURCES
    from playhead.dota2.facts import TABLES
    from playhead.dota2.presentation import SERIES
    from playhead.registry import Vocabulary

    return Vocabulary(
        frozenset(TABLES.own()),
        frozenset(source.kind for source in SOURCES),
        series=SERIES,
    )
