"""Real replays of arcade maps, against computers and with observers: facts that were checked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.opened import open_as

from playhead.sc2.replay import Sc2Replay


@pytest.fixture
def odd(corpus: Path) -> Path:
    folder = corpus.parent / "odd" / "sc2"
    if not folder.is_dir():
        pytest.skip(f"no folder of odd replays at {folder}")
    return folder


def opened(odd: Path, name: str) -> Sc2Replay:
    return open_as(Sc2Replay, odd / f"{name}.SC2Replay")


def every(odd: Path, corpus: Path) -> list[Path]:
    return [*sorted(odd.glob("*.SC2Replay")), *sorted((corpus / "sc2").rglob("*.SC2Replay"))]


def test_a_team_with_different_results_did_not_win(odd: Path) -> None:
    replay = opened(odd, "08c9f96f5d")
    assert {each.result for each in replay.players if each.team == 0} == {"win", "loss", None}
    assert (replay.info.winner_team, replay.info.winner_name) == (None, None)
    assert replay.table("outcomes")["result"].to_pylist() == [None]
    assert replay.unfilled["info.winner_team"] == "players of one team have different results (players.result)"


@pytest.mark.slow_interpreted
def test_winners_and_outcomes_agree(odd: Path, corpus: Path, step: int) -> None:
    decided = 0
    for path in every(odd, corpus)[::step]:
        replay = open_as(Sc2Replay, path)
        won = [row["team"] for row in replay.table("outcomes").to_pylist() if row["result"] == "win"]
        assert replay.info.winner_team == (won[0] if len(won) == 1 else None), path.name
        names = [each.name for each in replay.players if each.team in won and each.name]
        assert replay.info.winner_name == (", ".join(names) or None), path.name
        decided += bool(won)
    assert decided


@pytest.mark.slow_interpreted
def test_nobody_collects_or_spends_less_than_nothing(odd: Path, corpus: Path, step: int) -> None:
    counted = 0
    for path in every(odd, corpus)[::step]:
        for row in open_as(Sc2Replay, path).table("player_stats").to_pylist():
            for name, value in row.items():
                if value is not None and name.endswith(("_collected", "_spent", "_made", "_killed")):
                    assert value >= 0, (path.name, name, value)
                    counted += 1
    assert counted


def test_observers_have_the_columns_of_players(odd: Path) -> None:
    replay = opened(odd, "d269da2e22")
    watching = [each for each in replay.players if each.kind in ("observer", "referee")]
    assert len(watching) == 6
    assert {(each.race, each.mmr, each.race_picked) for each in watching} == {(None, None, None)}


def test_healthy_games_have_no_problems(odd: Path) -> None:
    modes = set()
    for path in sorted(odd.glob("*.SC2Replay")):
        replay = open_as(Sc2Replay, path)
        assert [check for check in replay.verify() if check.failed] == [], path.name
        assert replay.problems == (), path.name
        modes.add(replay.info.mode)
    assert {"arcade", "1v1", "2v2"} <= modes
