"""The ground of a DDNet map from a recording alone: tiles that tees flew through, and walls that stopped them.

A tee is a square of 28 units. If it rests on a tile, its centre is 15 units above it; in front of a wall it stops
as near. A tile is a wall if a tee ran on it or stopped at it, and no tee was ever in it: on the maps of three
recordings 97 of 100 such tiles are solid, or more, and no tile that a tee was in is.
"""

from __future__ import annotations

from typing import Any

from playhead.presentation.ground import LOWEST, WALL, cells_picture
from playhead.presentation.installed import folders
from playhead.presentation.picture import MOST_BYTES, MapPicture
from playhead.runtime.libraries import np, pa
from playhead.runtime.records import replace
from playhead.teehistorian import map_picture
from playhead.teehistorian.physics.maps.game_map import is_map_of, map_files

_TILE = 32
#: Distance from the centre of a tee to a point inside of it at each side, and to one in the wall beside it.
_BODY, _BESIDE = 13, 16
#: The rest of a centre divided by a tile's side, of a tee that touches a wall below or at the right, and above or
#: at the left.
_TOUCHES_HIGH, _TOUCHES_LOW = 17, 14
#: A stop is a change of a coordinate by so much in a tick, and none in the next.
_FAST = 3
#: Most tiles along a side of the picture: places are whatever the file says.
_MOST = 2048
_AIR = LOWEST + 1


def draw(replay: Any) -> MapPicture | None:
    """Return the ground of the map; None without positions, or if they are too far apart."""
    free: Any = np.empty((0, 2), np.int64)
    walls: Any = free
    for batch in replay.batches("positions"):
        table = pa.Table.from_batches([batch]).select(["player", "tick", "x", "y"]).drop_null()
        rows = np.stack([np.asarray(column).astype(np.int64) for column in table.columns], axis=1)
        corners = [rows[:, 2:] + (x, y) for x in (-_BODY, _BODY) for y in (-_BODY, _BODY)]
        free = np.unique(np.concatenate([free, *(corner // _TILE for corner in corners)]), axis=0)
        walls = np.unique(np.concatenate([walls, _touched(rows)]), axis=0)
    if not len(free):
        return None
    low, high = free.min(axis=0) - 1, free.max(axis=0) + 1
    width, height = (int(side) for side in high - low + 1)
    if max(width, height) > _MOST:
        return None
    pixels = np.zeros((height, width), np.uint8)
    walls = walls[((walls >= low) & (walls <= high)).all(axis=1)]
    pixels[walls[:, 1] - low[1], walls[:, 0] - low[0]] = WALL
    pixels[free[:, 1] - low[1], free[:, 0] - low[0]] = _AIR
    left, top = (float(edge * _TILE) for edge in low)
    return cells_picture(pixels, (left, left + width * _TILE, top, top + height * _TILE), smooth=False)


def installed(replay: Any) -> MapPicture | None:
    """Return the tiles of the recording's map among the files of an installed DDNet; None if it is missing."""
    header = replay.header
    for folder in folders("DDNet"):
        for inner in ("", "downloadedmaps", "maps", "data/maps"):
            for path in map_files(folder / inner, header):
                if path.stat().st_size <= MOST_BYTES and is_map_of(path.read_bytes(), header):
                    found = map_picture.read_tiles(path, replay, None)
                    return replace(found, source="the map of an installed DDNet", file=str(path))
    return None


def _touched(rows: Any) -> Any:
    """Return column and row of the tiles at which tees stopped, and on which they ran."""
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    player, tick, x, y = rows.T
    next_tick = (player[1:] == player[:-1]) & (tick[1:] - tick[:-1] == 1)
    dx, dy = np.diff(x), np.diff(y)
    ran = np.flatnonzero(next_tick & (dy == 0) & (dx != 0) & (y[1:] % _TILE == _TOUCHES_HIGH)) + 1
    found = [np.stack([x[ran], y[ran] + _BESIDE], axis=1)]
    both = next_tick[1:] & next_tick[:-1]
    for axis, change in ((0, dx), (1, dy)):
        place = rows[2:, 2 + axis] % _TILE
        for way, touch in ((1, _TOUCHES_HIGH), (-1, _TOUCHES_LOW)):
            stops = np.flatnonzero(both & (way * change[:-1] >= _FAST) & (change[1:] == 0) & (place == touch)) + 2
            beside = rows[stops, 2:].copy()
            beside[:, axis] += way * _BESIDE
            found.append(beside)
    return np.concatenate(found) // _TILE
