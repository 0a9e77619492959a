"""The ground of a StarCraft II map: a map file's minimap, the picture of the betas, places of orders and units."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

from playhead.errors import LimitExceeded, ReplayError
from playhead.model import Info
from playhead.presentation.installed import beside, folders
from playhead.presentation.map import Mark
from playhead.presentation.picture import MOST_BYTES, Bounds, MapPicture, Places, ground_picture, read_image
from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import np
from playhead.runtime.records import replace
from playhead.sc2.members.map_file import PLATEAU, MapArchive, Terrain

#: Colours of plateaus from the lowest, of cliffs and of cells outside of the ground; ramps are between plateaus.
_LEVELS = ((44, 48, 56), (66, 70, 78), (90, 95, 102), (116, 121, 127), (142, 147, 152))
_CLIFF, _NO_GROUND = (28, 26, 30), (12, 12, 16)
_PAINTED = 0.6
_PIXELS = 3


def read_minimap(path: Path, replay: Any, bounds: Bounds | None) -> MapPicture:
    """Return the terrain of a map file, or without it the minimap. Another version of the map will do: a file
    with the replay's name of the map, and with its size if that is known.

    A minimap covers the playable bounds; if its sides have another ratio, the bounds are in its middle.

    Raises:
        ValueError: the file is the file of another map, or has no picture.
    """
    found = replay.read_map(path)
    if found.belongs is False and not _is_version(found, replay.info):
        raise ValueError(f"{path.name} is not the map of this replay")
    if found.terrain is not None:
        whole = (0.0, float(found.terrain.width), 0.0, float(found.terrain.height))
        return MapPicture.of_image(terrain_image(found.terrain), bounds or whole)
    if found.minimap is None:
        raise ValueError(f"{path.name} has no picture of the map")
    image = read_image(found.minimap, path.name)
    if bounds is None and found.bounds is not None:
        left, bottom, right, top = found.bounds
        if right > left and top > bottom:
            cell = max((right - left) / image.width, (top - bottom) / image.height)
            wide, high = image.width * cell / 2, image.height * cell / 2
            x, y = (left + right) / 2, (bottom + top) / 2
            bounds = (x - wide, x + wide, y - high, y + high)
    return MapPicture.of_image(image, bounds)


def _is_version(found: MapArchive, info: Info) -> bool:
    """Return whether a file has the name of the replay's map, and its size if that is known."""
    sizes = (found.width, info.details.get("map_width")), (found.height, info.details.get("map_height"))
    return info.map in found.names.values() and all(known in (None, size) for size, known in sizes)


def terrain_image(terrain: Terrain) -> Any:
    """Return a Pillow image of the terrain, a few pixels for each cell: lighter plateaus are higher, cliffs and
    cells without ground are dark, and cells with painted pathing are darker than their plateau."""
    library = import_extra("PIL.Image", "view", "drawing maps")
    cells = ((x, y) for y in reversed(range(terrain.height)) for x in range(terrain.width))
    pixels = b"".join(bytes(_colour(terrain, x, y)) for x, y in cells)
    image = library.frombytes("RGB", (terrain.width, terrain.height), pixels)
    return image.resize((terrain.width * _PIXELS, terrain.height * _PIXELS), library.Resampling.NEAREST)


def _colour(terrain: Terrain, x: int, y: int) -> tuple[int, int, int]:
    level = terrain.cliffs[y * terrain.width + x]
    if level == 0:
        return _NO_GROUND
    if terrain.is_edge(x, y):
        return _CLIFF
    step, part = divmod(max(0, level - PLATEAU), PLATEAU)
    low, high = (_LEVELS[min(each, len(_LEVELS) - 1)] for each in (step, step + 1))
    shade = 1.0 if terrain.ground(x, y) else _PAINTED
    red, green, blue = (
        int((one + (two - one) * part / PLATEAU) * shade) for one, two in zip(low, high, strict=True)
    )
    return red, green, blue


#: The picture of the map in replays of the betas up to 0.10.
PICTURE = "save.jpg"
#: Pixels of the picture for each cell of the map by its width, measured on eight maps: the playable part is drawn
#: in the middle of a black square.
_SCALES = {180: 180 / 252, 128: 128 / 126}
#: Brightness of the black around the map, with the noise of JPEG.
_BLACK = 12
#: The distance from the middle of a screen that is at the edge of the map to that edge, in cells.
_SCREEN_X, _SCREEN_Y = 7, 4
#: Distance of the playable part from the lower edge of the map on most maps, in cells.
_LOWER = 8
#: A cliff is where the height changes by more than this from a cell to the next: half of the height of a plateau.
_STEP = 1.0
#: Cells around an order or a unit that are ground.
_NEAR = 4
_SHA256 = re.compile("[0-9a-f]{64}")
_TOWN_HALLS = frozenset({"BuildNexus", "BuildHatchery", "BuildCommandCenter"})


def draw(replay: Any) -> MapPicture | None:
    """Return the picture in a replay of the betas, or else the ground where orders and units were; None without
    either."""
    found = saved_picture(replay)
    if found is not None:
        return found
    places = _places(replay, _size(replay) or (0.0, 256.0, 0.0, 256.0))
    edges = [(float(axis.min()) - _NEAR, float(axis.max()) + _NEAR) for axis in places[:2] if len(axis)]
    if not edges:
        return None
    return ground_picture(places, cell=1.0, step=_STEP, near=_NEAR, bounds=(*edges[0], *edges[1]))


def _size(replay: Any) -> Bounds | None:
    width, height = (replay.info.details.get(name) for name in ("map_width", "map_height"))
    if isinstance(width, int) and isinstance(height, int) and 0 < width <= 256 and 0 < height <= 256:
        return 0.0, float(width), 0.0, float(height)
    return None


def _places(replay: Any, size: Bounds) -> Places:
    """Return the places of orders and units that are on the map. Those of orders have heights; an order to a unit
    has that of the unit, which may fly."""
    orders = _rows(replay.table("commands", columns=["x", "y", "z", "target_unit"]))
    found = [(x, y, z if unit is None else None) for x, y, z, unit in orders if x is not None and y is not None]
    units = _rows(replay.table("positions", columns=["x", "y"]).drop_null())
    left, right, low, high = size
    x, y, z = Places.of(found, [(x, y, None) for x, y in units])
    inside = (x > left) & (x < right) & (y > low) & (y < high)
    return Places(x[inside], y[inside], z[inside])


def _rows(table: Any) -> Iterator[tuple[Any, ...]]:
    yield from zip(*(column.to_pylist() for column in table.columns), strict=True)


def marks(replay: Any) -> Iterator[Mark]:
    """Yield marks from the orders of a replay without tracker events: neutral units that players sent workers to
    or attacked, and town halls that they ordered, in the colour of the side."""
    teams = {player.player: player.team for player in replay.players}
    seen = set()
    columns = ["x", "y", "player", "ability", "target_unit", "target_player"]
    for x, y, player, ability, unit, owner in _rows(replay.table("commands", columns=columns)):
        if x is None or y is None or not (x or y):
            continue
        place = round(x), round(y)
        if unit is not None and owner == 0 and place not in seen:
            seen.add(place)
            yield Mark("neutral", x, y)
        elif ability in _TOWN_HALLS and place not in seen:
            seen.add(place)
            yield Mark("town hall", x, y, teams.get(player))


def saved_picture(replay: Any) -> MapPicture | None:
    """Return the picture of the map in a replay of the betas; None if it has none that can be read."""
    archive, size = replay.recording.container.archive, _size(replay)
    if archive is None or size is None or PICTURE not in archive:
        return None
    try:
        lighter = import_extra("PIL.ImageChops", "view", "drawing maps").lighter
        image = read_image(archive.read(PICTURE), PICTURE)
    except (ReplayError, ValueError, ImportError):
        return None
    scale = _SCALES.get(image.width)
    bands = image.convert("RGB").split()
    box = reduce(lighter, bands).point(lambda value: 255 if value > _BLACK else 0).getbbox()
    if scale is None or box is None:
        return None
    left, low = _corner(replay, size, (box[2] - box[0]) / scale, (box[3] - box[1]) / scale)
    bounds = left, left + (box[2] - box[0]) / scale, low, low + (box[3] - box[1]) / scale
    picture = MapPicture.of_image(image.crop(box).convert("RGB"), bounds)
    return replace(picture, source=f"the picture in the replay ({PICTURE})")


def installed(replay: Any) -> MapPicture | None:
    """Return the picture of the replay's map: a file beside the replay, or else in Battle.net's cache, where the
    SHA-256 of a file is its name; None if both are missing.

    Raises:
        ReplayError, OSError, ValueError: the file cannot be read, or is another one.
    """
    sha256 = str(replay.info.details.get("map_hash") or "").lower()
    if not _SHA256.fullmatch(sha256):
        return None
    for path in beside(replay.source.location, (".s2ma", ".sc2map"), MOST_BYTES):
        if hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
            found = read_minimap(path, replay, None)
            return replace(found, source="the map beside the replay", file=str(path))
    for folder in folders("Battle.net's cache"):
        path = folder / sha256[:2] / sha256[2:4] / f"{sha256}.s2ma"
        if path.is_file():
            if path.stat().st_size > MOST_BYTES:
                raise LimitExceeded(f"{path}: expected at most {MOST_BYTES >> 20} MiB")
            if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
                raise ValueError(f"{path}: its SHA-256 is not its name")
            found = read_minimap(path, replay, None)
            return replace(found, source="the map in Battle.net's cache", file=str(path))
    return None


def _corner(replay: Any, size: Bounds, width: float, height: float) -> tuple[float, float]:
    """Return the lower left corner of the playable part of the map, which the replay does not have: in the middle
    of the width and near the lower edge, moved until all orders and screens are inside."""
    spans = []
    for axis, margin in (("x", _SCREEN_X), ("y", _SCREEN_Y)):
        orders = replay.table("commands", columns=[axis]).column(axis).drop_null()
        screens = replay.table("camera", columns=[axis]).column(axis).drop_null()
        places = [np.asarray(orders), np.asarray(screens) - margin, np.asarray(screens) + margin]
        places = [each[(each > 0) & (each < 256)] for each in places]
        spans.append([place for each in places if len(each) for place in (each.min(), each.max())])
    corner = []
    for places, usual, side in zip(spans, ((size[1] - width) / 2, _LOWER), (width, height), strict=True):
        low, high = (min(places), max(places)) if places else (usual, usual)
        corner.append(float(min(max(usual, high - side), low)))
    return corner[0], corner[1]
