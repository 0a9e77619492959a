"""The minimap in a StarCraft II map file, as the picture below the viewer's map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playhead.presentation.picture import Bounds, MapPicture, read_image


def read_minimap(path: Path, replay: Any, bounds: Bounds | None) -> MapPicture:
    """Return the minimap of a map file. It covers the playable bounds; if its sides have another ratio, the bounds
    are in its middle.

    Raises:
        ValueError: the file is the file of another map, or has no minimap.
    """
    found = replay.read_map(path)
    if found.belongs is False:
        raise ValueError(f"{path.name} is not the map of this replay")
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
