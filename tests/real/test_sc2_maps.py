"""Terrain of real maps against replays that were played on them.

``PLAYHEAD_SC2_MAPS`` names a folder of maps; the package sc2maptool has the ladder's of 2017 and 2018.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from statistics import median

import pytest
from tests.opened import open_as

from playhead.sc2.members.map_file import MapArchive
from playhead.sc2.replay import Sc2Replay

MAPS = os.environ.get("PLAYHEAD_SC2_MAPS")
pytestmark = pytest.mark.skipif(MAPS is None, reason="PLAYHEAD_SC2_MAPS names no folder of maps")


def plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


def near(x: float, y: float, places: list[tuple[float, float]]) -> bool:
    return any(abs(x - each[0]) <= 1 and abs(y - each[1]) <= 1 for each in places)


def test_units_stand_on_the_terrain(corpus: Path) -> None:
    maps = {plain(path.stem): path for path in Path(MAPS or "").rglob("*.SC2Map")}
    played = resources = found = 0
    for path in sorted((corpus / "sc2").rglob("*.SC2Replay")):
        replay = open_as(Sc2Replay, path)
        name = plain(str(replay.brief_info.details.get("map_english") or replay.brief_info.map))
        units = replay.table("units").to_pylist() if name in maps else []
        if not units:
            continue
        played += 1
        terrain_map = replay.read_map(maps[name])
        starts = [unit for unit in units if unit["finished_tick"] == 0]
        halls = [
            unit
            for unit in starts
            if unit["player"] and unit["first_unit_type"] in ("Nexus", "CommandCenter", "Hatchery")
        ]
        assert all(near(unit["x"], unit["y"], list(terrain_map.start_locations)) for unit in halls)
        fields = [
            unit
            for unit in starts
            if "MineralField" in unit["first_unit_type"] or "Geyser" in unit["first_unit_type"]
        ]
        resources += len(fields)
        found += sum(near(unit["x"], unit["y"], [(x, y) for _, x, y in terrain_map.resources]) for unit in fields)
        check_ground(replay, terrain_map, [unit for unit in units if unit["player"] and unit["init_tick"]])
    assert played
    assert found >= 0.999 * resources  # a version of a map may have some more


def check_ground(replay: Sc2Replay, terrain_map: MapArchive, buildings: list[dict[str, float]]) -> None:
    """Buildings and warped-in units stand on ground, and heights are those of the targets of orders."""
    terrain = terrain_map.terrain
    assert terrain is not None
    assert terrain.heights is not None
    assert all(terrain.ground(int(unit["x"]), int(unit["y"])) for unit in buildings)
    differences = [
        abs(row["z"] - terrain.heights[round(row["y"]) * (terrain.width + 1) + round(row["x"])])
        for row in replay.table("commands", columns=["target", "x", "y", "z"]).to_pylist()
        if row["target"] == "point" and 0 <= row["x"] < terrain.width and 0 <= row["y"] < terrain.height
        if terrain.ground(int(row["x"]), int(row["y"]))
    ]
    assert median(differences or [0.0]) < 0.2
