"""`MapPicture`: a picture below the viewer's map: read from image files, or drawn from the places of a recording.

A drawn ground has cells: a cell is ground if something was in it or near it. Without heights, cells are brighter
where more was. Where the height changes by more than a step from a cell to the next, the picture has a dark edge.
"""

from __future__ import annotations

import base64
import io
import struct
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import np
from playhead.runtime.records import dataclass, replace

#: Limit of the size of a file.
MOST_BYTES = 64 << 20
#: Limit of the pixels of a picture.
MOST_PIXELS = 64 << 20

#: Image formats that browsers show, by their first bytes.
_SHOWN = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
#: Image formats that Pillow may read. It knows others that run programs: Ghostscript runs PostScript.
_READ = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TGA", "DDS", "TIFF")

Bounds = tuple[float, float, float, float]


class _TooLarge(ValueError):
    """A picture of too many pixels."""


@dataclass(frozen=True, slots=True)
class MapPicture:
    """A picture of the ground.

    Attributes:
        data: image file in a format that browsers show.
        kind: its media type.
        bounds: left, right, low and high in the recording's units; None: all known ground.
        smooth: the browser may smooth it when it enlarges it; a picture of tiles stays sharp.
        source: its origin in words.
        file: path of the file that it is from; None for the recording.
        legend: colours of it (``#rrggbb``) and their meanings.
        drawn: playhead drew it in the colours of the dark theme; the page pales it in the light one.
    """

    data: bytes
    kind: str
    bounds: Bounds | None
    smooth: bool = True
    source: str = ""
    file: str | None = None
    drawn: bool = False
    legend: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_file(cls, data: bytes, name: str, bounds: Bounds | None = None) -> MapPicture:
        """Return the picture of an image file; formats that browsers do not show become PNG.

        Raises:
            ValueError: `data` is not a picture, or has too many pixels.
            ModuleNotFoundError: Pillow is not installed (extra ``view``).
        """
        for start, kind in _SHOWN.items():
            if data.startswith(start) and (kind != "image/webp" or data[8:12] == b"WEBP"):
                return cls(data, kind, bounds)
        return cls.of_image(read_image(data, name), bounds)

    @classmethod
    def of_image(cls, image: Any, bounds: Bounds | None, *, smooth: bool = True) -> MapPicture:
        """Return the picture of a Pillow image."""
        return cls(_png(image), "image/png", bounds, smooth)

    def shrunk(self, most: int) -> MapPicture:
        """Return the picture in at most `most` bytes: with fewer pixels, and as JPEG if it is smooth.

        Raises:
            ValueError: it does not fit.
        """
        if len(self.data) <= most:
            return self
        library = import_extra("PIL.Image", "view", "making pictures smaller")
        image = read_image(self.data, "the map")
        for side in (2048, 1440, 1024, 720, 512, 360, 256):
            part = side / max(image.size)
            if part < 1.0:
                size = (max(1, round(image.width * part)), max(1, round(image.height * part)))
                image = image.resize(size, library.Resampling.LANCZOS)
            data, kind = (_jpeg(image), "image/jpeg") if self.smooth else (_png(image), "image/png")
            if len(data) <= most:
                return replace(self, data=data, kind=kind)
        raise ValueError(f"expected a picture of the map that fits {most} bytes, found {len(data)}")

    def as_dict(self) -> dict[str, Any]:
        """Return the picture for the page: as a data URL, which a report can hold."""
        url = f"data:{self.kind};base64,{base64.b64encode(self.data).decode()}"
        bounds = None if self.bounds is None else list(self.bounds)
        return {
            "url": url,
            "bounds": bounds,
            "smooth": self.smooth,
            "source": self.source,
            "drawn": self.drawn,
            "legend": list(self.legend),
        }


def read_image(data: bytes, name: str) -> Any:
    """Return an image file as a Pillow image with transparency.

    Raises:
        ValueError: `data` is not a picture, or has too many pixels.
        ModuleNotFoundError: Pillow is not installed (extra ``view``).
    """
    pillow = import_extra("PIL.Image", "view", "reading pictures of this kind")
    try:
        image = pillow.open(io.BytesIO(data), formats=_READ)
        if image.width * image.height > MOST_PIXELS:
            raise _TooLarge(f"{name}: expected at most {MOST_PIXELS} pixels, found {image.width} x {image.height}")
        image.load()
    except _TooLarge:
        raise
    except Exception as error:  # for damaged pictures, Pillow raises errors without a common base class
        raise ValueError(f"{name}: expected a picture: {error}") from None
    return image.convert("RGBA")


def _png(image: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", optimize=False)
    return out.getvalue()


def _jpeg(image: Any) -> bytes:
    """Encode an image as JPEG. Transparent pixels become grey, since the page is dark or light."""
    pillow = import_extra("PIL.Image", "view", "making pictures smaller")
    ground = pillow.new("RGBA", image.size, (0x60, 0x66, 0x70, 255))
    ground.alpha_composite(image)
    out = io.BytesIO()
    ground.convert("RGB").save(out, "JPEG", quality=80)
    return out.getvalue()


#: Most cells along a side.
MOST_CELLS = 256
#: Colours (red, green, blue, alpha) by number: nothing, an edge, a wall, and levels from the lowest. They are
#: translucent, since the page is dark or light.
EDGE, WALL, LOWEST = 1, 2, 3
_LEVELS = (
    (58, 70, 88),
    (70, 84, 100),
    (84, 98, 112),
    (99, 112, 124),
    (116, 127, 136),
    (134, 143, 149),
    (153, 159, 163),
)
_COLOURS = ((0, 0, 0, 0), (22, 26, 34, 200), (176, 154, 112, 255), *((*level, 170) for level in _LEVELS))
LEVELS = len(_LEVELS)
#: Origin of such a picture, in words.
DRAWN = "places in the recording"
#: Share of the places that may be outliers at each side.
_OUTLIERS = 0.002
_BESIDE = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))


class Places(NamedTuple):
    """Places of things.

    Attributes:
        x, y: coordinates.
        z: height, NaN if unknown.
    """

    x: Any
    y: Any
    z: Any

    @classmethod
    def of(cls, *parts: Sequence[tuple[float, float, float | None]]) -> Places:
        """Return places as arrays, those without finite coordinates left out."""
        rows = np.array([row for part in parts for row in part], np.float64).reshape(-1, 3)
        rows = rows[np.isfinite(rows[:, :2]).all(axis=1)]
        return cls(*rows.T)


def ground_picture(
    places: Places, *, cell: float, step: float, near: int = 2, bounds: Bounds | None = None
) -> MapPicture | None:
    """Return the picture of the ground; None without places.

    Args:
        cell: least side of a cell, in units of coordinates; a large map has larger ones.
        step: an edge is where the height changes by more from a cell to the next.
        near: cells up to so many cells away from a place are ground.
        bounds: left, right, low and high; places outside are left out. None: those of nearly all places.
    """
    x, y, z = places
    if not len(x):
        return None
    left, right, low, high = _bounds(x, y, near * cell) if bounds is None else bounds
    cell = max(cell, (right - left) / MOST_CELLS, (high - low) / MOST_CELLS)
    width, height = (max(1, int(np.ceil(side / cell))) for side in (right - left, high - low))
    inside = (x >= left) & (x < right) & (y >= low) & (y < high)
    x, y, z = x[inside], y[inside], z[inside]
    place = np.minimum((y - low) // cell, height - 1).astype(int) * width
    place += np.minimum((x - left) // cell, width - 1).astype(int)
    known, levels = _heights(place, z, width, height, near)
    is_flat = not np.isfinite(z).any()
    shown = _busy(place, width, height, near) if is_flat else levels
    pixels = np.where(known, LOWEST + _ranked(shown, known), 0).astype(np.uint8)
    pixels[_edges(levels, known, step)] = EDGE
    covered = (left, left + width * cell, low, low + height * cell)
    return cells_picture(pixels[::-1], covered, smooth=True)


def cells_picture(pixels: Any, bounds: Bounds, *, smooth: bool) -> MapPicture:
    """Return a picture of cells by the numbers of their colours: rows from the top."""
    height, width = pixels.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each begins with its filter, none
    rows[:, 1:] = pixels
    head = struct.pack(">2I5B", width, height, 8, 3, 0, 0, 0)
    colours = b"".join(bytes(colour[:3]) for colour in _COLOURS)
    parts = (b"IHDR", head), (b"PLTE", colours), (b"tRNS", bytes(colour[3] for colour in _COLOURS))
    chunks = (*parts, (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )
    return MapPicture(data, "image/png", bounds, smooth, DRAWN, drawn=True)


def _bounds(x: Any, y: Any, margin: float) -> Bounds:
    """Return the bounds of nearly all places."""
    edges = [float(np.quantile(axis, share)) for axis in (x, y) for share in (_OUTLIERS, 1 - _OUTLIERS)]
    return edges[0] - margin, edges[1] + margin, edges[2] - margin, edges[3] + margin


def _heights(place: Any, z: Any, width: int, height: int, near: int) -> tuple[Any, Any]:
    """Return which cells are ground, and their mean heights; those near a known one have the height of it."""
    known = np.zeros((height, width), bool)
    known.flat[place] = True
    told = np.isfinite(z)
    counts = np.bincount(place[told], minlength=width * height).reshape(height, width)
    sums = np.bincount(place[told], z[told], width * height).reshape(height, width)
    levels = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    for turn in range(2 * near):
        grown, found = known.copy(), levels.copy()
        for dy, dx in _BESIDE[: 4 if turn % 2 else 8]:  # a disc rather than a square
            rows, columns = _shift(dy, height), _shift(dx, width)
            if turn < near:
                grown[rows[0], columns[0]] |= known[rows[1], columns[1]]
            missing = np.isnan(found[rows[0], columns[0]])
            found[rows[0], columns[0]] = np.where(missing, levels[rows[1], columns[1]], found[rows[0], columns[0]])
        known, levels = grown, found
    return known, levels


def _busy(place: Any, width: int, height: int, near: int) -> Any:
    """Return how much was at each cell and near it, on a logarithmic scale."""
    counts = np.bincount(place, minlength=width * height).reshape(height, width).astype(float)
    for _ in range(near):
        spread = counts.copy()
        for dy, dx in _BESIDE:
            rows, columns = _shift(dy, height), _shift(dx, width)
            spread[rows[0], columns[0]] += counts[rows[1], columns[1]]
        counts = spread / (len(_BESIDE) + 1)
    return np.log1p(counts)


def _shift(by: int, size: int) -> tuple[slice, slice]:
    """Return the slices of an axis that are `by` apart."""
    return slice(max(0, by), size + min(0, by)), slice(max(0, -by), size + min(0, -by))


def _ranked(levels: Any, known: Any) -> Any:
    """Return the number of each cell's level, the middle one for cells without a height."""
    told = levels[known & np.isfinite(levels)]
    if not len(told) or told.max() == told.min():
        return np.full(levels.shape, LEVELS // 2)
    low, high = np.quantile(told, (0.02, 0.98))
    share = (np.nan_to_num(levels, nan=(low + high) / 2) - low) / max(high - low, 1e-9)
    return np.clip(share * LEVELS, 0, LEVELS - 1).astype(int)


def _edges(levels: Any, known: Any, step: float) -> Any:
    """Return the cells that are lower than one beside them by more than a step."""
    height, width = levels.shape
    edges = np.zeros(levels.shape, bool)
    for dy, dx in _BESIDE[:4]:
        rows, columns = _shift(dy, height), _shift(dx, width)
        with np.errstate(invalid="ignore"):
            edges[rows[0], columns[0]] |= levels[rows[1], columns[1]] - levels[rows[0], columns[0]] > step
    return edges & known
