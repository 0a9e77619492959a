"""Vector graphics of an installed game (``.vsvg_c``), made safe: only shapes and their paint are kept.

The block ``DATA`` of such a resource has a checksum, a list of names, and the text of the SVG, as
ValveResourceFormat (MIT) documents in code. The checksum of the pack covers all of it.
"""

from __future__ import annotations

import re
import struct
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from playhead.errors import CorruptReplay, LimitExceeded, TruncatedReplay
from playhead.source2.game_files.texture import data_block

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

    Raises:
        CorruptReplay, TruncatedReplay: it is not such a resource, or its text is not XML.
        LimitExceeded: it is too large.
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
