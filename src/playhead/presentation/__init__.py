"""How plots and the viewer show a game: each game declares one `Presentation` in its own package.

`motion` and `picture` hold the classes that a game extends for its map; they load on first use.
"""

from __future__ import annotations

from playhead.presentation.feed import Cluster, EventFeed, EventUnit, Jump, Kill, Opening, of_kinds
from playhead.presentation.map_look import FOLDER, Levels, MapLook, Mark, MarkStyle, bounds_of
from playhead.presentation.presentation import (
    Builds,
    Chapter,
    Death,
    Highlight,
    Presentation,
    PresentedReplay,
    Series,
    SeriesSource,
    WinChance,
    Wording,
)

__all__ = [
    "FOLDER",
    "Builds",
    "Chapter",
    "Cluster",
    "Death",
    "EventFeed",
    "EventUnit",
    "Highlight",
    "Jump",
    "Kill",
    "Levels",
    "MapLook",
    "Mark",
    "MarkStyle",
    "Opening",
    "Presentation",
    "PresentedReplay",
    "Series",
    "SeriesSource",
    "WinChance",
    "Wording",
    "bounds_of",
    "of_kinds",
]
