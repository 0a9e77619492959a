"""What the map is drawn from: what the recording itself holds of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playhead.replay import Replay

_MARGIN = 0.03
_TILE = 32
#: Tiles that are sent at most.
_TILES = 60_000


def ground(replay: Replay, fixed: Iterable[tuple[str, float, float]]) -> dict[str, Any]:
    """Return marks (kind, x, y, team), tiles where tees went, and bounds: left, right, low, high."""
    marks: list[list[Any]] = [[kind, x, y, None] for kind, x, y in fixed]
    marks += [[mark.kind, mark.x, mark.y, mark.team] for mark in replay.presentation.marks(replay)]
    tiles = _tiles(replay) if replay.format == "teehistorian" else []
    xs = [mark[1] for mark in marks] + [(tile[0] + 0.5) * _TILE for tile in tiles]
    ys = [mark[2] for mark in marks] + [(tile[1] + 0.5) * _TILE for tile in tiles]
    width, height = (replay.info.details.get(name) for name in ("map_width", "map_height"))
    if "units" in replay.tables:  # a map is larger than what is played on
        units = replay.table("units", columns=["x", "y"]).drop_null()
        xs += units["x"].to_pylist()
        ys += units["y"].to_pylist()
    if not xs and isinstance(width, int) and isinstance(height, int) and width > 0 and height > 0:
        xs, ys = [0.0, float(width)], [0.0, float(height)]
    return {"marks": marks, "tiles": tiles, "tile": _TILE, "bounds": _bounds(xs, ys)}


def _bounds(xs: list[float], ys: list[float]) -> list[float] | None:
    if not xs:
        return None
    left, right, low, high = min(xs), max(xs), min(ys), max(ys)
    margin = _MARGIN * max(right - left, high - low, 1.0)
    return [left - margin, right + margin, low - margin, high + margin]


def _tiles(replay: Replay) -> list[list[int]]:
    """Return the tiles where tees were, with how many rows each has."""
    import pyarrow as pa
    import pyarrow.compute as pc

    counted: dict[tuple[int, int], int] = {}
    for batch in replay.batches("positions"):
        found = pa.Table.from_batches([batch]).select(["x", "y"]).drop_null()
        x = pc.floor(pc.divide(found["x"], float(_TILE))).cast(pa.int32())
        y = pc.floor(pc.divide(found["y"], float(_TILE))).cast(pa.int32())
        groups = pa.table({"x": x, "y": y}).group_by(["x", "y"]).aggregate([([], "count_all")])
        columns = (groups[name].to_pylist() for name in ("x", "y", "count_all"))
        for one, two, count in zip(*columns, strict=True):
            counted[one, two] = counted.get((one, two), 0) + count
    most = sorted(counted.items(), key=lambda item: -item[1])[:_TILES]
    return [[x, y, count] for (x, y), count in most]
