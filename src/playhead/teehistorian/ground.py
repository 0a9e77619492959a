"""The ground of a DDNet map from a recording alone: tiles that tees flew through, and walls that stopped them.

A tee is a square of 28 units. If it rests on a tile, its centre is 15 units above it; in front of a wall it stops
as near. A tile is a wall if a tee ran on it or stopped at it, and no tee was ever in it: on the maps of three
recordings 97 of 100 such tiles are solid, or more, and no tile that a tee was in is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playhead.errors import CorruptReplay
from playhead.presentation.installed import beside, folders
from playhead.presentation.picture import LOWEST, MOST_BYTES, MOST_PIXELS, WALL, Bounds, MapPicture, cells_picture
from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import np, pa
from playhead.runtime.records import replace
from playhead.teehistorian.physics.game_map import MapContainer, is_map_of, map_files

#: Side of a tile, its binary digits, and those of the rest of a division by it.
_TILE, _TILE_BITS, _REST = 32, 5, 31
#: Distance from the centre of a tee to a point inside of it at each side, and to one in the wall beside it.
_BODY, _BESIDE = 13, 16
#: The rest of a centre divided by a tile's side, of a tee that touches a wall below or at the right, and above or
#: at the left.
_TOUCHES_HIGH, _TOUCHES_LOW = 17, 14
#: A stop is a change of a coordinate by so much in a tick, and none in the next.
_FAST = 3
#: Tiles along a side of the board that tiles are noted on, and those of them above and to the left of the map's
#: corner: a file may have any places, and others are skipped.
_SIDE, _BEFORE = 3072, 64
_AIR = LOWEST + 1


def draw(replay: Any) -> MapPicture | None:
    """Return the ground of the map; None without positions on a map."""
    board = np.zeros((_SIDE, _SIDE), np.uint8)
    for batch in replay.batches("positions"):
        table = pa.Table.from_batches([batch]).select(["player", "tick", "x", "y"]).drop_null()
        player, tick, x, y = (np.asarray(column).astype(np.int32) for column in table.columns)
        by_player = np.argsort(player, kind="stable")  # the rows of each are in the order of ticks
        for column, row in _touched(*(each[by_player] for each in (player, tick, x, y))):
            _note(board, column, row, WALL)
        for across in (-_BODY, _BODY):
            for down in (-_BODY, _BODY):
                _note(board, x + across, y + down, _AIR)
    rows, columns = (np.flatnonzero(board.max(axis=axis) == _AIR) for axis in (1, 0))
    if not len(rows):
        return None
    # A wall is one tile away from the tile of the tee that it stopped.
    top, low, left, right = rows[0] - 1, rows[-1] + 2, columns[0] - 1, columns[-1] + 2
    edges = [float((edge - _BEFORE) * _TILE) for edge in (left, right, top, low)]
    return cells_picture(board[top:low, left:right], (edges[0], edges[1], edges[2], edges[3]), smooth=False)


def _note(board: Any, x: Any, y: Any, value: int) -> None:
    """Note the tiles at these places; tiles known as air stay air."""
    column, row = (x >> _TILE_BITS) + _BEFORE, (y >> _TILE_BITS) + _BEFORE
    inside = (column > 0) & (column < _SIDE - 1) & (row > 0) & (row < _SIDE - 1)
    place = (row * _SIDE + column)[inside]
    tiles = board.reshape(-1)
    tiles[place if value == _AIR else place[tiles[place] == 0]] = value


def installed(replay: Any) -> MapPicture | None:
    """Return the tiles of the recording's map: a file beside the recording, or else among the files of an
    installed DDNet; None if both are missing. Its hash is checked."""
    header = replay.header
    for path in beside(replay.source.location, (".map",), MOST_BYTES, header.number("map_size")):
        if path.stat().st_size <= MOST_BYTES and is_map_of(path.read_bytes(), header):
            return replace(read_tiles(path, replay, None), source="the map beside the recording", file=str(path))
    for folder in folders("DDNet"):
        for inner in ("", "downloadedmaps", "maps", "data/maps"):
            for path in map_files(folder / inner, header):
                if path.stat().st_size <= MOST_BYTES and is_map_of(path.read_bytes(), header):
                    found = read_tiles(path, replay, None)
                    return replace(found, source="the map of an installed DDNet", file=str(path))
    return None


def _touched(player: Any, tick: Any, x: Any, y: Any) -> Iterator[tuple[Any, Any]]:
    """Yield places in the tiles at which tees stopped, and on which they ran."""
    next_tick = (player[1:] == player[:-1]) & (tick[1:] - tick[:-1] == 1)
    dx, dy = np.diff(x), np.diff(y)
    ran = np.flatnonzero(next_tick & (dy == 0) & (dx != 0) & (y[1:] & _REST == _TOUCHES_HIGH)) + 1
    yield x[ran], y[ran] + _BESIDE
    both = next_tick[1:] & next_tick[:-1]
    for place, change, way_x, way_y in ((x, dx, _BESIDE, 0), (y, dy, 0, _BESIDE)):
        for way, touch in ((1, _TOUCHES_HIGH), (-1, _TOUCHES_LOW)):
            fast = both & (way * change[:-1] >= _FAST) & (change[1:] == 0)
            stops = np.flatnonzero(fast & (place[2:] & _REST == touch)) + 2
            yield x[stops] + way * way_x, y[stops] + way * way_y


#: Units of length in a tile.
_TILE = 32

#: Colours and meanings of tiles of the game and front layers by their numbers (mapitems.h).
_TILES = {
    2: ("#b03a3a", "kills"),
    9: ("#2f4a6e", "freezes"),
    12: ("#24385c", "freezes deeply"),
    11: ("#3f6e4a", "unfreezes"),
    13: ("#2f5c3c", "ends deep freeze"),
    33: ("#3e9c6a", "start"),
    34: ("#c7a23a", "finish"),
    1: ("#6b7486", "wall"),
    3: ("#454c5a", "wall without hook"),
}


def read_tiles(path: Path, replay: Any, bounds: Bounds | None) -> MapPicture:
    """Return a picture with a pixel for each tile of the game layer, and those of the front layer over it.

    Raises:
        ValueError: the file is the file of another map, damaged, or has too many tiles.
        ModuleNotFoundError: NumPy or Pillow are not installed (extra ``view``).
    """
    numpy = import_extra("numpy", "view", "drawing DDNet's maps")
    pillow = import_extra("PIL.Image", "view", "drawing DDNet's maps")
    data = path.read_bytes()
    played = replay.info.details.get("map_sha256")
    if played and hashlib.sha256(data).hexdigest() != played:
        raise ValueError(f"{path.name} is not the map of this recording: its SHA-256 is another one")
    try:
        width, height, layers = MapContainer(data, path.name).layers(MOST_PIXELS)
    except CorruptReplay as error:
        raise ValueError(f"{path.name}: {error}") from None
    except OverflowError as error:
        raise ValueError(f"{path.name}: expected at most {MOST_PIXELS} tiles, found {error}") from None
    shown = [layers[name] for name in ("game", "front") if name in layers]
    numbers = [numpy.frombuffer(layer, numpy.uint8)[::4].reshape(height, width) for layer in shown]
    colours = numpy.zeros((256, 4), numpy.uint8)
    for number, (colour, _) in _TILES.items():
        colours[number] = (*bytes.fromhex(colour[1:]), 255)
    pixels = colours[numbers[0]]
    for above in numbers[1:]:
        over = colours[above]
        pixels = numpy.where(over[:, :, 3:] > 0, over, pixels)
    covered = bounds or (0.0, width * _TILE, 0.0, height * _TILE)
    found = set(numpy.unique(numpy.stack(numbers)).tolist())
    legend = tuple(meaning for number, meaning in _TILES.items() if number in found)
    return replace(MapPicture.of_image(pillow.fromarray(pixels), covered, smooth=False), legend=legend)
