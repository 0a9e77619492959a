"""Dota 2, a game of the Source 2 engine: facts of a match as tables and typed events.

playback (entities, messages, string tables) ──► sources ──► facts (collectors) ──► replay
"""

from __future__ import annotations

from playhead.runtime.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.io.source import Source
    from playhead.model import Options
    from playhead.registry import Vocabulary
    from playhead.replay import Replay

__all__ = ["open_replay", "title", "vocabulary"]


def open_replay(source: Source, options: Options) -> Replay:
    """Return the Dota 2 demo in `source`; `playhead.source2.open_replay` detects the game.

    Raises:
        UnsupportedVersion: a Source 1 demo, or a Source 2 one of the 2014 workshop alpha.
        CorruptReplay, TruncatedReplay: the head cannot be read.
    """
    from playhead.runtime.garbage import GC_PAUSED

    with GC_PAUSED:  # objects made by imports are never garbage
        from playhead.dota2.replay import Dota2Replay

    return Dota2Replay(source, options)


def title(name: str) -> str:
    """Return the displayed title of a hero, item, ability or unit.

    ``npc_dota_hero_zuus`` is Zeus, ``item_blink`` Blink Dagger. A name that the shipped list lacks is written in
    words.
    """
    from playhead.dota2.sources.names import title

    return title(name)


def vocabulary() -> Vocabulary:
    """Return the names that this game accepts besides those of the engine."""
    from playhead.dota2.events import SOURCES
    from playhead.dota2.facts import TABLES
    from playhead.dota2.presentation import SERIES
    from playhead.registry import Vocabulary

    return Vocabulary(
        frozenset(TABLES.own()),
        frozenset(source.kind for source in SOURCES),
        series=SERIES,
        documents=frozenset({"opendota"}),
    )
