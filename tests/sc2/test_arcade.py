"""Maps with rules of their own: results differ within a team, units and resources are taken away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.blizzard import EventWriter
from tests.samples.sc2 import events
from tests.samples.sc2 import replay as sample

from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.sc2.protocol.tables import protocol_table
from playhead.sc2.replay import Sc2Replay

WIN, LOSS, UNDECIDED = 1, 2, 0
MIXED = "players of one team have different results (players.result)"


def in_one_team(monkeypatch: pytest.MonkeyPatch, *results: int) -> Sc2Replay:
    """Return the sample with all players in team 0, and these results."""
    listed = zip(sample.DETAILS.players, results, strict=True)
    players = tuple(replace(each, team=0, result=result) for each, result in listed)
    monkeypatch.setattr(sample, "DETAILS", replace(sample.DETAILS, players=players))
    return open_as(Sc2Replay, sample.sample_bytes())


def test_a_team_of_mixed_results_is_no_winner(monkeypatch: pytest.MonkeyPatch) -> None:
    replay = in_one_team(monkeypatch, WIN, LOSS)
    assert [each.team for each in replay.players] == [0, 0]
    assert [each.result for each in replay.players] == ["win", "loss"]
    assert (replay.info.winner_team, replay.info.winner_name) == (None, None)
    assert replay.table("outcomes")["result"].to_pylist() == [None]
    assert replay.table("periods")["winner_team"].to_pylist() == [None]
    for name in ("info.winner_team", "info.winner_name", "outcomes.result", "periods.winner_team"):
        assert replay.unfilled[name] == MIXED


def test_a_player_without_result_does_not_take_the_win_from_the_team(monkeypatch: pytest.MonkeyPatch) -> None:
    replay = in_one_team(monkeypatch, WIN, UNDECIDED)
    assert (replay.info.winner_team, replay.info.winner_name) == (0, "Needle, Spindle")
    assert replay.table("outcomes")["result"].to_pylist() == ["win"]


def of_samples(*samples: dict[str, int]) -> Sc2Replay:
    """Return a game with these score values of player 1, every 160 loops from loop 1."""
    table = protocol_table(sample.HEADER.base_build, sample.HEADER.build)
    tracker = EventWriter(table, TRACKER)
    tracker.write(0, 0, "SPlayerSetupEvent", m_playerId=1, m_type=1, m_userId=0, m_slotId=0)
    for place, values in enumerate(samples):
        stats: dict[str, Any] = {f"m_scoreValue{name}": value for name, value in values.items()}
        tracker.write(max(1, 160 * place), 0, "SPlayerStatsEvent", m_playerId=1, m_stats=stats)
    streams = events.sample_streams(table) | {TRACKER: tracker.to_bytes()}
    assert streams.keys() == {GAME, MESSAGE, TRACKER}
    return open_as(Sc2Replay, sample.archive(sample.HEADER, streams))


def measures(replay: Sc2Replay, **options: Any) -> list[dict[str, Any]]:
    return [row for row in replay.table("player_stats", **options).to_pylist() if row["player"] == 1]


def test_what_a_map_takes_at_the_start_is_no_negative_income() -> None:
    replay = of_samples(
        {"MineralsUsedCurrentArmy": 4300, "VespeneUsedCurrentArmy": 1475, "MineralsCurrent": 0},
        {"MineralsUsedCurrentArmy": 125, "VespeneUsedCurrentArmy": 1475, "MineralsCurrent": 100},
        {"MineralsUsedCurrentArmy": 50, "VespeneUsedCurrentArmy": 1500, "MineralsCurrent": 5000},
    )
    (row,) = measures(replay)
    assert (row["minerals_spent"], row["minerals_collected"]) == (None, 750)
    assert (row["vespene_spent"], row["vespene_collected"]) == (25, 25)
    assert {each["minerals_spent"] for each in measures(replay, every="160 ticks")} == {None}
    assert replay.unfilled["player_stats.minerals_spent"].startswith("the map took more of what stood there")
    assert "player_stats.vespene_spent" not in replay.unfilled


def test_a_cancelled_construction_takes_its_refund_off_the_losses() -> None:
    replay = of_samples({}, {"MineralsUsedInProgressEconomy": 400}, {"MineralsLostEconomy": -300})
    (row,) = measures(replay)
    assert row["minerals_lost"] == -300
    for table, column in (("player_stats", "minerals_lost"), ("player_series", "minerals_lost_economy")):
        doc = replay.table(table).schema.field(column).metadata[b"doc"].decode()
        assert "it may be below zero" in doc


def test_the_spending_quotient_is_of_the_samples_after_the_first() -> None:
    rich = {"MineralsCurrent": 10_000, "MineralsCollectionRate": 10_000}
    values = {"MineralsCurrent": 400, "VespeneCurrent": 100, "MineralsCollectionRate": 1000}
    (row,) = measures(of_samples(rich, values, values))
    assert row["spending_quotient"] == pytest.approx(70.4, abs=0.1)
