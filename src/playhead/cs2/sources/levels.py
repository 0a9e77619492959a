"""Maps with two levels, as the game's overviews of them tell.

An overview (``resource/overviews/de_nuke.txt``) has the height between the levels (``verticalsections``) and the
scale of its picture, which is 1,024 pixels wide. The lower level is drawn one picture below the upper.
"""

from __future__ import annotations

from typing import Any

from playhead.presentation.map_look import Levels

_PIXELS = 1024
#: Height between the levels and scale of the picture, by map.
_MAPS = {"de_nuke": (-495.0, 7.0), "de_vertigo": (11700.0, 4.0), "de_train": (-50.0, 4.082077)}


def levels(replay: Any) -> Levels | None:
    """Return the levels of the map of a replay; None for one level."""
    known = _MAPS.get((replay.info.map or "").rpartition("/")[2])
    return None if known is None else Levels(known[0], known[1] * _PIXELS)
