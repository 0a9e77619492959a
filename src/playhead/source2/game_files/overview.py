"""Overviews of maps: the picture that the installed game shows as radar or minimap, and its place in the world.

``resource/overviews/MAP.txt`` has the upper left corner (``pos_x``, ``pos_y``) and the units in a pixel of a
picture of 1,024 pixels (``scale``), for pictures of any size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playhead.errors import CorruptReplay
from playhead.presentation.installed import steam_apps
from playhead.presentation.map import Levels
from playhead.presentation.picture import Bounds, MapPicture
from playhead.runtime.extras import import_extra
from playhead.runtime.records import replace
from playhead.source2.game_files.texture import read_texture
from playhead.source2.game_files.vpk import Vpk

_OVERVIEWS, _RADARS, _MATERIALS = "resource/overviews", "panorama/images/overheadmaps", "materials/overviews"
_PIXELS = 1024
_PAIR = re.compile(r'"?(\w+)"?[ \t]+"?([^"\s{}]+)"?')
_MINIMAPS = "panorama/images/minimap/base", "materials/minimap"
_TEXTURE = re.compile(rb"(?:materials/overviews|panorama/images/minimap/base)/[\w.-]+\.vtex")
#: Alpha of the least that a minimap shows, and greys of alpha 0 and 255.
_LEAST_ALPHA, _GREYS = 40, (190, 45)
#: No map is larger, in units.
_MOST_UNITS = 1 << 17


def overview_picture(app: str, name: str, levels: Levels | None = None) -> MapPicture | None:
    """Return the picture of a map in an installed game; None if the game, or the map in it, is missing.

    Args:
        app: folder of the game's pack, in the folder of all applications: ``dota 2 beta/game/dota``.
        name: name of the map's overview.
        levels: the picture of the lower level is drawn so far below the upper one.

    Raises:
        ReplayError, OSError: a file of the game cannot be read.
        ModuleNotFoundError: Pillow is not installed (extra ``view``).
    """
    for apps in steam_apps():
        path = apps / app / "pak01_dir.vpk"
        if path.is_file():
            pack = Vpk(path, (_OVERVIEWS, _RADARS, _MATERIALS))
            if f"{_OVERVIEWS}/{name}.txt" in pack:
                return _picture(pack, name, levels, path)
    return None


def minimap_picture(
    app: str, material: str, texture: str, bounds: Callable[[], Bounds | None]
) -> MapPicture | None:
    """Return the minimap of an installed game without overviews; None if the game, or the picture, is missing.

    Args:
        app: as for `overview_picture`.
        material: name of the map's material, which names a texture.
        texture: name of the texture on the game's screen; that of the material is the second choice.
        bounds: returns the place of the picture in the world, None if unknown.

    Raises:
        as `overview_picture`.
    """
    for apps in steam_apps():
        path = apps / app / "pak01_dir.vpk"
        if path.is_file():
            pack = Vpk(path, _MINIMAPS)
            names = f"{_MINIMAPS[0]}/{texture}.vtex_c", *_of_material(pack, f"{_MINIMAPS[1]}/{material}.vmat_c")
            image = _first(pack, iter(names))
            place = None if image is None else bounds()
            if place is not None:
                found = MapPicture.of_image(_painted(image), place)
                return replace(found, source=f"{material} of the installed game", file=str(path))
    return None


def _painted(image: Any) -> Any:
    """Return a picture whose shapes are in its alpha alone, black on black, in greys: streets below blocks."""
    *colours, alpha = image.split()
    if max(high for _, high in (band.getextrema() for band in colours)) > _LEAST_ALPHA:
        return image
    first, last = _GREYS
    grey = alpha.point([round(first + (last - first) * value / 255) for value in range(256)])
    shown = alpha.point([0 if value < _LEAST_ALPHA else 255 for value in range(256)])
    return import_extra("PIL.Image", "view", "drawing maps").merge("RGBA", (grey, grey, grey, shown))


def _picture(pack: Vpk, name: str, levels: Levels | None, path: Path) -> MapPicture | None:
    known = {key.lower(): value for key, value in _PAIR.findall(_text(pack, f"{_OVERVIEWS}/{name}.txt"))}
    bounds = _bounds(known, name)
    upper = _first(pack, _textures(pack, name, known.get("material", "")))
    if upper is None:
        return None
    lower = None if levels is None else _first(pack, _textures(pack, f"{name}_lower", ""))
    if lower is not None and levels is not None:
        left, right, low, high = bounds
        upper = _below(upper, lower, levels.distance / (high - low))
        bounds = left, right, low - levels.distance, high
    found = MapPicture.of_image(upper, bounds)
    return replace(found, source=f"{name} of the installed game", file=str(path))


def _text(pack: Vpk, name: str) -> str:
    return re.sub(r"//.*", "", pack.read(name).decode("utf-8", "replace"))


def _bounds(known: dict[str, str], name: str) -> Bounds:
    try:
        left, high, scale = (float(known[key]) for key in ("pos_x", "pos_y", "scale"))
    except (KeyError, ValueError):
        raise CorruptReplay(f"{name}: expected an overview with pos_x, pos_y and scale") from None
    side = scale * _PIXELS
    if not (0 < side <= _MOST_UNITS and max(abs(left), abs(high)) <= _MOST_UNITS):  # or not a number
        raise CorruptReplay(f"{name}: expected the place of a map, found {left}, {high} and a scale of {scale}")
    return left, left + side, high - side, high


def _textures(pack: Vpk, name: str, material: str) -> Iterator[str]:
    """Yield names of textures: the radar, and those that the material refers to."""
    for kind in ("psd", "tga", "png"):
        yield f"{_RADARS}/{name}_radar_{kind}.vtex_c"
    compiled = f"{material.removesuffix('.vmat')}.vmat_c".lower().replace("\\", "/")
    compiled = compiled if compiled.startswith("materials/") else f"materials/{compiled}"
    if material:
        yield from _of_material(pack, compiled)


def _of_material(pack: Vpk, name: str) -> Iterator[str]:
    if name in pack:
        for found in _TEXTURE.findall(pack.read(name)):
            yield f"{found.decode()}_c"


def _first(pack: Vpk, names: Iterator[str]) -> Any:
    """Return the first of these textures that the pack has; None if it has none."""
    for name in names:
        if name in pack:
            return read_texture(pack.read(name), name)
    return None


def _below(upper: Any, lower: Any, share: float) -> Any:
    """Return a picture of both levels: the lower one begins so many heights of the upper one further down."""
    drop = round(share * upper.height)
    both = upper.resize((upper.width, upper.height + drop)).point(lambda value: 0)
    both.paste(lower.resize(upper.size), (0, drop))
    both.paste(upper, (0, 0), upper)
    return both
