"""Write src/playhead/sc2/state/production/facts.json: build times and supply of StarCraft II by base build.

    pip install spawningtool==3.0.0 sc2reader    # in its own environment: neither is a dependency
    python tools/build_sc2_production.py

Build times are those of spawningtool (MIT; data by date of the balance patch), in whole seconds of the game's
clock. The game counts seconds of speed normal, 16 loops each, so they are converted back to that grid.
`MEASURED` decides if the grid leaves a choice or the data is wrong: loops between the order and the unit (or
upgrade) in real replays, with an empty queue before. The product of each command is from sc2reader (MIT).
Neither has supply: `SUPPLY` was derived from the statistics of real replays.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).parents[1] / "src" / "playhead" / "sc2" / "state" / "production" / "facts.json"
LOOPS = 16
FASTER = 1.4
FIRST_VOID = 34784

#: First base build of each balance patch in spawningtool's history, by its date there.
PATCHES = {
    "2016-11-22": 48258,
    "2017-12-18": 60321,
    "2018-11-20": 70154,
    "2019-01-22": 71663,
    "2019-03-25": 73559,
    "2019-08-21": 75800,
    "2019-11-26": 77379,
    "2020-08-06": 81433,
    "2022-03-15": 87702,
    "2023-01-23": 89634,
    "2023-09-29": 91115,
    "2024-03-26": 92028,
    "2024-11-25": 93272,
    "2025-09-30": 95248,
    "2026-06-22": 97364,
    "2026-06-30": 97425,
}

#: Loops from the order to the end in replays, by first base build.
MEASURED: dict[str, list[tuple[int, int]]] = {
    "VoidRay": [(0, 960), (81433, 832), (87702, 964)],
    "WarpGate": [(0, 160)],
    "LurkerDenMP": [(0, 1920), (77379, 1280)],
    "Oracle": [(0, 800), (60321, 832)],
    "OrbitalCommand": [(0, 560)],
    "Frenzy": [(0, 1440)],
    **{
        f"Protoss{kind}Level{level}": [(0, first), (73559, second), (89634, third)]
        for kind in ("GroundWeapons", "GroundArmors", "Shields")
        for level, first, second, third in ((1, 2560, 2880, 2720), (2, 3040, 3440, 3240), (3, 3520, 4000, 3760))
    },
}

#: Supply used by a unit, by first base build.
SUPPLY: dict[str, list[tuple[int, float]]] = {
    name: [(0, cost)]
    for cost, names in {
        0.5: "Zergling Baneling",
        1: "SCV Probe Drone Marine Reaper Observer",
        2: "Zealot Stalker Sentry Adept HighTemplar DarkTemplar WarpPrism Phoenix MothershipCore Marauder Ghost "
        "Hellion HellionTank WidowMine VikingFighter Medivac Raven Queen Roach Hydralisk Mutalisk Corruptor "
        "Infestor",
        3: "Oracle Disruptor SiegeTank Liberator Banshee Ravager LurkerMP SwarmHostMP Viper Cyclone",
        4: "Archon Immortal VoidRay BroodLord Tempest",
        6: "Colossus Carrier Thor Battlecruiser Ultralisk",
        8: "Mothership",
    }.items()
    for name in names.split()
} | {"Ghost": [(0, 2), (93272, 3), (95248, 2), (97364, 3), (97563, 2)], "Disruptor": [(0, 3), (95248, 4)]}

#: Supply provided by a unit or building, by first base build.
PROVIDES: dict[str, list[tuple[int, float]]] = {
    "CommandCenter": [(0, 11), (FIRST_VOID, 15), (97364, 13), (98310, 15)],
    "Nexus": [(0, 10), (FIRST_VOID, 15), (97364, 13), (98310, 15)],
    "Hatchery": [(0, 2), (FIRST_VOID, 6), (97364, 4), (98310, 6)],
    "SupplyDepot": [(0, 8)],
    "Pylon": [(0, 8)],
    "Overlord": [(0, 8)],
}

#: spawningtool's names that differ from the tracker's.
TRACKER_NAMES = {"BattleHellion": "HellionTank", "SwarmHost": "SwarmHostMP"}

#: Protoss research by command name; chrono boosts hide its start in replays.
RESEARCH = {
    "ResearchWarpGate": "WarpGateResearch",
    "ResearchBlink": "BlinkTech",
    "ResearchCharge": "Charge",
    "ResearchPsiStormTech": "PsiStormTech",
    "ResearchExtendedThermalLance": "ExtendedThermalLance",
    "ResearchGraviticDrive": "GraviticDrive",
    "ResearchGraviticBooster": "ObserverGraviticBooster",
    "ResearchAnionPulseCrystals": "PhoenixRangeUpgrade",
    **{f"UpgradeGroundWeapons{level}": f"ProtossGroundWeaponsLevel{level}" for level in (1, 2, 3)},
    **{f"UpgradeGroundArmor{level}": f"ProtossGroundArmorsLevel{level}" for level in (1, 2, 3)},
    **{f"UpgradeShields{level}": f"ProtossShieldsLevel{level}" for level in (1, 2, 3)},
    "UpgradesShields3": "ProtossShieldsLevel3",
    **{f"UpgradeAirWeapons{level}": f"ProtossAirWeaponsLevel{level}" for level in (1, 2, 3)},
    **{f"UpgradeAirArmor{level}": f"ProtossAirArmorsLevel{level}" for level in (1, 2, 3)},
}


def on_grid(seconds: float, known: int | None) -> int:
    """Return the loops of a build time in whole seconds of the game's clock.

    Of the possible whole seconds of speed normal, the value of Heart of the Swarm is chosen, or else the
    roundest.
    """
    middle = round(seconds * FASTER)
    fitting = [each for each in range(middle - 2, middle + 3) if each > 0 and round(each / FASTER) == seconds]
    if not fitting:
        return middle * LOOPS
    if known is not None and known / LOOPS in fitting:
        return known
    return (
        min(fitting, key=lambda each: (each % 10 != 0, each % 5 != 0, each % 2 != 0, abs(each - middle))) * LOOPS
    )


def build_times() -> dict[str, list[tuple[int, int]]]:
    """Return loops by first base build for everything with a known time in spawningtool."""
    from spawningtool import hots_constants, lotv_constants

    swarm = {name: round(data["build_time"]) for name, data in hots_constants.BUILD_DATA.items()}
    rate = lotv_constants.FRAMES_PER_SECOND
    history: dict[str, list[tuple[str, float, float]]] = {}
    for _, date, changes in lotv_constants.BUILD_TIME_CHANGES:
        for name, (old, new) in changes.items():
            history.setdefault(name, []).append((date, old, new))
    found: dict[str, list[tuple[int, int]]] = {name: [(0, loops)] for name, loops in swarm.items() if loops}
    for name, data in lotv_constants.BUILD_DATA.items():
        if not data["build_time"]:
            continue
        changes = history.get(name, [])
        first = changes[0][1] if changes else round(data["build_time"] / rate)
        steps = [(FIRST_VOID, on_grid(first, swarm.get(name)))]
        steps += ((PATCHES[date], on_grid(new, swarm.get(name))) for date, _, new in changes)
        found[name] = _changes([*found.get(name, [(0, steps[0][1])]), *steps])
    renamed = {TRACKER_NAMES.get(name, name): rows for name, rows in found.items()}
    return {**renamed, **MEASURED}


def _changes(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [row for place, row in enumerate(rows) if not place or row[1] != rows[place - 1][1]]


def commands() -> dict[str, str]:
    """Return the product of each command, by sc2reader's name of the command."""
    spec = importlib.util.find_spec("sc2reader")
    assert spec is not None
    assert spec.submodule_search_locations
    path = Path(spec.submodule_search_locations[0]) / "data" / "train_commands.json"
    made: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    found = {command: TRACKER_NAMES.get(row[0], row[0]) for command, row in made.items()}
    return {**found, **RESEARCH, **more_commands(), "UpgradeToLair": "Lair", "UpgradeToHive": "Hive"}


#: Products of commands that sc2reader does not have, or has under another name: in the corpus each was ordered one
#: build time before such products, in that very loop. ``*`` is a level from 1 to 3.
MORE_COMMANDS = """
BuildBattleHellion HellionTank; TrainAdept Adept; TrainCyclone Cyclone; TrainDisruptor Disruptor; TrainLiberator
Liberator; TrainViking VikingFighter; EvolveAdrenalGlands zerglingattackspeed; EvolveBurrow Burrow;
EvolveCentrifugalHooks CentrificalHooks; EvolveChitinousPlating ChitinousPlating; EvolveFlyerAttacks*
ZergFlyerWeaponsLevel*; EvolveFlyerCarapace* ZergFlyerArmorsLevel*; EvolveGlialReconstitution GlialReconstitution;
EvolveGroovedSpines hydraliskspeed; EvolveGroundCarapace* ZergGroundArmorsLevel*; EvolveMeleeAttacks*
ZergMeleeWeaponsLevel*; EvolveMetabolicBoost zerglingmovementspeed; EvolveMissileAttacks*
ZergMissileWeaponsLevel*; EvolveNeuralParasite NeuralParasite; EvolvePathogenGlands InfestorEnergyUpgrade;
EvolvePneumatizedCarapace overlordspeed; EvolveTunnelingClaws TunnelingClaws; ResearchBosonicCore
VoidRaySpeedUpgrade; ResearchCloakingField BansheeCloak; ResearchCombatShield ShieldWall; ResearchConcussiveShells
PunisherGrenades; ResearchCorvidReactor RavenCorvidReactor; ResearchDrillingClaws DrillClaws; ResearchFluxVanes
CarrierLaunchSpeedUpgrade; ResearchInfernalPreIgniter HighCapacityBarrels; ResearchWeaponRefit
BattlecruiserEnableSpecializations; UpgradeShipWeapons* TerranShipWeaponsLevel*; UpgradeStructureArmor
TerranBuildingArmor; UpgradeTerranInfantryArmor* TerranInfantryArmorsLevel*; UpgradeTerranInfantryWeapons*
TerranInfantryWeaponsLevel*; UpgradeVehicleWeapons* TerranVehicleWeaponsLevel*
"""
#: Upgrades whose command has their name after ``Research``.
SAME_NAMES = """
AdeptPiercingAttack AnabolicSynthesis BansheeSpeed Burrow CycloneLockOnDamageUpgrade CycloneRapidFireLaunchers
DiggingClaws DurableMaterials EvolveGroovedSpines EvolveMuscularAugments Frenzy HiSecAutoTracking
InterferenceMatrix LiberatorAGRangeUpgrade LurkerRange MicrobialShroud PersonalCloaking
RavenRecalibratedExplosives SmartServos Stimpack TerranVehicleAndShipArmorsLevel* ZergFlyerArmorsLevel*
ZergFlyerWeaponsLevel* ZergGroundArmorsLevel* ZergMeleeWeaponsLevel* ZergMissileWeaponsLevel* overlordspeed
"""


def more_commands() -> dict[str, str]:
    """Return the products of `MORE_COMMANDS` and `SAME_NAMES`."""
    pairs = [each.split() for each in MORE_COMMANDS.split(";")] + [
        [f"Research{each}", each] for each in SAME_NAMES.split()
    ]
    levels = [
        [text.replace("*", level) for text in pair]
        for pair in pairs
        for level in ("123" if "*" in pair[0] else "1")
    ]
    return dict(levels)


def boosted() -> set[str]:
    """Return the products of Protoss, which chrono boosts may speed up."""
    from spawningtool import hots_constants, lotv_constants

    known = [*hots_constants.BUILD_DATA.items(), *lotv_constants.BUILD_DATA.items()]
    return {name for name, data in known if data.get("race") == lotv_constants.RACE_PROTOSS}


#: Names of buildings in spawningtool that differ from the tracker's.
BUILDINGS = {"TemplarArchives": "TemplarArchive"}
#: Where products that it does not have are made: the building that was selected at each order.
MADE_IN = {"Frenzy": ["HydraliskDen"]}
#: Types of a building that make the same as another.
MORE_BUILDINGS = {"CommandCenter": ["PlanetaryFortress"]}
#: The buildings whose tech labs research an upgrade; spawningtool says TechLab.
TECH_LABS = {
    "Barracks": "Stimpack PunisherGrenades ShieldWall",
    "Factory": "HighCapacityBarrels StrikeCannons DrillClaws TransformationServos SmartServos ARCGun "
    "CycloneLockOnDamageUpgrade CycloneLockOnRangeUpgrade CycloneAirUpgrade CycloneRapidFireLaunchers "
    "MagFieldLaunchers HurricaneThrusters",
    "Starport": "BansheeCloak BansheeSpeed DurableMaterials RavenCorvidReactor RavenDamageUpgrade "
    "RavenRecalibratedExplosives RavenEnhancedMunitions InterferenceMatrix HyperflightRotors TargetingOptics "
    "MedivacCaduceusReactor",
}


def made_in() -> dict[str, list[str]]:
    """Return the types of buildings that make each unit and upgrade."""
    from spawningtool import hots_constants, lotv_constants

    lab_of = {name: f"{building}TechLab" for building, names in TECH_LABS.items() for name in names.split()}
    found: dict[str, set[str]] = {}
    for name, data in (*hots_constants.BUILD_DATA.items(), *lotv_constants.BUILD_DATA.items()):
        for each in data.get("built_from", ()):
            building = each.replace(" ", "")
            building = lab_of.get(name, building) if building == "TechLab" else building
            building = BUILDINGS.get(building, building)
            found.setdefault(TRACKER_NAMES.get(name, name), set()).update(
                [building, *MORE_BUILDINGS.get(building, ())]
            )
    return {name: sorted(buildings) for name, buildings in found.items()} | MADE_IN


def main() -> None:
    """Write the file."""
    facts: dict[str, dict[str, Any]] = {
        "build_loops": build_times(),
        "supply": SUPPLY,
        "provides": PROVIDES,
        "commands": commands(),
        "boosted": dict.fromkeys(boosted(), True),
        "made_in": made_in(),
    }
    lines = []
    for part, values in facts.items():
        rows = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(values.items())]
        lines.append(f" {json.dumps(part)}: {{\n" + ",\n".join(rows) + "\n }")
    OUTPUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{OUTPUT.name}: {', '.join(f'{len(values)} {part}' for part, values in facts.items())}")


if __name__ == "__main__":
    main()
