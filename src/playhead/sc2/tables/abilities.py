"""Names of abilities, which replays do not have: they speak of places in the catalog of the build's game data.

Names come from a catalog of the user's own, or from an installed sc2reader (MIT), which ships lists by build;
nothing is copied from it and nothing is ever downloaded. Without either, orders have their numbers alone.
"""

from __future__ import annotations

import csv
import importlib.util
import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from playhead.sc2.members.game_data import SWARM, VOID

#: Environment variable that names a catalog for all replays.
CATALOG_VARIABLE = "PLAYHEAD_SC2_ABILITIES"
COLUMNS = ("first_build", "last_build", "ability_link", "command_index", "name")
#: Lists of sc2reader that are for builds from another one on than the one they are named after.
_FIRST_BUILD = {(VOID, 89720): 89634, (VOID, 96883): 95122}
#: From here on Heart of the Swarm is played with the data of Legacy of the Void.
_LAST_SWARM_DATA = 38215


@dataclass(frozen=True, slots=True)
class AbilityNames:
    """Names for one build: of commands by link and index, of abilities by link; `source` says where from."""

    source: str
    commands: Mapping[tuple[int, int], str]
    abilities: Mapping[int, str]

    def name(self, link: int, index: int) -> str | None:
        """Name of a command; of its ability where the command has none; None where that has none either."""
        return self.commands.get((link, index)) or self.abilities.get(link)


@dataclass(frozen=True, slots=True)
class CatalogRow:
    """One name: for data builds from `first_build` to `last_build` (None: all later ones), of the command
    `command_index` (None: of the ability, for all of its commands)."""

    first_build: int
    last_build: int | None
    ability_link: int
    command_index: int | None
    name: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """A user's own list of names; later rows win over earlier ones."""

    source: str
    rows: tuple[CatalogRow, ...]

    def for_build(self, build: int) -> AbilityNames:
        """The names that are for a data build."""
        commands: dict[tuple[int, int], str] = {}
        abilities: dict[int, str] = {}
        for row in self.rows:
            if row.first_build <= build and (row.last_build is None or build <= row.last_build):
                if row.command_index is None:
                    abilities[row.ability_link] = row.name
                else:
                    commands[row.ability_link, row.command_index] = row.name
        return AbilityNames(self.source, commands, abilities)


def read_catalog(path: str | Path) -> Catalog:
    """Read a catalog: a CSV file with the columns `COLUMNS`, or a JSON array of objects with these keys.

    ``last_build`` and ``command_index`` may be empty (CSV), null or absent (JSON).

    Raises:
        ValueError: the file is no such list; the text names the row.
        OSError: it cannot be read.
    """
    path = Path(path)
    found = path.read_text(encoding="utf-8-sig")
    rows: Iterable[Any]
    if path.suffix.lower() == ".json":
        rows = json.loads(found)
        if not isinstance(rows, list):
            raise ValueError(f"{path}: expected an array of objects")
    else:
        reader = csv.DictReader(found.splitlines())
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise ValueError(f"{path}: expected the columns {', '.join(COLUMNS)}; {', '.join(missing)} not found")
        rows = reader
    return Catalog(str(path), tuple(_row(row, f"{path}: row {place}") for place, row in enumerate(rows, 1)))


def _row(row: Any, where: str) -> CatalogRow:
    def number(name: str, *, needed: bool) -> int | None:
        value = row.get(name)
        if value is None or value == "":
            if needed:
                raise ValueError(f"{where}: expected a number in {name}")
            return None
        try:
            return int(value)
        except (TypeError, ValueError):
            raise ValueError(f"{where}: expected a number in {name}, found {value!r}") from None

    if not isinstance(row, Mapping):
        raise ValueError(f"{where}: expected an object, found {type(row).__name__}")
    first, link = number("first_build", needed=True), number("ability_link", needed=True)
    assert first is not None
    assert link is not None
    if not row.get("name"):
        raise ValueError(f"{where}: expected a name")
    index = number("command_index", needed=False)
    return CatalogRow(first, number("last_build", needed=False), link, index, str(row["name"]))


@lru_cache(maxsize=1)
def _sc2reader_data() -> tuple[Path, str] | None:
    """Folder of sc2reader's lists and its version, without importing it; None where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        spec = importlib.util.find_spec("sc2reader")
        places = [] if spec is None else list(spec.submodule_search_locations or ())
        folder = Path(places[0]) / "data" if places else None
        return (folder, version("sc2reader")) if folder is not None and folder.is_dir() else None
    except (ImportError, ValueError, PackageNotFoundError):
        return None


def _table_for(folder: Path, game: str, build: int) -> Path | None:
    """The list for the highest build that is not above."""
    if game == SWARM and build >= _LAST_SWARM_DATA:
        game = VOID
        build = 0
    tables = {}
    for path in (folder / game).glob("*_abilities.csv"):
        named = path.name.partition("_")[0]
        number = 0 if named == "base" else int(named) if named.isdigit() else None
        if number is not None:
            tables[_FIRST_BUILD.get((game, number), number)] = path
    firsts = sorted(tables)
    place = bisect_right(firsts, build)
    return tables[firsts[place - 1]] if place else None


def names_of_sc2reader(game: str, build: int) -> AbilityNames | None:
    """Names from an installed sc2reader; None without one, or without a list for the build.

    A third party's files: whatever is in them, replays must open.
    """
    held = _sc2reader_data()
    if held is None:
        return None
    folder, version = held
    try:
        path = _table_for(folder, game, build)
        return None if path is None else _read_lists(path, folder / "ability_lookup.csv", version)
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=8)
def _read_lists(path: Path, lookup: Path, version: str) -> AbilityNames:
    with lookup.open(encoding="utf-8", newline="") as file:
        commands_of = {row[0]: row[1:] for row in csv.reader(file) if row}
    abilities: dict[int, str] = {}
    commands: dict[tuple[int, int], str] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            if len(row) >= 2:
                link = int(row[0])
                abilities[link] = row[1]
                for index, name in enumerate(commands_of.get(row[1], ())):
                    if name.strip():
                        commands[link, index] = name.strip()
    return AbilityNames(
        f"sc2reader {version}, {path.parent.name} {path.name.partition('_')[0]}", commands, abilities
    )
