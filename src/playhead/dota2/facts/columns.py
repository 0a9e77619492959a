"""Columns that mean the same in every table of Dota 2 facts."""

from __future__ import annotations

from playhead.tables.schema import Column

GAME_SECONDS = Column(
    "game_seconds",
    "float64",
    "The clock that the game shows: 0 at the horn, negative before it, standing still in pauses. From the game "
    "rules entity (`playhead.dota2.sources.game_clock`); null before the recording has it.",
    "s",
)
