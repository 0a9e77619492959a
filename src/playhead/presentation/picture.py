"""`MapPicture`: a picture below the viewer's map, and the reading and writing of image files."""

from __future__ import annotations

import base64
import io
from typing import Any

from playhead.runtime.extras import import_extra
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
