"""Lanes and positions by OpenDota's rules."""

from __future__ import annotations

import pytest

from playhead.dota2.facts.lanes import (
    _add_opponents,
    farm_shares,
    lane_of_cell,
    lane_of_cells,
    outcome,
    positions,
    role_of_lane,
)


@pytest.mark.parametrize(
    ("cell", "lane"),
    [((128, 128), 2), ((70, 150), 3), ((180, 90), 1), ((110, 95), 4), ((150, 160), 5), ((63, 128), None)],
)
def test_lanes_of_cells(cell: tuple[int, int], lane: int | None) -> None:
    assert lane_of_cell(*cell) == lane


def test_a_player_roams_below_45_percent() -> None:
    top, mid, bottom = (70, 150), (128, 128), (180, 90)
    assert lane_of_cells({top: 45, mid: 30, bottom: 25}) == (3, False)
    assert lane_of_cells({top: 44, mid: 30, bottom: 26}) == (3, True)
    assert lane_of_cells({}) == (None, None)


def test_roles() -> None:
    assert [role_of_lane(lane, True) for lane in range(1, 6)] == [1, 2, 3, 4, 4]
    assert [role_of_lane(lane, False) for lane in range(1, 6)] == [3, 2, 1, 4, 4]


def test_outcomes() -> None:
    """A difference of 350 gold is a draw, whichever side has more."""
    assert [outcome(4000, other) for other in (3649, 3650, 4350, 4351, None)] == [
        "won",
        "draw",
        "draw",
        "lost",
        None,
    ]


def test_positions() -> None:
    roles, farm = (1, 2, 3, 1, 3), (0.3, 0.25, 0.2, 0.1, 0.15)
    team = [{"player": i, "role_id": roles[i], "farm": farm[i]} for i in range(5)]
    assert positions(team) == {0: 1, 1: 2, 2: 3, 3: 5, 4: 4}
    # Two cores of one lane: the richer has its position, the other the one that is left.
    twice = [{**each, "role_id": 2} if each["player"] == 0 else each for each in team]
    assert positions(twice) == {0: 2, 1: 1, 2: 3, 3: 5, 4: 4}


def test_farm_shares() -> None:
    assert farm_shares([{0: (300.0, 10.0), 1: (100.0, 10.0)}]) == {0: 0.625, 1: 0.375}


def test_leads_are_those_of_one_player() -> None:
    """Two against one in the middle are not ahead by the gold of a player."""
    rows = [
        {"player": player, "team": team, "lane": "mid", "role_id": 2, "gold_earned": gold, "xp": None}
        for player, team, gold in ((0, 2, 4000), (1, 2, 3000), (5, 3, 3600))
    ]
    for row in rows:
        _add_opponents(row, rows)
    assert [row["gold_lead"] for row in rows] == [-100, -100, 100]
    assert [row["lane_gold_lead"] for row in rows] == [3400, 3400, -3400]
    assert [row["opponent_players"] for row in rows] == [[5], [5], [0, 1]]
    assert [row["lane_outcome"] for row in rows] == ["won", "won", "lost"]
    assert not any("xp_lead" in row for row in rows)
