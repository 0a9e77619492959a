"""Compiled textures (``.vtex_c``): the largest picture in one.

A resource has a size, two versions, and a list of blocks: a name of four letters, an offset from itself, a size.
The block ``DATA`` of a texture: version and flags (uint16), reflectivity (four floats), width, height, depth
(uint16), format and number of mip levels (uint8), an unused uint32, and a list of extras: number, offset from
itself, size. Extra 4 has the compressed sizes of the levels. The levels are the end of the file, the largest last.
The layout is that which ValveResourceFormat (MIT) documents in code.
"""

from __future__ import annotations

import re
import struct
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from playhead.errors import CorruptReplay, LimitExceeded, TruncatedReplay, UnsupportedVersion
from playhead.presentation.picture import MOST_PIXELS, read_image
from playhead.runtime.extras import import_extra

_DXT1, _DXT5, _RGBA, _JPEG, _PNG, _BC7, _BGRA = 1, 2, 4, 15, 16, 20, 28
#: Bytes of a block of 4 x 4 pixels, and its name in DDS files.
_BLOCKS = {_DXT1: (8, b"DXT1"), _DXT5: (16, b"DXT5"), _BC7: (16, b"DX10")}
#: Fields of a DDS file of BC7 after its head: format, dimension, flags, number of pictures, flags.
_BC7_HEAD = struct.pack("<5I", 98, 3, 0, 1, 0)
_COMPRESSED_SIZES, _LZ4 = 4, 1
_MOST_BLOCKS, _MOST_EXTRAS, _MOST_LEVELS = 64, 64, 16


def read_texture(data: bytes, name: str) -> Any:
    """Return the picture of a texture as a Pillow image.

    Raises:
        CorruptReplay, TruncatedReplay, LimitExceeded: it is not a texture, damaged, or too large.
        UnsupportedVersion: its format is not one of those of maps.
        ModuleNotFoundError: Pillow is not installed (extra ``view``).
    """
    pillow = import_extra("PIL.Image", "view", "drawing maps")
    try:
        start, size = data_block(data)
        width, height, format = *struct.unpack_from("<2H", data, start + 20), data[start + 26]
        if width * height > MOST_PIXELS or not width or not height:
            raise LimitExceeded(f"{name}: expected 1 to {MOST_PIXELS} pixels, found {width} x {height}")
        compressed = _compressed_size(data, start)
    except (struct.error, IndexError):
        raise TruncatedReplay(f"{name}: expected a texture, found its end") from None
    if format in (_JPEG, _PNG):
        return read_image(data[start + size :], name)
    if format not in (_RGBA, _BGRA, *_BLOCKS):
        raise UnsupportedVersion(f"{name}: a texture of format {format}")
    blocks = -(-width // 4) * -(-height // 4)
    length = width * height * 4 if format not in _BLOCKS else blocks * _BLOCKS[format][0]
    pixels = data[len(data) - min(compressed or length, len(data)) :]
    pixels = decompress(pixels, length) if compressed else pixels
    if len(pixels) != length:
        raise TruncatedReplay(f"{name}: expected {length} bytes of pixels, found {len(pixels)}")
    if format in _BLOCKS:
        return read_image(_dds(width, height, format) + pixels, name)
    return pillow.frombuffer("RGBA", (width, height), pixels, "raw", "BGRA" if format == _BGRA else "RGBA", 0, 1)


def data_block(data: bytes) -> tuple[int, int]:
    """Return offset and size of the block ``DATA``."""
    offset, count = struct.unpack_from("<2I", data, 8)
    for number in range(min(count, _MOST_BLOCKS)):
        place = 8 + offset + 12 * number
        name, relative, size = struct.unpack_from("<4s2I", data, place)
        if name == b"DATA":
            return place + 4 + relative, size
    raise CorruptReplay("expected a resource with a block DATA, found none")


def _compressed_size(data: bytes, start: int) -> int | None:
    """Return the compressed size of the largest level; None if it is not compressed."""
    place = start + 32
    offset, count = struct.unpack_from("<2I", data, place)
    for number in range(min(count, _MOST_EXTRAS)):
        kind, relative, _ = struct.unpack_from("<3I", data, place + offset + 12 * number)
        if kind == _COMPRESSED_SIZES:
            extra = place + offset + 12 * number + 4 + relative
            method, sizes, levels = struct.unpack_from("<3I", data, extra)
            if method != _LZ4 or not 0 < levels <= _MOST_LEVELS:
                return None
            return int(struct.unpack_from("<I", data, extra + 4 + sizes + 4 * (levels - 1))[0])
    return None


def _dds(width: int, height: int, format: int) -> bytes:
    """Return the head of a DDS file: Pillow decodes blocks of pixels from one."""
    name = _BLOCKS[format][1]
    head = struct.pack("<4s7I44x", b"DDS ", 124, 0x1007, height, width, 0, 0, 0)
    head += struct.pack("<2I4s5I5I", 32, 4, name, 0, 0, 0, 0, 0, 0x1000, 0, 0, 0, 0)
    return head + (_BC7_HEAD if format == _BC7 else b"")


def decompress(data: bytes, length: int) -> bytes:
    """Decompress a block of LZ4 of exactly `length` bytes.

    Arrow's decoder does not say how much it wrote: the rest after a short block would be memory of the process.
    """
    out = bytearray()
    at, size = 0, len(data)
    try:
        while at < size and len(out) <= length:
            token = data[at]
            literals, at = _number(data, at + 1, token >> 4)
            out += data[at : at + literals]
            at += literals
            if at >= size:
                break
            back = data[at] | data[at + 1] << 8
            copied, at = _number(data, at + 2, token & 15)
            copied += 4
            if not 0 < back <= len(out) or len(out) + copied > length:
                raise IndexError
            part = bytes(out[-back:][:copied])
            out += (part * (copied // back + 1))[:copied]
    except IndexError:
        raise CorruptReplay(f"expected {length} compressed bytes, found {len(out)} and an error") from None
    if len(out) != length:
        raise CorruptReplay(f"expected {length} compressed bytes, found {len(out)}")
    return bytes(out)


def _number(data: bytes, at: int, number: int) -> tuple[int, int]:
    """Return a number that may continue in the next bytes, and the place after it."""
    if number == 15:
        more = 255
        while more == 255:
            more = data[at]
            at += 1
            number += more
    return number, at


#: Limits: an icon has some kilobytes, a dozen elements and few groups.
_MOST_BYTES, _MOST_ELEMENTS, _DEEPEST = 128 << 10, 2_000, 32
_SHAPES = frozenset(
    "svg g defs path rect circle ellipse line polyline polygon clipPath mask linearGradient radialGradient stop "
    "style".split()
)
_ATTRIBUTES = frozenset(
    "viewBox width height preserveAspectRatio id class style transform d points x y x1 y1 x2 y2 cx cy r rx ry fx "
    "fy fill fill-rule fill-opacity clip-rule clip-path mask opacity stroke stroke-width stroke-linecap "
    "stroke-linejoin stroke-miterlimit stroke-dasharray stroke-opacity offset stop-color stop-opacity "
    "gradientUnits gradientTransform".split()
)
#: Paint and numbers, with references inside of the picture only.
_VALUE = re.compile(r"(?:url\(#[\w-]+\)|(?!url|expression)[\w\s.,:;#%+{}*()-])*", re.IGNORECASE)


def read_vector(data: bytes, name: str) -> bytes:
    """Return the picture of a resource as an SVG of shapes alone: no script, no text, nothing from elsewhere.

    The block ``DATA`` of such a resource (``.vsvg_c``) has a checksum, a list of names, and the text of the SVG,
    as ValveResourceFormat (MIT) documents in code. The checksum of the pack covers all of it.
    """
    try:
        start, size = data_block(data)
    except struct.error:
        raise TruncatedReplay(f"{name}: expected a vector graphic, found its end") from None
    text = data[start : start + size]
    at = text.find(b"<svg")  # what is before has the names, and perhaps a type of document with entities
    if at < 0:
        raise CorruptReplay(f"{name}: expected a vector graphic, found no SVG")
    if size - at > _MOST_BYTES:
        raise LimitExceeded(f"{name}: expected at most {_MOST_BYTES} bytes, found {size - at}")
    return _Cleaner(name).clean(text[at:].rstrip(b"\0"))


class _Cleaner:
    """Writes the shapes of a picture, without scripts, links and unknown attributes."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._out: list[str] = []
        self._open: list[str | None] = []
        self._elements = 0

    def clean(self, text: bytes) -> bytes:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.buffer_text = True
        try:
            parser.Parse(text, True)
        except expat.ExpatError as error:
            raise CorruptReplay(f"{self._name}: expected an SVG, found {error}") from None
        return "".join(self._out).encode()

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > _MOST_ELEMENTS or len(self._open) >= _DEEPEST:
            raise LimitExceeded(f"{self._name}: expected {_MOST_ELEMENTS} elements, {_DEEPEST} deep, found more")
        kept = element in _SHAPES and None not in self._open
        self._open.append(element if kept else None)
        if kept:
            paint = (f" {key}={quoteattr(value)}" for key, value in attributes.items() if _is_safe(key, value))
            space = "" if self._open[1:] else ' xmlns="http://www.w3.org/2000/svg"'
            self._out.append(f"<{element}{space}{''.join(paint)}>")

    def _end(self, element: str) -> None:
        if self._open.pop() is not None:
            self._out.append(f"</{element}>")

    def _text(self, text: str) -> None:
        if self._open[-1] == "style" and _VALUE.fullmatch(text):
            self._out.append(escape(text))


def _is_safe(name: str, value: str) -> bool:
    return name in _ATTRIBUTES and _VALUE.fullmatch(value) is not None
