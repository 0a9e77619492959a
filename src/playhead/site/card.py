"""The picture of a match that chats show beside its link: names, result, map."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from playhead.site.lettering import draw_text, width_of
from playhead.site.words import day_of, length_of, map_of, shown, sides_of, title_of_game

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
    facts = (title_of_game(info["game"]), map_of(info), day_of(info), length_of(info))
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
