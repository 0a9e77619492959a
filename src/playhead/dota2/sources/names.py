"""Names of heroes, items, abilities and phrases by the game's numbers, and their displayed titles.

Recordings contain the names of units, items and abilities in play, but only numbers of banned heroes, of items and
abilities in orders and pings, and of phrases of the chat wheel. Their names come from dotabase (MIT licence, extra
``names``), a database built from the game's files. Nothing is downloaded; without the package these names are
null. Patches change no numbers, but sometimes titles: titles are those of the package's version of the game.

Titles (``npc_dota_hero_zuus`` is Zeus) come from `titles.json`, which `tools/build_dota2_titles.py` writes from
dotaconstants (MIT), with the patch of the game that they belong to. Names that later patches add are written in
words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cache
from importlib.util import find_spec

from playhead.runtime.records import NamedTuple, dataclass, field
from playhead.runtime.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "dotabase"

_QUERIES = {
    "heroes": "SELECT id, full_name, localized_name FROM heroes",
    "items": "SELECT id, name, localized_name FROM items",
    "abilities": "SELECT id, name, localized_name FROM abilities",
    "phrases": "SELECT id, message, NULL FROM chatwheelmessages",
}


@dataclass(frozen=True)
class GameNames:
    """The names in the package by number, empty without it: units (``npc_dota_hero_axe``), items, abilities,
    phrases of the chat wheel in English; `titles` (``Blink Dagger``) are by internal name."""

    heroes: Mapping[int, str] = field(default_factory=dict)
    items: Mapping[int, str] = field(default_factory=dict)
    abilities: Mapping[int, str] = field(default_factory=dict)
    phrases: Mapping[int, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def ability_or_item(self, number: int | None) -> str | None:
        """Internal name by number in orders and pings. Abilities and items share one range of numbers; items
        replace a few old abilities with the same number.
        """
        if number is None:
            return None
        return self.items.get(number) or self.abilities.get(number)


def database() -> Path | None:
    """Return the path of the package's database; None if it is not installed. The package is not imported."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    from pathlib import Path

    path = Path(next(iter(spec.submodule_search_locations))) / "dotabase.db"
    return path if path.is_file() else None


@cache
def game_names() -> GameNames:
    """Return the names, which are read once; a package that playhead cannot read is a `RuntimeError`."""
    path = database()
    return GameNames() if path is None else read_names(path)


@cache
def game_heroes() -> Mapping[int, str]:
    """Return the names of heroes by number, without reading the other names."""
    path = database()
    return {} if path is None else read_names(path, ("heroes",)).heroes


def read_names(path: Path, kinds: Iterable[str] = tuple(_QUERIES)) -> GameNames:
    """Return the names in a database, or only those of some kinds; another layout of it is a `RuntimeError`."""
    import sqlite3

    found: dict[str, dict[int, str]] = {}
    titles: dict[str, str] = {}
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for kind in kinds:
                rows = connection.execute(_QUERIES[kind]).fetchall()
                found[kind] = {number: name for number, name, _ in rows if name}
                titles.update((name, title) for _, name, title in rows if name and title)
    except sqlite3.Error as error:
        raise RuntimeError(
            f"cannot read names from {path}: {error}; install playhead[names] for a version of {PACKAGE} that fits"
        ) from error
    return GameNames(**found, titles=titles)


_HERO, _ITEM, _HERO_CLASS = "npc_dota_hero_", "item_", "CDOTA_Unit_Hero_"
_PREFIXES = (_HERO, "npc_dota_", _ITEM, "modifier_", "ability_", "dota_")

_SIDES = {"goodguys": "Radiant", "badguys": "Dire"}
_LANES = {"top": "Top", "mid": "Mid", "bot": "Bottom"}
_BUILDINGS = {
    "tower": "Tower",
    "melee_rax": "Melee Barracks",
    "range_rax": "Ranged Barracks",
    "fort": "Ancient",
}
_BUILDING = r"(?:npc_)?dota_(goodguys|badguys)_(tower([1-4])|melee_rax|range_rax|fort)(?:_(top|mid|bot))?"


class Titles(NamedTuple):
    """The shipped names, of a patch of the game; `by_text` has the name of a hero or item by its title, or by its
    name without prefix, in lower case."""

    patch: str
    titles: Mapping[str, str]
    heroes: Mapping[int, str]
    items: Mapping[int, str]
    numbers: Mapping[str, int]
    by_text: Mapping[str, str]


@cache
def shipped() -> Titles:
    """Return the shipped names; they are read once."""
    import json

    folder = os.path.dirname(os.path.dirname(__file__))
    with open(os.path.join(folder, "titles.json"), encoding="utf-8") as file:
        data = json.load(file)
    rows = [row for kind in ("abilities", "items", "heroes") for row in data[kind]]
    by_text: dict[str, str] = {}
    for kind, prefix in (("items", _ITEM), ("heroes", _HERO)):
        for _number, name, shown in data[kind]:
            by_text[name.removeprefix(prefix)] = name
            if shown:
                by_text[shown.lower()] = name
    return Titles(
        data["patch"],
        {name: shown for _number, name, shown in rows if shown},
        {number: name for number, name, _shown in data["heroes"]},
        {number: name for number, name, _shown in data["items"]},
        {name: number for number, name, _shown in rows},
        by_text,
    )


def title(name: str) -> str:
    """Return the title of a hero, item, ability or unit by its name in play.

    ``npc_dota_hero_zuus`` is Zeus, ``item_blink`` (or ``blink``) Blink Dagger, ``axe_culling_blade`` Culling
    Blade. Any other name is written in words: those of units and buildings, which have no titles, and those of
    heroes and items that the shipped list lacks.
    """
    titles = shipped().titles
    found = titles.get(name) or titles.get(_HERO + name) or titles.get(_ITEM + name)
    if found:
        return found
    building = re.fullmatch(_BUILDING, name)
    if building:
        side, kind, tier, lane = building.groups()
        words = (_SIDES[side], _LANES.get(lane), f"Tier {tier}" if tier else None, _BUILDINGS[kind.rstrip("1234")])
        return " ".join(word for word in words if word)
    bare = name
    for prefix in _PREFIXES:
        if bare.startswith(prefix):
            bare = bare.removeprefix(prefix)
            break
    if bare in titles:
        return titles[bare]
    return " ".join(_SIDES.get(word, word.title()) for word in bare.split("_") if word) or name


def known_title(text: str) -> str | None:
    """Return the title of a text that is a whole name of the game: a hero, item, ability, unit or class of a hero;
    None for any other text.
    """
    if not text.isascii() or " " in text:
        return None
    if text.startswith(_HERO_CLASS):
        return _by_class().get(text.removeprefix(_HERO_CLASS).replace("_", "").lower())
    if text.startswith((_HERO, "npc_dota_", _ITEM)):
        return title(text)
    return shipped().titles.get(text) if "_" in text else None


@cache
def _by_class() -> Mapping[str, str]:
    """Return titles of heroes by the letters of their names, which are those of their classes."""
    names = ((name, shown) for name, shown in shipped().titles.items() if name.startswith(_HERO))
    return {name.removeprefix(_HERO).replace("_", ""): shown for name, shown in names}


def class_pattern(text: str) -> str:
    """Return a pattern of a hero's class, given its title, name or short name (``axe``); other text as it is."""
    name = name_of(text)
    if not name.startswith(_HERO):
        return text
    letters = (f"[{each.upper()}{each}]" if each.isalpha() else "*" for each in name.removeprefix(_HERO))
    return _HERO_CLASS + "".join(letters)


def item_named(number: int | None) -> str | None:
    """Return the name of an item (``item_blink``) by its number; None for an unknown number."""
    return None if number is None else shipped().items.get(number)


def number_of(name: str | None) -> int | None:
    """Return the game's number of a hero, item or ability; None for an unknown name."""
    return None if name is None else shipped().numbers.get(name)


def name_of(text: str) -> str:
    """Return the name in play of a hero or item by its title or short name, in any case: ``Zeus`` is
    ``npc_dota_hero_zuus``. Other text is returned as it is.
    """
    return shipped().by_text.get(text.strip().lower(), text)
