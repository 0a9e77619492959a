"""Units and upgrades as players know them: display name, race, class and cost by base build.

``unit_types.json`` is made by ``tools/build_sc2_unit_types.py`` from lists with the MIT licence. Supply and build
times by build are in `playhead.sc2.state.production.facts`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from playhead.runtime.beside import read_beside
from playhead.runtime.records import dataclass

#: Classes of units. Support: overlords, larvae and eggs; summoned: units that others make without a cost.
CLASSES = ("worker", "army", "building", "support", "summoned")
#: Buildings that are a base.
TOWN_HALLS = frozenset(
    "CommandCenter CommandCenterFlying OrbitalCommand OrbitalCommandFlying PlanetaryFortress Nexus Hatchery Lair "
    "Hive".split()
)

#: Where a word begins; 6x6 is one.
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[a-wyz])(?=[0-9])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """A type of units in one build.

    Attributes:
        name: display name.
        race: Terran, Protoss or Zerg; None if unknown, and of things of no race.
        kind: one of `CLASSES`; None if unknown, and of things of no race.
        minerals, vespene: cost, that of the unit from which it was made included; None if unknown.
        form_of: the type of which it is another form (sieged, burrowed, flying …), if any.
    """

    name: str
    race: str | None = None
    kind: str | None = None
    minerals: int | None = None
    vespene: int | None = None
    form_of: str | None = None


@cache
def _data() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    held: Mapping[str, Any] = json.loads(read_beside(__file__, "unit_types.json"))
    return held


@lru_cache(1 << 12)
def in_words(name: str) -> str:
    """Return a name of the game data in words: ``SupplyDepot`` is Supply Depot."""
    return _WORDS.sub(" ", name.removesuffix("MP"))


@lru_cache(1 << 14)
def unit_facts(unit_type: str, base_build: int) -> UnitFacts:
    """Return the facts of a type of units; of an unknown one its name in words."""
    row = _data()["units"].get(unit_type)
    if row is None:
        return UnitFacts(in_words(unit_type))
    free = 0 if row["class"] == "summoned" else None
    minerals, vespene = _cost(row, base_build) or (free, free)
    return UnitFacts(row["name"], row["race"], row["class"], minerals, vespene, row.get("form_of"))


def _cost(row: Mapping[str, Any], base_build: int) -> tuple[int, int] | None:
    """Return minerals and vespene in a build; None if unknown."""
    known = [(minerals, vespene) for first, minerals, vespene in row.get("cost", ()) if first <= base_build]
    return known[-1] if known else None


def is_army(unit_type: str) -> bool:
    """Return whether units of a type are an army: queens are, summoned units are not."""
    return _class_of(unit_type) == "army"


def is_worker(unit_type: str) -> bool:
    """Return whether units of a type are workers, burrowed or not; MULEs are not."""
    return _class_of(unit_type) == "worker"


def _class_of(unit_type: str) -> str | None:
    row = _data()["units"].get(unit_type)
    return None if row is None else str(row["class"])


def upgrade_race(upgrade: str) -> str | None:
    """Return the race that researches an upgrade; None if unknown."""
    row = _data()["upgrades"].get(upgrade)
    return None if row is None else row["race"]


def upgrade_cost(upgrade: str, base_build: int) -> tuple[int, int] | None:
    """Return minerals and vespene of an upgrade; None if unknown, as before 5.0.14."""
    return _cost(_data()["upgrades"].get(upgrade, {}), base_build)


def known_name(name: str) -> str | None:
    """Return the display name of a unit type or an upgrade: ``zerglingmovementspeed`` is Metabolic Boost. None for
    any other text."""
    row = _data()["units"].get(name) or _data()["upgrades"].get(name)
    return None if row is None else str(row["name"])


@lru_cache(1 << 12)
def display_name(name: str) -> str:
    """Return the display name of a unit type or an upgrade, an unknown one in words."""
    return known_name(name) or in_words(name)
