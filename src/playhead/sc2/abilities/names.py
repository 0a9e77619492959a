"""Names of abilities. Replays do not contain them: they refer to abilities by index in the catalog of the build's
game data.

Names come from the user's own catalog, or from the packaged lists by build (`playhead.sc2.abilities.bundled`).
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from playhead.runtime.records import dataclass, field

#: Environment variable that names a catalog for all replays.
CATALOG_VARIABLE = "PLAYHEAD_SC2_ABILITIES"
#: In games by the build's data at least 0.84 of the orders have abilities of the list, in arcade maps at most
#: 0.64.
_LEAST_KNOWN = 0.8
COLUMNS = ("first_build", "last_build", "ability_id", "command_index", "name")


@dataclass(frozen=True, slots=True)
class AbilityNames:
    """Names for one build: of commands by link and index, of abilities and unit types by link.

    Attributes:
        source: where they are from.
        modded: the map has its own data, so there are no names: those of the build would be wrong.
    """

    source: str
    commands: Mapping[tuple[int, int], str]
    abilities: Mapping[int, str]
    units: Mapping[int, str] = field(default_factory=dict)
    modded: bool = False

    def name(self, link: int, index: int) -> str | None:
        """Return the name of a command, or else of its ability; None if both are unknown."""
        return self.commands.get((link, index)) or self.abilities.get(link)

    def unit(self, link: int) -> str | None:
        """Return the name of a unit type; None if unknown."""
        return self.units.get(link)

    def for_orders(self, links: Collection[int]) -> AbilityNames:
        """Return these names; or no names if too few abilities of a replay's orders, given by `links`, are in the
        list. Then its map numbers abilities in its own way, which Blizzard's own maps never do."""
        known = sum(count for link, count in Counter(links).items() if link in self.abilities)
        if not links or known >= _LEAST_KNOWN * len(links):
            return self
        source = f"none: {known} of {len(links)} orders are in {self.source}; the map has data of its own"
        return AbilityNames(source, {}, {}, {}, modded=True)


@dataclass(frozen=True, slots=True)
class CatalogRow:
    """One name: for data builds from `first_build` to `last_build` (None: all later ones), of the command
    `command_index` (None: of the ability, for all of its commands)."""

    first_build: int
    last_build: int | None
    ability_id: int
    command_index: int | None
    name: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """A user's own list of names; later rows win over earlier ones."""

    source: str
    rows: tuple[CatalogRow, ...]

    def for_build(self, build: int) -> AbilityNames:
        """Return the names for a data build."""
        commands: dict[tuple[int, int], str] = {}
        abilities: dict[int, str] = {}
        for row in self.rows:
            if row.first_build <= build and (row.last_build is None or build <= row.last_build):
                if row.command_index is None:
                    abilities[row.ability_id] = row.name
                else:
                    commands[row.ability_id, row.command_index] = row.name
        return AbilityNames(self.source, commands, abilities)


def read_catalog(path: str | Path) -> Catalog:
    """Read a catalog: a CSV file with the columns `COLUMNS`, or a JSON array of objects with these keys.

    ``last_build`` and ``command_index`` may be empty (CSV), null or absent (JSON).

    Raises:
        ValueError: the file is not such a list; the text names the row.
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
    def number(name: str) -> int:
        value = row.get(name)
        if value is None or value == "":
            raise ValueError(f"{where}: expected a number in {name}")
        try:
            return int(value)
        except (TypeError, ValueError):
            raise ValueError(f"{where}: expected a number in {name}, found {value!r}") from None

    if not isinstance(row, Mapping):
        raise ValueError(f"{where}: expected an object, found {type(row).__name__}")
    first, link = number("first_build"), number("ability_id")
    if not row.get("name"):
        raise ValueError(f"{where}: expected a name")
    index, last = (
        None if row.get(name) in (None, "") else number(name) for name in ("command_index", "last_build")
    )
    return CatalogRow(first, last, link, index, str(row["name"]))
