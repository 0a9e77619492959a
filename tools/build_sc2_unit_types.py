"""Write src/playhead/sc2/abilities/unit_types.json: names, race, class and cost of units, names of upgrades.

    pip install spawningtool==3.0.0 sc2reader==1.9.0    # in its own environment: neither is a dependency
    python tools/build_sc2_unit_types.py BALANCE

BALANCE is ``assets/BalanceData`` of the crate s2protocol 5.0.0 (MIT, crates.io/crates/s2protocol): exports of the
game's own editor. Race, structures, costs and resulting types are from its export 94137; names are spawningtool's
(MIT), with `NAMES` for forms and types without one. Licences: ``src/playhead/sc2/LICENSES.txt``.

A cost includes that of the unit from which it was made, as in the game's statistics. `COSTS` has the costs of
builds before that export, and changes after it: the statistics of real replays (``minerals_used_current_army`` …)
are sums of the costs of living units, which `tests/real/test_sc2_unit_types.py` compares.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).parents[1] / "src" / "playhead" / "sc2" / "abilities" / "unit_types.json"
EXPORT = "94137"
#: The base build of 5.0.14, whose data the export has.
FIRST_OF_EXPORT = 93272
RACES = {"Prot": "Protoss", "Terr": "Terran", "Zerg": "Zerg"}

#: Display names that neither list has, or has for several types.
NAMES = {
    "AdeptPhaseShift": "Adept Phase Shift",
    "BanelingCocoon": "Baneling Cocoon",
    "BroodLordCocoon": "Brood Lord Cocoon",
    "BroodlingEscort": "Broodling",
    "ChangelingMarineShield": "Changeling (Marine)",
    "ChangelingMarine": "Changeling (Marine)",
    "ChangelingZealot": "Changeling (Zealot)",
    "ChangelingZergling": "Changeling (Zergling)",
    "ChangelingZerglingWings": "Changeling (Zergling)",
    "CreepTumorBurrowed": "Creep Tumor",
    "CreepTumorQueen": "Creep Tumor",
    "DisruptorPhased": "Purification Nova",
    "GhostAlternate": "Ghost",
    "GhostNova": "Ghost",
    "HERC": "HERC",
    "HellionTank": "Hellbat",
    "InfestedTerransEgg": "Infested Terran Egg",
    "InfestorTerran": "Infested Terran",
    "InfestorTerranBurrowed": "Infested Terran (Burrowed)",
    "KD8Charge": "KD8 Charge",
    "LiberatorAG": "Liberator (Defender Mode)",
    "LocustMP": "Locust",
    "LocustMPFlying": "Locust (Flying)",
    "LocustMPFlyer": "Locust (Flying)",
    "LurkerDenMP": "Lurker Den",
    "LurkerMP": "Lurker",
    "LurkerMPBurrowed": "Lurker (Burrowed)",
    "LurkerMPEgg": "Lurker Egg",
    "MULE": "MULE",
    "NydusCanal": "Nydus Worm",
    "ObserverSiegeMode": "Observer (Surveillance Mode)",
    "OracleStasisTrap": "Stasis Ward",
    "OverlordCocoon": "Overseer Cocoon",
    "OverlordTransport": "Overlord (Transport)",
    "OverseerSiegeMode": "Overseer (Oversight Mode)",
    "PylonOvercharged": "Pylon (Overcharged)",
    "RavagerCocoon": "Ravager Cocoon",
    "RavenRepairDrone": "Repair Drone",
    "SCV": "SCV",
    "SiegeTankSieged": "Siege Tank (Sieged)",
    "StasisMine": "Stasis Ward",
    "SupplyDepotLowered": "Supply Depot (Lowered)",
    "SwarmHostBurrowedMP": "Swarm Host (Burrowed)",
    "SwarmHostMP": "Swarm Host",
    "TemplarArchive": "Templar Archives",
    "ThorAP": "Thor (High Impact)",
    "TransportOverlordCocoon": "Overlord (Transport) Cocoon",
    "VikingAssault": "Viking (Assault Mode)",
    "VikingFighter": "Viking",
    "WarpPrismPhasing": "Warp Prism (Phasing)",
}
UPGRADE_NAMES = {
    "Burrow": "Burrow",
    "CycloneLockOnRangeUpgrade": "Lock On Range",
    "ExtendedThermalLance": "Extended Thermal Lance",
    "FlyingLocusts": "Flying Locusts",
    "Frenzy": "Frenzy",
    "HydraliskSpeedUpgrade": "Muscular Augments",
    "NeosteelFrame": "Neosteel Frame",
    "PersonalCloaking": "Personal Cloaking",
    "SeismicSpines": "Seismic Spines",
    "SiegeTech": "Siege Tech",
    "TargetingOptics": "Targeting Optics",
    "TempestGroundAttackUpgrade": "Tectonic Destabilizers",
    "TransformationServos": "Transformation Servos",
    "SmartServos": "Smart Servos",
    "HyperflightRotors": "Hyperflight Rotors",
    "MicrobialShroud": "Microbial Shroud",
    "InterferenceMatrix": "Interference Matrix",
}

WORKERS = ("SCV", "Probe", "Drone", "DroneBurrowed")
#: Neither fight nor cost supply: supply, larvae, eggs of any unit.
SUPPORT = (
    "Overlord OverlordCocoon OverlordTransport TransportOverlordCocoon Overseer OverseerSiegeMode Larva Egg"
).split()
#: Units that other units make without a cost, most for some seconds.
SUMMONED = (
    "AdeptPhaseShift AutoTurret Broodling BroodlingEscort Changeling ChangelingMarine ChangelingMarineShield "
    "ChangelingZealot ChangelingZergling ChangelingZerglingWings DisruptorPhased ForceField InfestedTerransEgg "
    "InfestorTerran InfestorTerranBurrowed Interceptor InterceptorFree KD8Charge LocustMP LocustMPFlying "
    "LocustMPFlyer LocustMPPrecursor MULE Nuke OracleStasisTrap PointDefenseDrone RavenRepairDrone StasisMine"
).split()
#: Structures without a cost of their own.
FREE_BUILDINGS = ("CreepTumor", "WarpGate", "Reactor", "TechLab")
#: Fighting units of builds before the export.
OLD_ARMY = {"HERC": "Terran", "MothershipCore": "Protoss", "WarHound": "Terran"}
#: Races of other types that the export has without one.
OLD_RACES = {"LocustMPFlyer": "Zerg", "LocustMPPrecursor": "Zerg", "StasisMine": "Protoss"}
#: Forms with another type than the first, which the export has without a cost.
FORMS = {
    "BanelingBurrowed": "Baneling",
    "BarracksFlying": "Barracks",
    "CommandCenterFlying": "CommandCenter",
    "CreepTumorBurrowed": "CreepTumor",
    "CreepTumorQueen": "CreepTumor",
    "DroneBurrowed": "Drone",
    "ExtractorRich": "Extractor",
    "AssimilatorRich": "Assimilator",
    "RefineryRich": "Refinery",
    "FactoryFlying": "Factory",
    "GhostAlternate": "Ghost",
    "GhostNova": "Ghost",
    "HydraliskBurrowed": "Hydralisk",
    "InfestorBurrowed": "Infestor",
    "LiberatorAG": "Liberator",
    "LurkerMPBurrowed": "LurkerMP",
    "ObserverSiegeMode": "Observer",
    "OrbitalCommandFlying": "OrbitalCommand",
    "OverseerSiegeMode": "Overseer",
    "PylonOvercharged": "Pylon",
    "QueenBurrowed": "Queen",
    "RavagerBurrowed": "Ravager",
    "RoachBurrowed": "Roach",
    "SiegeTankSieged": "SiegeTank",
    "SpineCrawlerUprooted": "SpineCrawler",
    "SporeCrawlerUprooted": "SporeCrawler",
    "StarportFlying": "Starport",
    "SupplyDepotLowered": "SupplyDepot",
    "SwarmHostBurrowedMP": "SwarmHostMP",
    "ThorAP": "Thor",
    "UltraliskBurrowed": "Ultralisk",
    "VikingAssault": "VikingFighter",
    "WarpPrismPhasing": "WarpPrism",
    "WidowMineBurrowed": "WidowMine",
    "ZerglingBurrowed": "Zergling",
    "Reactor": "BarracksReactor",
    "TechLab": "BarracksTechLab",
}
#: Units made from other units, whose cost the game's statistics add.
MADE_FROM = {
    "Baneling": "Zergling",
    "BroodLord": "Corruptor",
    "GreaterSpire": "Spire",
    "Hive": "Lair",
    "Lair": "Hatchery",
    "LurkerMP": "Hydralisk",
    "OrbitalCommand": "CommandCenter",
    "OverlordTransport": "Overlord",
    "Overseer": "Overlord",
    "PlanetaryFortress": "CommandCenter",
    "Ravager": "Roach",
    "WarpGate": "Gateway",
}
#: Minerals and vespene by first base build, without the cost of the unit from which it was made.
COSTS: dict[str, list[tuple[int, int, int]]] = {
    "Zergling": [(0, 25, 0)],
    "Archon": [(0, 100, 300), (34784, 175, 275)],
    "Armory": [(0, 150, 100), (93272, 150, 50)],
    "CommandCenter": [(0, 400, 0), (97563, 300, 0), (98310, 400, 0)],
    "Cyclone": [(0, 150, 150), (44401, 150, 100), (91115, 125, 50), (93272, 150, 100)],
    "DarkShrine": [(0, 150, 150)],
    "Ghost": [(0, 200, 100), (60321, 150, 125)],
    "GreaterSpire": [(0, 100, 150), (95248, 150, 200)],
    "HERC": [(0, 100, 100)],
    "Hatchery": [(0, 300, 0), (91115, 275, 0), (97364, 300, 0), (98310, 275, 0)],
    "Immortal": [(0, 250, 100), (71523, 275, 100), (93272, 250, 100)],
    "Liberator": [(0, 150, 150), (89634, 150, 125)],
    "Mothership": [(0, 400, 400)],
    "MothershipCore": [(0, 100, 100)],
    "PlanetaryFortress": [(0, 150, 150), (97563, 250, 150), (98310, 150, 150)],
    "Queen": [(0, 150, 0), (93272, 175, 0)],
    "Raven": [(0, 100, 200), (89634, 100, 150)],
    "RoboticsBay": [(0, 200, 200), (44401, 150, 150)],
    "RoboticsFacility": [(0, 200, 100), (44401, 150, 100)],
    "SensorTower": [(0, 125, 100), (93272, 100, 50)],
    "Spire": [(0, 200, 200), (95248, 150, 150)],
    "SwarmHostMP": [(0, 200, 100), (32283, 100, 200), (34784, 100, 75)],
    "Tempest": [(0, 300, 200), (70154, 250, 175)],
    "Ultralisk": [(0, 300, 200), (91115, 275, 200)],
    "VikingFighter": [(0, 150, 75), (95248, 125, 75)],
    "VoidRay": [(0, 250, 150), (81433, 200, 150), (87702, 250, 150)],
    "WarpGate": [(0, 0, 0), (97364, 25, 25), (98310, 0, 0)],
    "WarpPrism": [(0, 200, 0), (77379, 250, 0)],
    "WarHound": [(0, 150, 75)],
}
#: Cocoons, which cost what the resulting unit costs.
COCOONS = {
    "BanelingCocoon": "Baneling",
    "BroodLordCocoon": "BroodLord",
    "LurkerMPEgg": "LurkerMP",
    "OverlordCocoon": "Overseer",
    "RavagerCocoon": "Ravager",
    "TransportOverlordCocoon": "OverlordTransport",
}
#: Effects, signs, and units of tests and of an expansion's campaign.
_NOT_UNITS = re.compile(
    r"Weapon|Dummy|^Beacon|ACGluescreen|Place(?:holder|ment)|Test|Corpse|^TowerMine|BypassArmor|ResourceBlocker"
    r"|^NydusCanal.|^Replicant|(?:Arbiter|Corsair|Scout|Defiler|Devourer|Guardian|Queen|Scourge)(?:Cocoon)?MP"
)
#: Where a missing name is made from that of the type.
_SUFFIXES = (
    ("Burrowed", " (Burrowed)"),
    ("Flying", " (Flying)"),
    ("Uprooted", " (Uprooted)"),
    ("Rich", " (Rich)"),
)


def words(name: str) -> str:
    """Return a name of the game data in words: ``SupplyDepot`` is Supply Depot."""
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)


def spoken(name: str, known: dict[str, str]) -> str:
    """Return the display name of a unit type."""
    if name in NAMES:
        return NAMES[name]
    if name in known:
        return known[name]
    for suffix, said in _SUFFIXES:
        if name.endswith(suffix) and name != suffix:
            return spoken(name[: -len(suffix)], known) + said
    return words(name)


def exports(folder: Path) -> dict[str, Any]:
    """Return the units of one export by type."""
    return {unit["@id"]: unit for unit in (json.loads(path.read_text("utf-8")) for path in folder.glob("*.json"))}


def costs_inside(value: Any) -> Iterator[tuple[str, list[int]]]:
    """Yield name and cost of each thing with a cost inside a unit of an export, its upgrades among them."""
    if isinstance(value, dict):
        if isinstance(value.get("cost"), dict) and "@id" in value:
            yield value["@id"], [int(value["cost"].get(key) or 0) for key in ("@minerals", "@vespene")]
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from costs_inside(each)


def upgrade_costs(balance: Path) -> dict[str, list[list[int]]]:
    """Return first base build, minerals and vespene of each upgrade; the first export is of 5.0.14."""
    found: dict[str, list[list[int]]] = {}
    for build, export in sorted((int(path.name), path) for path in balance.iterdir()):
        if build >= int(EXPORT):
            first = FIRST_OF_EXPORT if build == int(EXPORT) else build
            for name, cost_now in costs_inside(list(exports(export).values())):
                rows = found.setdefault(name, [])
                if not rows or (rows[-1][1:] != cost_now and rows[-1][0] != first):
                    rows.append([first, *cost_now])
    return found


def display_names() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return names of units, of upgrades and of races' upgrades, by type."""
    from spawningtool import coop_constants, hots_constants, lotv_constants

    units: dict[str, str] = {}
    upgrades: dict[str, str] = {}
    races: dict[str, str] = {}
    for listed in (coop_constants.NEW_BUILD_DATA, hots_constants.BUILD_DATA, lotv_constants.BUILD_DATA):
        for name, data in listed.items():
            upgrade = data.get("type") == lotv_constants.TYPE_UPGRADE
            if data.get("display_name"):
                (upgrades if upgrade else units)[name] = data["display_name"]
            if upgrade and data.get("race"):
                races[name] = data["race"]
    return units, {**upgrades, **UPGRADE_NAMES}, races


def cost(name: str, found: dict[str, Any]) -> list[list[int]]:
    """Return first base build, minerals and vespene of a unit, all that it was made from included."""
    if name in FORMS or name in COCOONS:
        return cost(FORMS.get(name) or COCOONS[name], found)
    own = COSTS.get(name)
    if own is None:
        given = (found.get(name) or {}).get("cost") or {}
        own = [(0, int(given.get("@minerals") or 0), int(given.get("@vespene") or 0))]
    producer = ((found.get(name) or {}).get("producer") or {}).get("@id")
    before = MADE_FROM.get(name) or ("Drone" if producer == "Drone" else None)
    if before is None:
        return [list(row) for row in own]
    base = cost(before, found)
    out: list[list[int]] = []
    for build in sorted({row[0] for row in (*own, *base)}):
        (_, minerals, vespene), (_, more, gas) = (
            next(row for row in reversed(rows) if row[0] <= build) for rows in (own, base)
        )
        if not out or out[-1][1:] != [minerals + more, vespene + gas]:
            out.append([build, minerals + more, vespene + gas])
    return out


def class_of(name: str, unit: dict[str, Any] | None) -> str | None:
    """Return worker, army, building, support or summoned; None for things of no race."""
    if name in WORKERS:
        return "worker"
    if name in SUMMONED:
        return "summoned"
    if name in SUPPORT:
        return "support"
    if name in FORMS:
        name = FORMS[name]
    unit = unit or {}
    attributes = {each["@type"] for each in (unit.get("attributes") or {}).get("attribute") or []}
    race = (unit.get("meta") or {}).get("@race")
    if race not in RACES:
        return "army" if name in OLD_ARMY else None
    if "Structure" in attributes:
        # Bridges of maps are Terran structures too, without a cost.
        return "building" if any((unit.get("cost") or {}).values()) or name in FREE_BUILDINGS else None
    return "army" if (unit.get("misc") or {}).get("@supply") or name == "Archon" else None


def main(balance: str) -> None:
    """Write the file."""
    found = exports(Path(balance) / EXPORT)
    unit_names, upgrade_names, upgrade_races = display_names()
    units: dict[str, Any] = {}
    for name in sorted({*found, *NAMES, *FORMS, *OLD_ARMY}):
        first = FORMS.get(name, name)
        unit = found.get(first) or found.get(COCOONS.get(first, first))
        race = RACES.get(((unit or {}).get("meta") or {}).get("@race") or "") or OLD_ARMY.get(name)
        kind = class_of(name, unit)
        if kind is None or _NOT_UNITS.search(name):
            continue
        row: dict[str, Any] = {
            "name": spoken(name, unit_names),
            "race": race or OLD_RACES.get(name),
            "class": kind,
        }
        costs = cost(name, found)
        if kind in ("worker", "army", "building", "support") and any(any(each[1:]) for each in costs):
            row["cost"] = costs
        if first != name:
            row["form_of"] = first
        units[name] = row
    prices = upgrade_costs(Path(balance))
    upgrades: dict[str, Any] = {}
    for name in sorted({*upgrade_names, *upgrade_races}):
        upgrades[name] = {"name": upgrade_names.get(name) or words(name), "race": upgrade_races.get(name)}
        if name in prices:
            upgrades[name]["cost"] = prices[name]
    parts = []
    for part, rows in (("units", units), ("upgrades", upgrades)):
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
        parts.append(f" {json.dumps(part)}: {{\n{lines}\n }}")
    OUTPUT.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    print(f"{OUTPUT.name}: {len(units)} units, {len(upgrades)} upgrades, {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
