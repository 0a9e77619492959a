"""The picture of a StarCraft II map file below the viewer's map and plots: its terrain, or else its minimap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playhead.model import Info
from playhead.presentation.picture import Bounds, MapPicture, read_image
from playhead.runtime.extras import import_extra
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
