"""The picture of a match that chats show beside its link: names, result, map.

Each letter is drawn in the first font of this machine that has it, and no boxes are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from io import BytesIO
from itertools import groupby
from typing import Any

from playhead.presentation import map_title
from playhead.site.pages import day_of, length_of, map_of, shown, sides_of, title_of_game

#: Width and height that Open Graph recommends.
SIZE = (1200, 630)
_GROUND, _TEXT, _FAINT = "#14171c", "#f2f4f7", "#9aa4b2"
_COLOURS = ("#e9a23b", "#5aa9e6")
_MOST_NAMES = 6


def draw_card(match: Mapping[str, Any]) -> bytes | None:
    """Return a picture of a match as PNG; None without Pillow (extra ``view``)."""
    try:
        from PIL import Image, ImageDraw
    except ModuleNotFoundError:
        return None
    image = Image.new("RGB", SIZE, _GROUND)
    draw = ImageDraw.Draw(image)

    def write(x: int, y: int, text: str, size: int, colour: str, anchor: str) -> None:
        text = shown(text)
        while text and width_of(text, size) > SIZE[0] // 2 - 80 and anchor != "m":
            text = text[:-2] + "…" if len(text) > 2 else ""
        draw_text(draw, (x, y), text, size, colour, anchor)

    info = match["info"]
    middle = SIZE[0] // 2
    facts = (title_of_game(info["game"]), map_title(map_of(info)), day_of(info), length_of(info))
    write(middle, 40, " · ".join(filter(None, facts)), 28, _FAINT, "m")
    sides = sides_of(match)
    for place, (label, people, won) in enumerate(sides[:2]):
        left = place == 0
        x, anchor = (60, "l") if left else (SIZE[0] - 60, "r")
        write(x, 130, label, 46, _COLOURS[place], anchor)
        if won:
            write(x, 190, "winner", 28, _TEXT, anchor)
        for line, name in enumerate(people[:_MOST_NAMES]):
            write(x, 250 + 52 * line, name, 36, _TEXT, anchor)
        if len(people) > _MOST_NAMES:
            write(x, 250 + 52 * _MOST_NAMES, f"and {len(people) - _MOST_NAMES} more", 28, _FAINT, anchor)
    if len(sides) > 1:
        write(middle, 140, "v", 40, _FAINT, "m")
    written = BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


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
    """Draw a line of text into a picture of Pillow, from its upper left (anchor ``l``), right (``r``) or middle
    (``m``)."""
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
