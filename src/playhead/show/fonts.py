"""Fonts for names in any script: Matplotlib takes one family, and draws boxes for what that lacks."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any

# What systems come with, by script, in the order in which they are tried: Han, kana and Hangul first. Fonts of
# colour pictures cannot be drawn. https://fonts.google.com/noto and each system's list of its fonts.
_PREFERRED = (
    *(
        "Noto Sans CJK SC",
        "Noto Sans CJK JP",
        "Noto Sans CJK KR",
        "Noto Sans CJK TC",
        "Noto Sans SC",
        "Noto Sans JP",
    ),
    *("Source Han Sans SC", "PingFang SC", "Hiragino Sans", "Hiragino Sans GB", "Apple SD Gothic Neo"),
    *("Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "SimHei", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei"),
    *("Droid Sans Fallback", "Arial Unicode MS", "Noto Sans", "Segoe UI", "Helvetica Neue", "Arial", "FreeSans"),
    *("Noto Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Apple Symbols", "Symbola", "Noto Sans Symbols"),
    *("Noto Sans Symbols 2", "Unifont", "Unifont Upper"),
)
_UNKNOWN = "\N{WHITE SQUARE}"
# Fonts that have a box for every character, so that nothing is ever missing from them.
_BOXES = ("Last Resort", "LastResort", "Adobe Blank")


class Lettering:
    """The families that together have the characters of some texts; called with a text, what to draw for it.

    Characters that no installed font has are drawn as a square, with one warning that names them.
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
        """What to draw: one line, without what has no shape; a leading _ would keep a label out of legends."""
        drawn = "".join(
            _UNKNOWN if character in self._missing else character
            for character in text
            if character == "\n" or _is_drawn(character) or character.isspace()
        )
        return "\u200b" * drawn.startswith("_") + drawn


def _is_drawn(character: str) -> bool:
    """Whether it has a shape: no blanks, control characters, joiners or choices between shapes."""
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp") and not (
        "\ufe00" <= character <= "\ufe0f"
    )


def _covered_by(families: Iterable[str]) -> frozenset[str]:
    """The characters of the fonts that Matplotlib takes for these families."""
    from matplotlib import font_manager

    found: set[str] = set()
    for family in families:
        path = font_manager.findfont(font_manager.FontProperties(family=[family]))
        found.update(map(chr, _characters_of(str(path))))
    return frozenset(found)


@lru_cache(1 << 9)
def _characters_of(path: str) -> frozenset[int]:
    """The code points that a font has; none of a font that cannot be read."""
    from matplotlib.font_manager import get_font

    try:
        return frozenset(get_font(path).get_charmap())
    except (OSError, RuntimeError, ValueError):
        return frozenset()


def _candidates(missing: frozenset[str]) -> Iterable[tuple[str, str]]:
    """Installed families and a file of each, the preferred ones first; none if nothing is missing."""
    if not missing:
        return
    from matplotlib import font_manager

    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    for path in font_manager.findSystemFonts():
        if path not in known:  # installed since Matplotlib made its list
            _add(font_manager, path)
    files: dict[str, str] = {}
    for entry in sorted(font_manager.fontManager.ttflist, key=_plainness):
        if not entry.name.startswith(_BOXES):
            files.setdefault(entry.name, entry.fname)
    for name in (*_PREFERRED, *sorted(files.keys() - set(_PREFERRED))):
        if name in files:
            yield name, files[name]


def _add(font_manager: Any, path: str) -> None:
    # What it refuses is no font that can be drawn: of colour pictures, or of fixed sizes.
    with suppress(OSError, RuntimeError, ValueError, NotImplementedError):
        font_manager.fontManager.addfont(path)


def _plainness(entry: Any) -> tuple[bool, bool, str]:
    """Upright fonts of normal weight first."""
    return (entry.style != "normal", str(entry.weight) not in ("400", "normal", "regular"), str(entry.fname))
