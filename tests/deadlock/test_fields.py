"""Fields of real recordings: other sources of the same facts agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.deadlock.test_agreement import as_boon

import playhead
from playhead.deadlock.facts import abilities as upgrades
from playhead.deadlock.replay import DeadlockReplay
from playhead.deadlock.sources.entities import INDEX
from playhead.deadlock.sources.people import CONTROLLER

_HANDLE_OFF = 16384.0  # boon 0.19 takes 64 for the middle cell of each recording


def test_points_of_abilities_are_in_the_controller_too(
    broadcast: DeadlockReplay, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # m_nHeroAbilityUpgradeBits of the controller, if a build had no bits in its abilities.
    known = broadcast.table("ability_upgrades").to_pylist()
    monkeypatch.setattr(upgrades, "BITS", ("m_nNoSuchBits",))
    replay = playhead.open(corpus / "source2" / "deadlock_broadcast")

    def rows(found: list[dict[str, Any]]) -> list[tuple[tuple[Any, ...], int]]:
        names = ("player", "ability_id", "ability_level", "flags")
        return sorted((tuple(row[name] for name in names), row["tick"]) for row in found)

    pairs = list(zip(rows(replay.table("ability_upgrades").to_pylist()), rows(known), strict=True))
    assert all(ours == other for (ours, _), (other, _) in pairs)
    assert {tick - before for (_, tick), (_, before) in pairs} <= set(range(30))  # the controller is sent later
    assert len(known) == 14


def test_indexes_of_entities_are_signed_numbers(broadcast: DeadlockReplay) -> None:
    # Icons of the minimap name their entities: a team sees all heroes, guardians and both patrons.
    entities = broadcast.at(8000)._playback.entities
    teams = entities.find_all_by_class_name("CCitadelTeam")
    (team,) = (each for each in teams if each.get("m_iTeamNum") == 2)
    icons = range(team.get("m_vecFOWEntities") or 0)
    found = [entities.find(team.get(f"m_vecFOWEntities.{place:04}.m_nEntIndex") or 0) for place in icons]
    classes = [entity.class_name for entity in found if entity is not None]
    assert (classes.count("CCitadelPlayerPawn"), classes.count("CNPC_Boss_Tier3")) == (12, 2)
    assert classes.count("CNPC_TrooperBoss") == 24


@pytest.mark.parametrize("name", ["broadcast", "sandbox"])
def test_ziplines_are_those_of_boon(
    name: str, request: pytest.FixtureRequest, new_boon: Callable[..., Any], corpus: Path
) -> None:
    demo = corpus / "source2/deadlock_10423.dem"
    theirs = new_boon(
        demo if name == "sandbox" else request.getfixturevalue("broadcast_demo"),
        *("zipline_nodes", "zipline_changes"),
    )
    rows = request.getfixturevalue(name).table("ziplines").to_pylist()

    def node(row: dict[str, Any], entity: int, off: float) -> tuple[Any, ...]:
        place = (as_boon(row[axis] + off) for axis in "xyz")
        ends = [end & INDEX for end in row["connections"]]
        lane, length = row.get("lane_id", row["lane"]), row["cumulative_distance"] or 0.0
        return row["tick"], entity, lane, *place, ends, length, row["capturable"]

    nodes = [node(row, row["node_handle"] & INDEX, _HANDLE_OFF) for row in theirs["zipline_nodes"]]
    assert sorted(node(row, row["entity"], 0.0) for row in rows) == sorted(nodes)
    assert sorted((row["tick"], row["entity"], row["change"], row["team"]) for row in rows) == sorted(
        (row["tick"], row["node_handle"] & INDEX, row["change"], row["team_num"])
        for row in theirs["zipline_changes"]
    )
    assert len(rows) == {"broadcast": 146, "sandbox": 144}[name]


def test_held_items_are_entities_of_their_owners(broadcast: DeadlockReplay) -> None:
    # boon has no item of this recording: m_vecUpgrades and the entities of items agree.
    entities = broadcast.at(8800)._playback.entities
    owned = {
        (entity.get("m_hOwnerEntity") & INDEX, entity.get("m_nSubclassID"))
        for entity in entities
        if isinstance(entity.get("m_hOwnerEntity"), int)
    }
    bodies = {
        controller.index - 1: (controller.get("m_hHeroPawn") or controller.get("m_hPawn")) & INDEX
        for controller in entities.find_all_by_class_name(CONTROLLER)
    }
    rows = broadcast.table("player_series", ticks=[8800]).to_pylist()
    held = {(bodies[row["player"]], item) for row in rows for item in row["item_ids"]}
    assert len(held) == 7
    assert held <= owned
