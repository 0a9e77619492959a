"""`Cast`: the players in plots, with names, characters, sides, and distinct colours and lines."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from playhead.model import Player
from playhead.presentation import PresentedReplay
from playhead.text.names import matching, unknown_name

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


# Two sides have the game's colours, or else Okabe and Ito's blue and vermilion; players of a side have shades, by
# how much black or white is mixed with them, and line styles.
_SIDES = ("#0072b2", "#d55e00")
_SHADES = ((0, 0.0), (0, 0.45), (255, 0.4), (0, 0.25), (255, 0.2))
# Least contrast of the colour of a side with white.
_CONTRAST = 3.0
# Other players have Okabe and Ito's colours without yellow, which is faint on white.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7f7f7f")
_LINES = ("-", "--", "-.", ":", (0, (8, 2, 1, 2, 1, 2)))
_NEUTRAL = "#8a8a8a"
_LONGEST = 28
_MOST_NAMES = 10


def _mixed(colour: str, other: int, share: float) -> str:
    """Return a colour (``#rrggbb``) mixed with a grey from 0, black, to 255, white."""
    parts = bytes.fromhex(colour[1:])
    return f"#{bytes(round(part + (other - part) * share) for part in parts).hex()}"


def contrast_with_white(colour: str) -> float:
    """Return the contrast of a colour with white, as WCAG defines it."""
    parts = (part / 255 for part in bytes.fromhex(colour[1:]))
    lights = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 1.05 / (0.2126 * lights[0] + 0.7152 * lights[1] + 0.0722 * lights[2] + 0.05)


def on_white(colour: str) -> str:
    """Return a colour visible on white: darkened if necessary."""
    return next(
        found
        for step in range(21)
        if contrast_with_white(found := _mixed(colour, 0, step / 20)) >= _CONTRAST or step == 20
    )


class Look(NamedTuple):
    """Colour and style of a player's line."""

    colour: str
    line: str | tuple[int, tuple[int, ...]]


class Cast:
    """The players of one replay that have numbers, as plots show them, by side if there are sides."""

    def __init__(self, replay: PresentedReplay) -> None:
        self._replay = replay
        taken: dict[int, Player] = {}
        for each in replay.players:
            if each.player is not None:
                taken.setdefault(each.player, each)
        declared = list(replay.presentation.sides)
        teams = sorted(
            {each.team for each in taken.values() if each.team is not None},
            key=lambda team: (declared.index(team) if team in declared else len(declared), team),
        )
        self.sides: dict[int, list[Player]] = {
            team: [each for each in taken.values() if each.team == team] for team in teams
        }
        alone = [each for each in taken.values() if each.team is None]
        self.players = [each for side in self.sides.values() for each in side] + alone
        self.two_sided = len(self.sides) == 2
        self.lettering = Lettering(self._texts())

    def _texts(self) -> Iterator[str]:
        yield from (str(self._replay.info.map or ""), self._replay.name, self._replay.info.game)
        for each in self.players:
            yield from (each.name or "", self.character(each) or "", each.side or "")

    @property
    def numbers(self) -> list[int]:
        """The players' numbers, in their order."""
        return [each.player for each in self.players if each.player is not None]

    def number(self, player: int | str) -> int:
        """Return the number of a player, by number, name, or hero or race in any form, or by a part of these, if
        one player has it. Case does not matter.

        Raises:
            KeyError: there is no such player; the message lists the players.
        """
        for each in self.players:
            if each.player is not None and player in (each.player, each.name):
                return each.player
        known_by = ((each.player, [*self._words_for(each)]) for each in self.players if each.player is not None)
        found = matching(player, known_by) if isinstance(player, str) and player else []
        if len(found) == 1:
            return found[0]
        known = ", ".join(str(each.name) for each in self.players)
        raise KeyError(f"no player {player!r}; there are {known}")

    def _words_for(self, player: Player) -> set[str]:
        """Return the names of a player and of its hero or race, in lower case."""
        own = player.character or ""
        prefixes = self._replay.presentation.wording.prefixes
        bare = re.sub(rf"^(?:{prefixes})", "", own) if prefixes else own
        names = (player.name, own, bare, self.character(player))
        return {name.casefold() for name in names if name}

    def player(self, number: int) -> Player | None:
        """Return the player with a number; None if unknown."""
        return next((each for each in self.players if each.player == number), None)

    def character(self, player: Player) -> str | None:
        """Return hero or race as people write it."""
        return self._replay.presentation.character(player)

    def label(self, number: int) -> str:
        """Return the label for legends: name, and hero or race."""
        player = self.player(number)
        if player is None:
            return f"player {number}" if number >= 0 else "player not known"
        name = _short(player.name or f"player {number}")
        if sum(each.name == player.name for each in self.players) > 1:
            name += f" #{number}"
        character = self.character(player)
        return self.lettering(f"{name} ({_short(character)})" if character else name)

    def team(self, side: int | str) -> int:
        """Return the number of a side, given that or its word; a word that no player has is a `KeyError`."""
        words = {each.side: each.team for each in self._replay.players if each.side and each.team is not None}
        if isinstance(side, str) and side not in words:
            raise KeyError(unknown_name(side, words, "side"))
        return words[side] if isinstance(side, str) else side

    def side_label(self, team: int) -> str:
        """Return the name of a side, or of its players if it has none."""
        players = self.sides.get(team, [])
        own = next((each.side for each in players if each.side), None)
        named = self._replay.presentation.sides.get(team, own)
        if named:
            return self.lettering(named[0].upper() + named[1:])
        if 1 <= len(players) <= 2:
            return self.lettering(" and ".join(_short(each.name or f"player {each.player}") for each in players))
        return f"team {team}"

    def side_colour(self, team: int | None) -> str:
        """Return the colour of a side: of two sides that of the game, or that of its first player; grey for
        neutral things."""
        if team not in self.sides:
            return _NEUTRAL
        place = list(self.sides).index(team)
        if not self.two_sided:
            return _COLOURS[place % len(_COLOURS)]
        stage = self._replay.presentation.stage
        own = (stage.plotted or stage.colours).get(team) or next(
            filter(None, map(stage.colour, self.sides[team])), None
        )
        return on_white(own or _SIDES[place])

    def look(self, number: int) -> Look:
        """Return colour and line style of a player: shades of its side if there are two sides."""
        player = self.player(number)
        if player is not None and self.two_sided and player.team in self.sides:
            mate = self.sides[player.team].index(player)
            shade = _mixed(self.side_colour(player.team), *_SHADES[mate % len(_SHADES)])
            return Look(shade, _LINES[mate % len(_LINES)])
        index = self.numbers.index(number) if number in self.numbers else number
        return Look(_COLOURS[index % len(_COLOURS)], _LINES[index // len(_COLOURS) % len(_LINES)])

    def summary(self, *, names: bool = True) -> list[str]:
        """Return the parts of a title: map, game and players; without names if a legend has them."""
        info = self._replay.info
        parts = [self.lettering(str(info.map))] if info.map else []
        parts.append(self.lettering(self._replay.presentation.title(info)))
        if self.sides:
            parts.append(" vs ".join(self._side(team, names) for team in self.sides))
        elif self.players:
            parts.append(self._several(self.players) if names else f"{len(self.players)} players")
        return parts

    def _side(self, team: int, names: bool) -> str:
        players = self.sides[team]
        if not names or len(self.players) > _MOST_NAMES:
            return self.side_label(team)
        named = next((f"{self.side_label(team)}: " for each in players if each.side), "")
        return named + self._several(players)

    def _several(self, players: list[Player]) -> str:
        labels = [self.label(each.player) for each in players[:_MOST_NAMES] if each.player is not None]
        more = f" and {len(players) - _MOST_NAMES} more" if len(players) > _MOST_NAMES else ""
        return ", ".join(labels) + more


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
