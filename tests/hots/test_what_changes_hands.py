"""Towns that are retaken, and heroes of whom several deaths count as one."""

from __future__ import annotations

from typing import Any

import pytest
from tests.samples.blizzard import EventWriter
from tests.samples.hots.replay import born, report, sample_bytes

import playhead


def _died(out: EventWriter, loop: int, index: int, killer: int, x: int, y: int) -> None:
    unit = {"m_unitTagIndex": index, "m_unitTagRecycle": 1, "m_x": x, "m_y": y}
    out.write(loop, 0, "SUnitDiedEvent", **unit, m_killerPlayerId=killer)


def _hero_died(out: EventWriter, loop: int, unit: int, killer: int, killers: tuple[int, ...]) -> None:
    _died(out, loop, unit, killer, 90, 90)
    report(out, loop + 1, "PlayerDeath", {}, {"PlayerID": 4, "KillingPlayer": killers}, PositionX=90, PositionY=90)


def _retaken(out: EventWriter) -> None:
    """Write that blue takes town 2, which fell at 4000, red takes it back, and nobody takes it again."""
    born(out, 4710, 40, "TownTownHallL2", 11, 180, 104)
    _died(out, 4720, 40, 3, 180, 104)
    report(out, 4720, "TownStructureDeath", {"UnitType": "TownTownHallL2"}, {"TownID": 2, "KillingPlayer": (3, 4)})
    report(out, 4720, "Town Captured", {}, {"New Owner": 12})
    born(out, 4730, 41, "TownTownHallL2", 12, 180, 104)


def _bodies(out: EventWriter) -> None:
    """Write six deaths of Vikings of player 4, and a mech of D.Va of player 3."""
    for place in range(6):
        loop, unit = 4710 + 4 * place, 50 + place
        born(out, loop, unit, ("HeroOlaf", "HeroErik")[place % 2], 4, 90, 90)
        _hero_died(out, loop, unit, 1 if place < 5 else 12, (1, 2) if place < 3 else (1,))
    born(out, 4750, 60, "HeroDVaMech", 3, 80, 80)
    _died(out, 4751, 60, 3, 80, 80)  # the player's own explosion
    born(out, 4752, 61, "HeroDVaMech", 3, 80, 80)
    _died(out, 4753, 61, 2, 80, 80)


def test_a_town_has_a_row_for_each_owner() -> None:
    replay: Any = playhead.open(sample_bytes(_retaken), strict=True)
    rows = [row for row in replay.table("structures").to_pylist() if row["town"] == 2]
    assert [(row["tick"], row["end_tick"], row["team"], row["players"]) for row in rows] == [
        (0, 4000, 2, [1, 2]),
        (4710, 4720, 1, [3, 4]),
        (4730, None, 2, None),
    ]
    assert {(row["x"], row["y"], row["lane_id"]) for row in rows} == {(180.0, 104.0, 1)}
    events = replay.table("objective_events").to_pylist()
    falls = [(row["tick"], row["side"]) for row in events if row["event"] == "structure_destroyed"]
    assert falls == [(4000, "blue"), (4720, "red")]
    assert [row["team"] for row in events if row["kind"] == "Town Captured"] == [2]


def test_four_deaths_of_vikings_count_as_one() -> None:
    replay: Any = playhead.open(sample_bytes(_bodies), strict=True)
    deaths = [row for row in replay.table("hero_deaths").to_pylist() if row["tick"] > 4700]
    assert [(row["unit_type"], row["death_share"]) for row in deaths] == [
        *[("HeroOlaf", 0.25), ("HeroErik", 0.25)] * 3,
        ("HeroDVaMech", 1.0),
    ]
    assert [row["attacker_player"] for row in deaths] == [1, 1, 1, 1, 1, None, 2]
    assert (deaths[0]["assister_players"], deaths[-1]["assister_players"]) == ([2], None)
    kills = [(row["tick"], row["victim_player"]) for row in replay.table("kills").to_pylist()]
    assert kills == [(2400, 3), (4723, 4), (4753, 3)]
    row = {row["player"]: row for row in replay.at(4760).players}
    assert [row[4]["deaths"], row[3]["deaths"], row[1]["kills"], row[2]["assists"]] == [1, 2, 2, 1]
    series = replay.table("player_series", every="4150t").to_pylist()[-4:]
    assert {each["tick"] for each in series} == {4760}
    assert [(each["kills"], each["deaths"]) for each in series] == [(2, 0), (1, 0), (0, 2), (0, 1)]


def test_scores_below_zero_keep_their_sign() -> None:
    def scored(out: EventWriter) -> None:
        values: list[Any] = [[{"m_value": value, "m_time": 255}] for value in (2**32 - 5457, 7)]
        scores = [{"m_name": b"DamageSoaked", "m_values": values + [[]] * 14}]
        out.write(4710, 0, "SScoreResultEvent", m_instanceList=scores)

    table = playhead.open(sample_bytes(scored)).table("player_stats")
    assert table["score_damage_soaked"].to_pylist() == pytest.approx([-5457, 7, None, None])
