"""Facts about units that hold before a game begins: build times and supply by base build, and types that are not
production.

The numbers are in ``facts.json``, with their sources; ``tools/build_sc2_production.py`` writes it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from playhead.blizzard.units import changes
from playhead.blizzard.units.history import UnitHistory
from playhead.runtime.beside import read_beside
from playhead.runtime.records import dataclass, field
from playhead.sc2.state.energy import FIRST_FREE_BOOST

#: First base build of Legacy of the Void.
_FIRST_VOID = 34784

#: The largest speed-up by chrono boosts, by first base build: for 20 seconds of the game; from the
#: betas of Legacy of the Void to 3.x for as long as they stay on a building; for 20 seconds again from 4.0 on.
#: Times between order and birth gather at 1/1.5, 1/1.2, 1/1.15 and 1/1.5 of the build time in the corpus. From 4.0
#: on the bound is larger: build times of some patches are not exact.
_BOOSTS = ((0, 1.5), (FIRST_FREE_BOOST, 1.2), (38215, 1.15), (59587, 2.0))

#: The share of the build time that a Gateway needs for a unit once its player has `WARP_GATE`, by first base
#: build: 16 of 18 births of 97364 come 0.6 build times after an order, 10 of 14 of 97563 half a build time.
_GATEWAY_SHARES = ((0, 1.0), (97364, 0.6), (97563, 0.5))
WARP_GATE = "WarpGateResearch"
GATEWAY_UNITS = frozenset({"Zealot", "Stalker", "Sentry", "Adept", "HighTemplar", "DarkTemplar"})

#: Types of cocoons and eggs, with the types that they become.
COCOONS: Mapping[str, str] = {
    "BanelingCocoon": "Baneling",
    "BroodLordCocoon": "BroodLord",
    "LurkerEgg": "Lurker",
    "LurkerMPEgg": "LurkerMP",
    "OverlordCocoon": "Overseer",
    "RavagerCocoon": "Ravager",
    "TransportOverlordCocoon": "OverlordTransport",
}

#: Buildings made from other buildings, with these; the tracker records only the end of such a morph.
MORPHS: Mapping[str, frozenset[str]] = {
    "GreaterSpire": frozenset({"Spire"}),
    "Hive": frozenset({"Lair"}),
    "Lair": frozenset({"Hatchery"}),
    "LurkerDenMP": frozenset({"HydraliskDen"}),
    **dict.fromkeys(("OrbitalCommand", "PlanetaryFortress"), frozenset({"CommandCenter"})),
    "WarpGate": frozenset({"Gateway"}),
}

#: Forms of units, with the first form, which has the same supply.
FORMS: Mapping[str, str] = {
    **{name: COCOONS[name] for name in ("BanelingCocoon", "BroodLordCocoon", "LurkerMPEgg", "RavagerCocoon")},
    **dict.fromkeys(("GhostAlternate", "GhostNova"), "Ghost"),
    "HellionTank": "Hellion",
    "LiberatorAG": "Liberator",
    "ObserverSiegeMode": "Observer",
    "SiegeTankSieged": "SiegeTank",
    "ThorAP": "Thor",
    "VikingAssault": "VikingFighter",
    "WarpPrismPhasing": "WarpPrism",
    **dict.fromkeys("CommandCenterFlying OrbitalCommand OrbitalCommandFlying".split(), "CommandCenter"),
    "PlanetaryFortress": "CommandCenter",
    "SupplyDepotLowered": "SupplyDepot",
    **dict.fromkeys(("Lair", "Hive"), "Hatchery"),
    **dict.fromkeys("OverlordCocoon OverlordTransport TransportOverlordCocoon".split(), "Overlord"),
    **dict.fromkeys(("Overseer", "OverseerSiegeMode"), "Overlord"),
}

#: Buildings that a drone becomes.
OF_DRONES = frozenset(
    "Hatchery Extractor ExtractorRich SpawningPool EvolutionChamber RoachWarren BanelingNest SpineCrawler "
    "SporeCrawler HydraliskDen LurkerDenMP InfestationPit Spire NydusNetwork UltraliskCavern".split()
)

DRONE = "Drone"
WORKERS = frozenset({"SCV", "Probe", DRONE})

#: Workers at the start in Heart of the Swarm; Legacy of the Void has 12, or 8 from 5.0.16 on.
_SWARM_WORKERS = 6

#: Units merged from two others, whose supply remains in use until the merge is finished.
MERGED = frozenset({"Archon"})

_NOT_PRODUCED = re.compile(
    r"Larva|Egg$|Broodling|MULE|Changeling|Interceptor|Locust|AutoTurret|PointDefenseDrone|RavenRepairDrone|ForceField"
    r"|Infest(?:ed|or)Terran|^Beacon|CreepTumor|KD8Charge|AdeptPhaseShift|DisruptorPhased|OracleStasisTrap"
    r"|ParasiticBomb|Placeholder|Dummy|SpecialNexus|^Shape|Hallucinat|^Nuke$|ShieldBatteryCharge"
)
_NOT_RESEARCHED = re.compile(r"^(?:Spray|Reward|GameHeart|GameTime)")

#: Loops at the start in which lobby and map grant upgrades without research.
START_LOOPS = 2


@cache
def is_produced(unit_type: str) -> bool:
    """Return whether a player's order makes units of a type; larvae, MULEs, interceptors … are not."""
    return _NOT_PRODUCED.search(unit_type) is None


@lru_cache(1 << 12)
def is_bought(upgrade: str) -> bool:
    """Return whether an upgrade is not a spray, dance or similar reward."""
    return _NOT_RESEARCHED.match(upgrade) is None


def first_form(unit_type: str) -> str:
    """Return the type whose supply a burrowed, sieged, flying … form has."""
    return FORMS.get(unit_type) or unit_type.replace("Burrowed", "")


def begins_as_swarm(history: UnitHistory, start: int = 0) -> bool:
    """Return whether a game that begins at loop `start` does so with the workers of Heart of the Swarm."""
    counts: Counter[int] = Counter()
    for row, loop in enumerate(history.loop):
        if loop > start:
            break
        type_, player = history.unit_type[row], history.player[row]
        if history.change[row] == changes.BORN and player > 0 and history.text(type_) in WORKERS:
            counts[player] += 1
    return max(counts.values(), default=0) == _SWARM_WORKERS


@cache
def _data() -> Mapping[str, Any]:
    held: Mapping[str, Any] = json.loads(read_beside(__file__, "facts.json"))
    return held


def _of_build(part: str, base_build: int) -> dict[str, float]:
    return {name: _since(rows, base_build) for name, rows in _data()[part].items()}


def _since(rows: Sequence[tuple[int, float]], base_build: int) -> float:
    """Return the value of the last row that begins with a build or before it."""
    return next(value for first, value in reversed(rows) if first <= base_build)


def _with_forms(loops: Mapping[str, float]) -> dict[str, int]:
    """Return build times in whole loops; a form without one has that of the first form."""
    forms = {form: loops[first] for form, first in FORMS.items() if first in loops}
    return {name: int(value) for name, value in {**forms, **loops}.items()}


def makers() -> Mapping[str, list[str]]:
    """Return the types of the buildings that make each unit and upgrade."""
    found: Mapping[str, list[str]] = _data()["made_in"]
    return found


@cache
def producers() -> frozenset[str]:
    """Return the types of buildings that make something."""
    return frozenset(name for names in makers().values() for name in names) | {"CommandCenter", "Gateway"}


@dataclass(frozen=True, slots=True)
class ProductionFacts:
    """The facts of one base build.

    Attributes:
        base_build: the build.
        build_loops: known build times of units, their forms, morphs and upgrades, in loops.
        used, provided: supply of units and buildings.
        products: product of each command, by sc2reader's name of the command.
        boosted: products that chrono boosts may speed up.
    """

    base_build: int
    build_loops: dict[str, int]
    used: Mapping[str, float]
    provided: Mapping[str, float]
    products: Mapping[str, str]
    boosted: Container[str]
    _supply: dict[str, float] = field(default_factory=dict, repr=False, compare=False)
    _provides: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    @property
    def fastest(self) -> float:
        """The smallest fraction of a build time, boosted from start to end."""
        return 1 / _since(_BOOSTS, self.base_build)

    @property
    def gateway_share(self) -> float:
        """The share of the build time of a Gateway's unit after the research of Warp Gates."""
        return _since(_GATEWAY_SHARES, self.base_build)

    def supply(self, unit_type: str) -> float:
        """Return the supply of a unit."""
        found = self._supply.get(unit_type)
        if found is None:
            found = self.used.get(unit_type) or self.used.get(first_form(unit_type), 0.0)
            self._supply[unit_type] = found
        return found

    def provides(self, unit_type: str) -> float:
        """Return the supply that a finished unit or building provides."""
        found = self._provides.get(unit_type)
        if found is None:
            found = self._provides[unit_type] = self.provided.get(first_form(unit_type), 0.0)
        return found


@cache
def production_facts(base_build: int, *, swarm: bool = False) -> ProductionFacts:
    """Return the facts of a base build; for builds newer than the data, those of the latest.

    Args:
        base_build: of the replay.
        swarm: whether it was played with the data of Heart of the Swarm, on any client.
    """
    if swarm:
        base_build = min(base_build, _FIRST_VOID - 1)
    return ProductionFacts(
        base_build,
        _with_forms(_of_build("build_loops", base_build)),
        _of_build("supply", base_build),
        _of_build("provides", base_build),
        _data()["commands"],
        _data()["boosted"],
    )
