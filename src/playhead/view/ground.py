"""The ground of the map, from the recording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

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
    import pyarrow as pa
    import pyarrow.compute as pc

    counted: dict[tuple[int, int], int] = {}
    for batch in replay.batches("positions"):
        found = (
            replay.presentation.map.drawn(replay, pa.Table.from_batches([batch])).select(["x", "y"]).drop_null()
        )
        x, y = (pc.floor(pc.divide(found[axis], side)).cast(pa.int32()) for axis in ("x", "y"))
        groups = pa.table({"x": x, "y": y}).group_by(["x", "y"]).aggregate([([], "count_all")])
        columns = (groups[name].to_pylist() for name in ("x", "y", "count_all"))
        for one, two, count in zip(*columns, strict=True):
            counted[one, two] = counted.get((one, two), 0) + count
    most = sorted(counted.items(), key=lambda item: -item[1])[:_TILES]
    return [[x, y, count] for (x, y), count in most]
