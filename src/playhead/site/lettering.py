"""Letters of pictures: each letter in the first font of this machine that has it, and no boxes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any

#: Fonts by the names of their files, as systems have them; Pillow's own, the last, has the letters of English.
_FONTS = (
    *("DejaVuSans", "NotoSans-Regular", "LiberationSans-Regular", "arial", "Arial", "Helvetica"),
    *("NotoSansCJK-Regular", "NotoSansCJKsc-Regular", "DroidSansFallbackFull", "wqy-microhei", "wqy-zenhei"),
    *(
        "msyh",
        "malgun",
        "YuGothR",
        "PingFang",
        "Hiragino Sans GB",
        "AppleSDGothicNeo",
        "Arial Unicode",
    ),
)
#: A letter that no font has.
_NOBODY_HAS = "\U0010ffff"
#: Mark for letters that no font of this machine has.
_LEFT_OUT = "…"


def draw_text(draw: Any, place: tuple[int, int], text: str, size: int, colour: str, anchor: str) -> None:
    """Draw a line of text into a picture of Pillow.

    Args:
        place: of its upper corner: left for the anchor ``l``, right for ``r``, the middle for ``m``.
        size: height of letters in pixels.
    """
    x, y = float(place[0]), place[1]
    x -= {"l": 0.0, "m": 0.5, "r": 1.0}[anchor] * width_of(text, size)
    for part, font in _runs(text, size):
        draw.text((x, y + size), part, fill=colour, font=font, anchor="ls")
        x += font.getlength(part)


def width_of(text: str, size: int) -> float:
    """Return the width of a line of text in pixels."""
    return float(sum(font.getlength(part) for part, font in _runs(text, size)))


def _runs(text: str, size: int) -> Iterator[tuple[str, Any]]:
    """Yield parts of a text with their fonts."""
    placed = [_placed(letter) for letter in text]
    for name, some in groupby(placed, key=lambda each: each[1]):
        letters = "".join(letter for letter, _ in some)
        while _LEFT_OUT * 2 in letters:
            letters = letters.replace(_LEFT_OUT * 2, _LEFT_OUT)
        yield letters, _font(name, size)


@cache
def _placed(letter: str) -> tuple[str, str]:
    """Return the letter to draw and its font: the plain one (e for é), if no font has this one."""
    for each in (letter, unicodedata.normalize("NFKD", letter)[:1], _LEFT_OUT):
        for name in (*_FONTS, ""):
            if _has(name, each):
                return each, name
    return "?", ""


@cache
def _has(name: str, letter: str) -> bool:
    font = _font(name, 20)
    if font is None:
        return False
    return letter.isspace() or bytes(font.getmask(letter)) != bytes(font.getmask(_NOBODY_HAS))


@cache
def _font(name: str, size: int) -> Any:
    """Return a font by the name of its file, Pillow's own by an empty one; None if this machine lacks it."""
    from PIL import ImageFont

    try:
        return ImageFont.truetype(name, size) if name else ImageFont.load_default(size)
    except OSError:
        return None
