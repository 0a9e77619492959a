"""The map as a picture: from a map's own file, or any picture with bounds, that the user points at."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.runtime.extras import import_extra
from playhead.runtime.records import dataclass

if TYPE_CHECKING:
    from playhead.replay import Replay

#: Bytes of a file, and pixels of a picture, at most.
MOST_BYTES = 64 << 20
MOST_PIXELS = 64 << 20

#: What browsers show as it is, by how it begins.
_SHOWN = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
#: What Pillow may take a picture for. It knows others that are programs: PostScript is run by Ghostscript.
_READ = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TGA", "DDS", "TIFF")
_SC2_MAPS = (".sc2map", ".s2ma")
_TILE = 32

#: Colours of DDNet's tiles of the game and front layers by their numbers (mapitems.h): what one stands on, what
#: kills, what freezes and frees again, where a run begins and ends.
_TILES = {
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


class _TooLarge(ValueError):
    """A picture of too many pixels."""


@dataclass(frozen=True, slots=True)
class MapPicture:
    """A picture of the ground.

    Attributes:
        data: as the browser reads it.
        kind: its media type.
        bounds: left, right, low and high in the recording's units; None is all of the ground that is known.
        smooth: it may be smoothed when enlarged; a picture of tiles may not.
    """

    data: bytes
    kind: str
    bounds: tuple[float, float, float, float] | None
    smooth: bool = True

    def shrunk(self, most: int) -> MapPicture:
        """Return it in at most so many bytes: with fewer pixels, and as a JPEG if it may be smoothed.

        Raises:
            ValueError: it does not fit.
        """
        if len(self.data) <= most:
            return self
        library = import_extra("PIL.Image", "view", "making pictures smaller")
        image = _opened(self.data, "the map")
        for side in (2048, 1440, 1024, 720, 512, 360, 256):
            part = side / max(image.size)
            if part < 1.0:
                size = (max(1, round(image.width * part)), max(1, round(image.height * part)))
                image = image.resize(size, library.Resampling.LANCZOS)
            data, kind = (_jpeg(image), "image/jpeg") if self.smooth else (_png(image), "image/png")
            if len(data) <= most:
                return MapPicture(data, kind, self.bounds, smooth=self.smooth)
        raise ValueError(f"expected a picture of the map that fits {most} bytes, found {len(data)}")

    def as_dict(self) -> dict[str, Any]:
        """As the page takes it: the picture inside of a URL, so that a report can hold it."""
        url = f"data:{self.kind};base64,{base64.b64encode(self.data).decode()}"
        return {"url": url, "bounds": None if self.bounds is None else list(self.bounds), "smooth": self.smooth}


def read_picture(path: str | Path, replay: Replay, bounds: Sequence[float] | None = None) -> MapPicture:
    """Return the picture of a map's file (``.SC2Map``, DDNet's ``.map``), or a picture as it is.

    Args:
        path: the file.
        replay: the recording that it is to be drawn below.
        bounds: left, right, low and high of the picture in the recording's units, where the user says.

    Raises:
        ValueError: it is the file of another map, or larger than `MOST_BYTES` or `MOST_PIXELS`, or no picture.
        ModuleNotFoundError: what reads it is not installed (extra ``view``).
        ReplayError, OSError: it cannot be read.
    """
    path = Path(path)
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name}: expected at most {MOST_BYTES >> 20} MiB")
    given = None if bounds is None else (bounds[0], bounds[1], bounds[2], bounds[3])
    if path.suffix.lower() in _SC2_MAPS:
        return _of_sc2_map(path, replay, given)
    if path.suffix.lower() == ".map":
        return _of_ddnet_map(path, replay, given)
    return MapPicture(*_shown(path.read_bytes(), path.name), given)


def _of_sc2_map(path: Path, replay: Replay, given: tuple[float, float, float, float] | None) -> MapPicture:
    """The picture covers the playable bounds; where its sides are in another ratio it is fitted in the middle."""
    found: Any = replay.read_map(path)
    if found.belongs is False:
        raise ValueError(f"{path.name} is not the map of this replay")
    if found.minimap is None:
        raise ValueError(f"{path.name} has no picture of the map")
    image = _opened(found.minimap, path.name)
    bounds = given
    if bounds is None and found.bounds is not None:
        left, bottom, right, top = found.bounds
        if right > left and top > bottom:
            cell = max((right - left) / image.width, (top - bottom) / image.height)
            wide, high = image.width * cell / 2, image.height * cell / 2
            x, y = (left + right) / 2, (bottom + top) / 2
            bounds = (x - wide, x + wide, y - high, y + high)
    return MapPicture(_png(image), "image/png", bounds)


def _of_ddnet_map(path: Path, replay: Replay, given: tuple[float, float, float, float] | None) -> MapPicture:
    """One pixel for each tile of the game layer, those of the front layer over it."""
    twmap = import_extra("twmap", "view", "reading DDNet's maps")
    numpy = import_extra("numpy", "view", "reading DDNet's maps")
    pillow = import_extra("PIL.Image", "view", "drawing DDNet's maps")
    data = path.read_bytes()
    played = replay.info.details.get("map_sha256")
    if played and hashlib.sha256(data).hexdigest() != played:
        raise ValueError(f"{path.name} is not the map of this recording: its SHA-256 is another one")
    try:
        layers = twmap.Map.from_bytes(data)
        shown = [layer for layer in (layers.game_layer(), layers.front_layer()) if layer is not None]
        numbers = [numpy.asarray(layer.tiles)[:, :, 0] for layer in shown]
    except (twmap.MapError, ValueError) as error:
        raise ValueError(f"{path.name}: {error}") from None
    colours = numpy.zeros((256, 4), numpy.uint8)
    for number, colour in _TILES.items():
        colours[number] = (*colour, 255)
    height, width = numbers[0].shape
    if height * width > MOST_PIXELS:
        raise ValueError(f"{path.name}: expected at most {MOST_PIXELS} tiles, found {width} x {height}")
    pixels = colours[numbers[0]]
    for above in numbers[1:]:
        over = colours[above]
        pixels = numpy.where(over[:, :, 3:] > 0, over, pixels)
    bounds = given or (0.0, width * _TILE, 0.0, height * _TILE)
    return MapPicture(_png(pillow.fromarray(pixels)), "image/png", bounds, smooth=False)


def _shown(data: bytes, name: str) -> tuple[bytes, str]:
    """Return a picture as browsers show it, and its media type."""
    for begin, kind in _SHOWN.items():
        if data.startswith(begin) and (kind != "image/webp" or data[8:12] == b"WEBP"):
            return data, kind
    return _png(_opened(data, name)), "image/png"


def _opened(data: bytes, name: str) -> Any:
    pillow = import_extra("PIL.Image", "view", "reading pictures of this kind")
    try:
        image = pillow.open(io.BytesIO(data), formats=_READ)
        if image.width * image.height > MOST_PIXELS:
            raise _TooLarge(f"{name}: expected at most {MOST_PIXELS} pixels, found {image.width} x {image.height}")
        image.load()
    except _TooLarge:
        raise
    except Exception as error:  # what Pillow's readers raise of damaged pictures is not one family
        raise ValueError(f"{name}: expected a picture: {error}") from None
    return image.convert("RGBA")


def _png(image: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", optimize=False)
    return out.getvalue()


def _jpeg(image: Any) -> bytes:
    """What is transparent is grey: the page is dark or light."""
    pillow = import_extra("PIL.Image", "view", "making pictures smaller")
    ground = pillow.new("RGBA", image.size, (0x60, 0x66, 0x70, 255))
    ground.alpha_composite(image)
    out = io.BytesIO()
    ground.convert("RGB").save(out, "JPEG", quality=80)
    return out.getvalue()
