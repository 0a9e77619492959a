"""The tiles of a DDNet map file, as the picture below the viewer's map."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from playhead.errors import CorruptReplay
from playhead.presentation.picture import MOST_PIXELS, Bounds, MapPicture
from playhead.runtime.extras import import_extra
from playhead.teehistorian.physics.maps.container import MapContainer

#: Units of length in a tile.
_TILE = 32

#: Colours of tiles of the game and front layers by their numbers (mapitems.h).
_COLOURS = {
    1: (0x6B, 0x74, 0x86),  # hookable
    2: (0xB0, 0x3A, 0x3A),  # death
    3: (0x45, 0x4C, 0x5A),  # unhookable
    9: (0x2F, 0x4A, 0x6E),  # freeze
    11: (0x3F, 0x6E, 0x4A),  # unfreeze
    12: (0x24, 0x38, 0x5C),  # deep freeze
    13: (0x2F, 0x5C, 0x3C),  # deep unfreeze
    33: (0x3E, 0x9C, 0x6A),  # start
    34: (0xC7, 0xA2, 0x3A),  # finish
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
    for number, colour in _COLOURS.items():
        colours[number] = (*colour, 255)
    pixels = colours[numbers[0]]
    for above in numbers[1:]:
        over = colours[above]
        pixels = numpy.where(over[:, :, 3:] > 0, over, pixels)
    covered = bounds or (0.0, width * _TILE, 0.0, height * _TILE)
    return MapPicture.of_image(pillow.fromarray(pixels), covered, smooth=False)
