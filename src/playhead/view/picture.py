"""The picture below the map: from a map file of the game, or any image file that the user names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playhead.presentation.map_look import FOLDER
from playhead.presentation.picture import MOST_BYTES, MapPicture

if TYPE_CHECKING:
    from playhead.replay import Replay


def read_picture(path: str | Path, replay: Replay, bounds: Sequence[float] | None = None) -> MapPicture:
    """Return the picture in a map file of the replay's game, or in an image file.

    Args:
        path: the file, or a folder of maps if the game finds its map in one.
        replay: the recording whose map it is.
        bounds: left, right, low and high of the picture in the recording's units, if the user gave them.

    Raises:
        ValueError: the file is the file of another map, too large, or not a picture.
        ModuleNotFoundError: a library that reads it is not installed (extra ``view``).
        ReplayError, OSError: it cannot be read.
    """
    path = Path(path)
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name}: expected at most {MOST_BYTES >> 20} MiB")
    given = None if bounds is None else (bounds[0], bounds[1], bounds[2], bounds[3])
    reader = replay.presentation.map.files.get(FOLDER if path.is_dir() else path.suffix.lower())
    return (
        MapPicture.of_file(path.read_bytes(), path.name, given) if reader is None else reader(path, replay, given)
    )
