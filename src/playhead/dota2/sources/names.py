"""Names of heroes, items, abilities and phrases by the game's numbers, from an optional package.

Recordings contain the names of units, items and abilities in play, but only numbers of banned heroes, of items and
abilities in orders and pings, and of phrases of the chat wheel. Their names come from dotabase (MIT licence, extra
``names``), a database built from the game's files. Nothing is downloaded; without the package these names are
null.
Patches change no numbers, but sometimes titles: titles are those of the package's version of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cache
from importlib.util import find_spec

from playhead.runtime.records import dataclass, field
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
    """The names in the package; empty without it.

    Attributes:
        heroes: unit name (``npc_dota_hero_axe``) by number.
        items: internal name (``item_blink``) by number.
        abilities: internal name (``axe_culling_blade``) by number.
        phrases: words of the chat wheel by number, in English.
        titles: displayed name (``Blink Dagger``) by internal name.
    """

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
    """Return the names; they are read once.

    Raises:
        RuntimeError: playhead cannot read the installed version of the package.
    """
    path = database()
    return GameNames() if path is None else read_names(path)


@cache
def game_heroes() -> Mapping[int, str]:
    """Return the names of heroes by number, without reading the other names.

    Raises:
        RuntimeError: as `game_names`.
    """
    path = database()
    return {} if path is None else read_names(path, ("heroes",)).heroes


def read_names(path: Path, kinds: Iterable[str] = tuple(_QUERIES)) -> GameNames:
    """Return the names in a database, or only those of some kinds.

    Raises:
        RuntimeError: the database has another layout.
    """
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
