"""Fonts for names in any script: Matplotlib uses one family and draws boxes for characters that it lacks."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any

# Families that systems install, by script, in the order of trial: Han, kana and Hangul first. Matplotlib cannot
# draw fonts of colour pictures. https://fonts.google.com/noto and each system's list of its fonts.
_PREFERRED = (
    *(f"Noto Sans {script}" for script in ("CJK SC", "CJK JP", "CJK KR", "CJK TC", "SC", "JP")),
    *("Source Han Sans SC", "PingFang SC", "Hiragino Sans", "Hiragino Sans GB", "Apple SD Gothic Neo"),
    *("Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "SimHei", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei"),
    *("Droid Sans Fallback", "Arial Unicode MS", "Noto Sans", "Segoe UI", "Helvetica Neue", "Arial", "FreeSans"),
    *("Noto Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Apple Symbols", "Symbola", "Noto Sans Symbols"),
    *("Noto Sans Symbols 2", "Unifont", "Unifont Upper"),
)
_UNKNOWN = "\N{WHITE SQUARE}"
# Fonts with a box for every character: they would never lack one.
_BOXES = ("Last Resort", "LastResort", "Adobe Blank")


class Lettering:
    """The families that together have the characters of some texts; call it with a text for the text to draw.

    Characters that no installed font has become squares, with one warning that lists them.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        from matplotlib import rcParams

        wanted = {character for text in texts for character in text if _is_drawn(character)}
        self.families: list[str] = list(rcParams["font.family"])
        missing = wanted - _covered_by(self.families)
        for name, path in _candidates(frozenset(missing)):
            found = {character for character in missing if ord(character) in _characters_of(path)}
            if found:
                self.families.append(name)
                missing -= found
            if not missing:
                break
        self._missing = frozenset(missing)
        if missing:
            text = "".join(sorted(missing))
            message = (
                f"no installed font has {text}: drawn as {_UNKNOWN}; fonts such as Noto Sans CJK, Noto Emoji (the "
                "one without colours) or Symbola have most scripts and signs"
            )
            warnings.warn(message, stacklevel=5)

    def __call__(self, text: str) -> str:
        """Return the text to draw: one line, without invisible characters and leading _, which hides labels."""
        drawn = "".join(
            _UNKNOWN if character in self._missing else character
            for character in text
            if character == "\n" or _is_drawn(character) or character.isspace()
        )
        return "\u200b" * drawn.startswith("_") + drawn


def _is_drawn(character: str) -> bool:
    """Return whether a character is visible: no blank, control character, joiner or variation selector."""
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp") and not (
        "\ufe00" <= character <= "\ufe0f"
    )


def _covered_by(families: Iterable[str]) -> frozenset[str]:
    """Return the characters of the fonts that Matplotlib uses for these families."""
    from matplotlib import font_manager

    found: set[str] = set()
    for family in families:
        path = font_manager.findfont(font_manager.FontProperties(family=[family]))
        found.update(map(chr, _characters_of(str(path))))
    return frozenset(found)


@lru_cache(1 << 9)
def _characters_of(path: str) -> frozenset[int]:
    """Return the code points of a font; none if it cannot be read."""
    from matplotlib.font_manager import get_font

    try:
        return frozenset(get_font(path).get_charmap())
    except (OSError, RuntimeError, ValueError):
        return frozenset()


def _candidates(missing: frozenset[str]) -> Iterable[tuple[str, str]]:
    """Yield installed families and a file of each, the preferred ones first; none if no character is missing."""
    if not missing:
        return
    from matplotlib import font_manager

    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    for path in font_manager.findSystemFonts():
        if path not in known:  # installed after Matplotlib made its list
            # Matplotlib cannot draw some fonts: they have colour pictures or fixed sizes.
            with suppress(OSError, RuntimeError, ValueError, NotImplementedError):
                font_manager.fontManager.addfont(path)
    files: dict[str, str] = {}
    for entry in sorted(font_manager.fontManager.ttflist, key=_plainness):
        if not entry.name.startswith(_BOXES):
            files.setdefault(entry.name, entry.fname)
    for name in (*_PREFERRED, *sorted(files.keys() - set(_PREFERRED))):
        if name in files:
            yield name, files[name]


def _plainness(entry: Any) -> tuple[bool, bool, str]:
    """Return a sort key: upright fonts of normal weight first."""
    return (entry.style != "normal", str(entry.weight) not in ("400", "normal", "regular"), str(entry.fname))
