"""Names, race, class and cost of units by build."""

from __future__ import annotations

import pytest
from tests.samples.sc2.replay import sample_bytes

import playhead
from playhead.sc2.abilities import unit_types
from playhead.sc2.abilities.unit_types import (
    display_name,
    is_army,
    is_worker,
    unit_facts,
    upgrade_cost,
    upgrade_race,
)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("SiegeTankSieged", "Siege Tank (Sieged)"),
        ("zerglingmovementspeed", "Metabolic Boost"),
        ("LurkerMP", "Lurker"),
        ("HellionTank", "Hellbat"),
        ("SCV", "SCV"),
        ("RoachBurrowed", "Roach (Burrowed)"),
        ("ExtractorRich", "Extractor (Rich)"),
        ("DestructibleRock6x6", "Destructible Rock 6x6"),
        ("UnknownMP", "Unknown"),
    ],
)
def test_names_are_those_that_players_use(name: str, shown: str) -> None:
    """Forms are named, and unknown types are shown in words."""
    assert display_name(name) == shown


def test_costs_are_of_the_build() -> None:
    """A balance patch changes the cost from its first build on."""
    assert [unit_facts("VoidRay", build).minerals for build in (24944, 81009, 81433, 87702)] == [
        250,
        250,
        200,
        250,
    ]
    assert [unit_facts("Queen", build).minerals for build in (92440, 93333)] == [150, 175]


def test_a_cost_includes_that_of_the_first_unit() -> None:
    """As in the game's statistics: a Lair includes the Hatchery and its drone, a Ravager the Roach."""
    lair, ravager = unit_facts("Lair", 75689), unit_facts("Ravager", 75689)
    assert (lair.minerals, lair.vespene) == (500, 100)
    assert (ravager.minerals, ravager.vespene) == (100, 100)


def test_a_form_has_the_facts_of_the_first_form() -> None:
    """A sieged tank costs what the tank costs."""
    sieged, tank = unit_facts("SiegeTankSieged", 95299), unit_facts("SiegeTank", 95299)
    assert (sieged.form_of, sieged.minerals, sieged.kind) == ("SiegeTank", tank.minerals, tank.kind)


def test_classes() -> None:
    """Queens are an army, as in the game's statistics; MULEs are not workers."""
    assert is_army("Queen")
    assert is_army("SiegeTankSieged")
    assert not is_army("Overlord")
    assert not is_army("Broodling")
    assert is_worker("DroneBurrowed")
    assert not is_worker("MULE")
    assert unit_facts("Hatchery", 75689).kind == "building"
    assert unit_facts("MineralField", 75689).kind is None


def test_every_unit_is_whole() -> None:
    """Each has a race and a known class, and what players pay for has a cost in every build since it exists."""
    rows = unit_types._data()["units"]
    assert len(rows) > 150
    for name, row in rows.items():
        assert row["race"] in ("Terran", "Protoss", "Zerg"), name
        assert row["class"] in unit_types.CLASSES, name
        if row["class"] in ("army", "worker"):
            facts = unit_facts(name, 97425)
            assert facts.minerals, name
            assert facts.vespene is not None, name


def test_upgrades_have_a_cost_from_5_0_14_on() -> None:
    assert [upgrade_cost("ZergGroundArmorsLevel1", build) for build in (93333, 97425, 98310)] == [
        (150, 150),
        (100, 100),
        (150, 150),
    ]
    assert upgrade_cost("zerglingmovementspeed", 93333) == (100, 100)
    assert upgrade_cost("zerglingmovementspeed", 75689) is None
    assert upgrade_cost("RewardDanceOracle", 93333) is None


def test_upgrades_have_a_race() -> None:
    """Also of an unknown upgrade, which has none."""
    assert upgrade_race("zerglingmovementspeed") == "Zerg"
    assert upgrade_race("RewardDanceOracle") is None


def test_the_table_has_what_occurs_in_the_replay() -> None:
    """Units and upgrades of the tracker, and commands."""
    rows = {row["catalog_key"]: row for row in playhead.open(sample_bytes()).table("unit_types").to_pylist()}
    lair, boost = rows["Lair"], rows["zerglingmovementspeed"]
    assert (lair["name"], lair["race"], lair["unit_class"], lair["minerals"]) == (
        "Lair",
        "Zerg",
        "building",
        475,
    )
    assert (lair["supply_made"], lair["build_ticks"]) == (6, 1280)
    assert (boost["kind"], boost["name"], boost["race"]) == ("upgrade", "Metabolic Boost", "Zerg")
    assert rows["Taunt"]["kind"] == "command"
    assert {"Barracks", "Marine"} < rows.keys()
