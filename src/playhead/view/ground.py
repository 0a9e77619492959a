"""The ground of the map, from the recording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from playhead.view.traces import count_cells

if TYPE_CHECKING:
    from playhead.replay import Replay

_MARGIN = 0.03
#: Limit of the tiles that the page gets.
_TILES = 60_000


def ground(replay: Replay, fixed: Iterable[tuple[str, float, float]]) -> dict[str, Any]:
    """Return marks (kind, x, y, team), tiles with positions, and bounds: left, right, low, high."""
    look = replay.presentation.map
    marks: list[list[Any]] = [[kind, x, y, None] for kind, x, y in fixed]
    marks += [[mark.kind, mark.x, mark.y, mark.team] for mark in look.marks(replay)]
    places = [(mark[1], mark[2]) for mark in marks]
    tiles: list[list[int]] = []
    if look.tile is not None:
        tiles = _tiles(replay, look.tile)
        places += [((x + 0.5) * look.tile, (y + 0.5) * look.tile) for x, y, _ in tiles]
    places += look.extent(replay)
    return {"marks": marks, "tiles": tiles, "bounds": _bounds(places)}


def _bounds(places: list[tuple[float, float]]) -> list[float] | None:
    if not places:
        return None
    xs, ys = zip(*places, strict=True)
    left, right, low, high = min(xs), max(xs), min(ys), max(ys)
    margin = _MARGIN * max(right - left, high - low, 1.0)
    return [left - margin, right + margin, low - margin, high + margin]


def _tiles(replay: Replay, side: float) -> list[list[int]]:
    """Return the tiles with positions, the most frequent first: column, row, number of positions."""
    most = sorted(count_cells(replay, side).items(), key=lambda item: -item[1])[:_TILES]
    return [[x, y, count] for (x, y), count in most]
