"""The ground of the map, from the recording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from playhead.presentation import bounds_of
from playhead.view.traces import count_cells

if TYPE_CHECKING:
    from playhead.presentation.picture import MapPicture
    from playhead.replay import Replay

#: Limit of the tiles that the page gets.
_TILES = 60_000


def ground(replay: Replay, fixed: Iterable[tuple[str, float, float]]) -> dict[str, Any]:
    """Return marks (kind, x, y, team), tiles with positions, bounds (left, right, low, high), and the picture that
    the game draws of the ground; without one, tiles with positions."""
    look = replay.presentation.map
    replay.read_tables([name for name in look.tables if name in replay.tables])
    picture = _drawn(replay)
    marks: list[list[Any]] = [[kind, x, y, None] for kind, x, y in fixed]
    marks += [[mark.kind, mark.x, mark.y, mark.team] for mark in look.marks(replay)]
    places = [(mark[1], mark[2]) for mark in marks]
    tiles: list[list[int]] = []
    if picture is not None and picture.bounds is not None:
        left, right, low, high = picture.bounds
        places += [(left, low), (right, high)]
    elif look.tile is not None:
        tiles = _tiles(replay, look.tile)
        places += [((x + 0.5) * look.tile, (y + 0.5) * look.tile) for x, y, _ in tiles]
    places += look.extent(replay)
    shown = picture and picture.as_dict()
    return {"marks": marks, "tiles": tiles, "bounds": bounds_of(places), "picture": shown}


def _drawn(replay: Replay) -> MapPicture | None:
    """Return the picture that the game draws of the ground; None if there is none, or NumPy is missing."""
    try:
        return replay.presentation.map.ground(replay)
    except ImportError:
        return None


def _tiles(replay: Replay, side: float) -> list[list[int]]:
    """Return the tiles with positions, the most frequent first: column, row, number of positions."""
    most = sorted(count_cells(replay, side).items(), key=lambda item: -item[1])[:_TILES]
    return [[x, y, count] for (x, y), count in most]
