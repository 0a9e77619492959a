"""Facts of the synthetic recording."""

from __future__ import annotations

from typing import Any

import pytest
from tests.samples.cs2 import DEATHS, END_TICK, LIVE_TICK, PLAYERS, ROUND_SECONDS, sample_demo

import playhead
from playhead.cs2.facts import TABLES
from playhead.cs2.facts.rounds import organiser_of
from playhead.cs2.replay import Cs2Replay


@pytest.fixture(scope="module")
def replay() -> Cs2Replay:
    opened = playhead.open(sample_demo())
    assert isinstance(opened, Cs2Replay)
    opened.read_tables(list(TABLES.own()))
    return opened


def rows(replay: Cs2Replay, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = replay.table(name).to_pylist()
    return found


def test_the_round_is_as_the_story_tells(replay: Cs2Replay) -> None:
    (only,) = rows(replay, "rounds")
    told = {
        "round_num": 1,
        "phase": "live",
        "counts": True,
        "start_tick": 2,
        "freeze_end_tick": LIVE_TICK,
        "end_tick": END_TICK,
        "official_end_tick": None,
        "winner_side": "t",
        "reason": "t_win",
        "t_score": 1,
        "ct_score": 0,
        "half": 1,
    }
    assert {name: only[name] for name in told} == told


def test_the_kills_are_those_of_the_story(replay: Cs2Replay) -> None:
    kills = rows(replay, "kills")
    assert [
        (kill["tick"], kill["victim_player"], kill["attacker_player"], kill["weapon"]) for kill in kills
    ] == list(DEATHS)
    # Quartz avenged Slate 5.6 s later, which is too late for a trade.
    assert [kill["is_trade"] for kill in kills] == [False, False]
    assert [kill["victim_side"] for kill in kills] == ["t", "ct"]


def test_damage_beyond_the_health_left_is_not_lost_health(replay: Cs2Replay) -> None:
    hits = rows(replay, "damage")
    assert [(row["health_pre"], row["health_post"], row["damage_reported"], row["damage"]) for row in hits] == [
        *[(100, 35, 65, 65), (35, 0, 90, 35)] * len(DEATHS)
    ]


def test_the_players_are_the_people(replay: Cs2Replay) -> None:
    assert [(each.player, each.name, each.team) for each in replay.players] == [
        (slot, name, team) for slot, (name, team, *_) in enumerate(PLAYERS)
    ]
    assert {each.side for each in replay.players} == {"t", "ct"}


def test_the_clock_counts_down(replay: Cs2Replay) -> None:
    clock = replay.clock
    assert clock is not None
    assert clock.displayed(LIVE_TICK - 64) == "R1 freeze 0:01"
    assert clock.displayed_seconds(LIVE_TICK) == ROUND_SECONDS
    assert clock.displayed(LIVE_TICK) == "R1 1:55"
    assert clock.displayed(END_TICK) == "R1"
    assert replay.at("R1 1:50").tick == LIVE_TICK + 4 * 64 + 1
    with pytest.raises(ValueError, match="starts at R1 1:55, ends at R1 1:4"):
        replay.at("R1 1:00")  # the round ended before
    with pytest.raises(ValueError, match="no round 2: the recording has round 1 alone"):
        replay.at("R2")
    for when in ("0:05", "round 2", "5"):
        with pytest.raises(ValueError, match="the clock counts down in round 1: write 'R1 1:55'"):
            replay.at(when)


def test_events_come_in_order(replay: Cs2Replay) -> None:
    kinds = [event.kind for event in replay.events("round_*", "player_killed")]
    assert kinds == ["round_started", "round_went_live", *["player_killed"] * 2, "round_ended"]


def test_player_series_has_each_player_at_each_sample(replay: Cs2Replay) -> None:
    series = rows(replay, "player_series")
    assert len(series) == 21 * len(PLAYERS)
    assert [row["alive"] for row in series if row["player"] == 1] == [True] * 10 + [False] * 11
    some = replay.table("player_series", ticks=[640, 100], raw=["m_iTeamNum"])
    with pytest.raises(KeyError, match="have a field 'm_iTeamNumb'"):
        replay.table("player_series", raw="m_iTeamNumb")
    one = replay.table("player_series", ticks=100, raw="m_iTeamNum")
    assert one.equals(replay.table("player_series", ticks=[100], raw=["m_iTeamNum"]))
    assert one.equals(replay.table("player_series", ticks=range(100, 101), raw=["m_iTeamNum"]))
    assert some.column("tick").to_pylist() == [100] * 4 + [640] * 4
    assert some.column("m_iTeamNum").to_pylist() == [2, 2, 3, 3] * 2
    with pytest.raises(TypeError, match="no option"):
        replay.table("player_series", evry=1)
    for field in ("m_iTeamnum", "m_pGameRules.m_bFreezePeriod"):
        with pytest.raises(KeyError, match=f"have a field {field!r}"):
            replay.table("player_series", raw=[field])


def test_at_has_the_players_and_their_state(replay: Cs2Replay) -> None:
    players = {row["name"]: row for row in replay.at(700).players}
    assert players.keys() == {name for name, *_ in PLAYERS}
    assert (players["Slate"]["alive"], players["Slate"]["health"]) == (False, 0)
    assert (players["Talc"]["alive"], players["Talc"]["side"], players["Talc"]["player"]) == (True, "ct", 2)
    kill = rows(replay, "kills")[0]
    at_kill = {row["player"]: row for row in replay.at(kill["tick"]).players}
    assert [at_kill[1][axis] for axis in "xyz"] == [kill[f"victim_{axis}"] for axis in "xyz"]
    assert replay.at(700).displayed == "R1 1:47"


def test_positions_are_of_living_players(replay: Cs2Replay) -> None:
    positions = rows(replay, "positions")
    assert len([row for row in positions if row["player"] == 1]) == 10
    assert len(positions) == len([row for row in rows(replay, "player_series") if row["alive"]])


def test_unfilled_tells_the_reasons(replay: Cs2Replay) -> None:
    assert replay.unfilled.keys() >= {"bomb", "flashes", "infernos", "smokes", "player_series"}
    assert replay.unfilled["bomb"] == "the recording does not declare class CC4"
    assert "m_bInBombZone of CCSPlayerPawn" in replay.unfilled["player_series"]


def test_presentation_tells_the_deaths(replay: Cs2Replay) -> None:
    found = replay.presentation.deaths
    assert found is not None
    assert [(death.player, death.team, death.killer) for death in found(replay)] == [(1, 2, 2), (2, 3, 0)]


@pytest.mark.parametrize(
    ("name", "settings", "dedicated", "organiser"),
    [
        ("FACEIT.com register to play here", [], True, "faceit"),
        ("Valve Counter-Strike 2 eu_north Server (srcds1012)", [], True, "valve"),
        ("BLAST_Premier_1", [], True, "faceit"),
        ("完美世界竞技平台", [], True, "perfectworld"),
        ("Wesley", [], True, None),
        ("Wesley", [], False, "local"),
        ("mine", ["mp_maxrounds", "matchzy_version"], True, "matchzy"),
        ("mine", [], None, None),
    ],
)
def test_organisers_are_known_by_name_and_settings(
    name: str, settings: list[str], dedicated: bool | None, organiser: str | None
) -> None:
    assert organiser_of(name, settings, dedicated=dedicated) == organiser
