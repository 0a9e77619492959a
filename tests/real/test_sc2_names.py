"""Names of abilities compared with the tracker: an order to build at a place yields that building there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.opened import open_as

from playhead.sc2.replay import Sc2Replay

#: Bound on the loops between an order and the building; a worker has to walk there.
_LATEST = 400
#: Units whose names differ from their orders.
_OTHER_NAMES = {
    "CreepTumorQueen": "CreepTumor",
    "SupplyDepotDrop": "SupplyDepot",
    "GreaterNydusWorm": "NydusCanal",
}


def placed(replay: Sc2Replay) -> Counter[bool]:
    """Count orders at a place where a building appeared, by whether they are named after it."""
    built: dict[tuple[int | None, int, int], list[tuple[int, str]]] = {}
    for event in replay.events("unit_started"):
        where = (event.player, round(event.x), round(event.y))  # type: ignore[attr-defined]
        built.setdefault(where, []).append((event.tick, event.raw["m_unitTypeName"].decode()))
    out: Counter[bool] = Counter()
    columns = ("tick", "player", "ability", "target_kind", "x", "y")
    for tick, player, name, target, x, y in zip(
        *(replay.table("commands").column(each).to_pylist() for each in columns), strict=True
    ):
        if target != "point" or name is None or not name.startswith("Build"):
            continue
        near = [
            _OTHER_NAMES.get(unit, unit)
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            for loop, unit in built.get((player, round(x) + dx, round(y) + dy), ())
            if 0 <= loop - tick < _LATEST
        ]
        if near:
            out[any(unit.lower() in name.lower() for unit in near)] += 1
    return out


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_build_orders_are_named_after_the_building(corpus: Path) -> None:
    by_list: dict[str, Counter[bool]] = {}
    modded = 0
    for path in sorted((corpus / "sc2").rglob("*.SC2Replay"))[::3]:
        replay = open_as(Sc2Replay, path)
        if (
            replay.recording.container.header is None
            or replay.recording.container.header.base_build < 24944
            or replay.recording.container.archive is None
        ):
            continue
        names = replay.recording.ability_names
        assert names is not None
        modded += names.modded
        by_list.setdefault(names.source, Counter()).update(placed(replay))
    sure = {source: counts for source, counts in by_list.items() if sum(counts.values()) >= 30}
    assert len(sure) >= 6
    for source, counts in sure.items():
        # Skins have their own names; and an order may be cancelled, and another building placed there.
        assert counts[True] / sum(counts.values()) > 0.97, (source, counts)
    assert modded >= 2


#: Replay, upgrade, and the loop of its order: names of Hydralisk and Lurker Dens that lists had wrong.
_RESEARCH = (
    ("3.8.0.48258/patch_380_zerg", "EvolveGroovedSpines", 4378),
    ("3.8.0.48258/patch_380_zerg", "EvolveMuscularAugments", 6726),
    ("5.0.14.93333/QM_-_herO_vs_Rogue_-_G4_-_Incorporeal", "LurkerRange", 15280),
    ("5.0.14.93333/QM_-_herO_vs_Rogue_-_G4_-_Incorporeal", "DiggingClaws", 16800),
    ("5.0.15.96163/hero_w__vs_reynor_g1_winter_madness_PVZ_", "Frenzy", 13176),
)


def test_research_of_dens_is_named_after_the_upgrade(corpus: Path) -> None:
    for name, upgrade, loop in _RESEARCH:
        replay = open_as(Sc2Replay, corpus / "sc2" / f"{name}.SC2Replay")
        (order,) = [row for row in replay.table("commands").to_pylist() if row["tick"] == loop and row["ability"]]
        assert order["ability"].removeprefix("Research") == upgrade
        (step,) = [row for row in replay.table("build_order").to_pylist() if row["product"] == upgrade]
        assert (step["known_by"], step["tick"], step["outcome"]) == ("command", loop, "finished")
