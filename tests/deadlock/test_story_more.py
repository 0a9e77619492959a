"""The written match: Sinner's Sacrifice, barriers, lists of the summary, a street brawl, as told and by boon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.deadlock.story import Row, Told, picked
from tests.deadlock.test_story import same_hero
from tests.samples.source2.deadlock import names
from tests.samples.source2.deadlock.recording import WrittenMatch

import playhead

Boon = Callable[..., dict[str, list[Row]]]


def test_sinners_sacrifice(told: Told, boon_of: Boon) -> None:
    ours = told.ours("sinners_sacrifice")
    (spawned, *events) = ours
    assert (spawned["event"], spawned["health"], spawned["x"], spawned["y"]) == ("spawned", 400, 2000.0, -1500.0)
    columns = "tick event attacker_player damage health"
    assert picked(events, columns) == picked(told.story("sinners_sacrifice"), columns)
    assert {row["event"] for row in events} == {"hit", "reset"}
    theirs = boon_of("sinners_sacrifice")["sinners_sacrifice"]
    columns = "tick event health max_health x y z"
    assert picked(ours, f"{columns} entity team") == picked(theirs, f"{columns} entity_id team_num")
    assert [row["damage"] or 0 for row in ours] == [row["damage"] for row in theirs]
    assert all(same_hero(b["attacker_hero_id"], a["attacker_player"]) for a, b in zip(ours, theirs, strict=True))


def test_barriers(told: Told, boon_of: Boon) -> None:
    left: dict[tuple[int, int], float] = {}
    ours = told.ours("player_series", every="20t")
    changes = {(row["tick"], row["player"]): row["left"] for row in told.story("barriers")}
    assert {0.0, 100.0, 250.0} == set(changes.values())
    for row in ours:
        before = left.get((row["tick"] - 20, row["player"]))
        left[row["tick"], row["player"]] = changes.get((row["tick"], row["player"]), before)  # type: ignore[assignment]
        assert row["barrier"] == left[row["tick"], row["player"]]
        assert row["roll"] == 0.0
    theirs = boon_of("player_ticks")["player_ticks"]
    by_place = {(row["tick"], row["x"], row["y"]): row["barrier"] for row in theirs if row["tick"] % 20 == 0}
    shown = {(row["tick"], row["x"], row["y"]): row["barrier"] or 0.0 for row in ours}
    assert by_place.items() <= shown.items()
    last = max(row["tick"] for row in ours)
    assert {row["player"]: row["barrier"] for row in told.replay.at(last).players} == {
        row["player"]: row["barrier"] for row in ours if row["tick"] == last
    }
    world = told.replay.at(told.story("barriers")[0]["tick"] + 4)
    assert {row["player"]: row["barrier"] for row in world.players}[told.story("barriers")[0]["player"]] == 250.0


def test_lanes_of_rifts_are_those_of_the_nearest_nodes(told: Told) -> None:
    assert {(row["lane"], row["lane_id"]) for row in told.ours("rift")} == {("yellow", 1)}


def test_damage_and_paths_of_the_summary(told: Told, boon_of: Boon) -> None:
    fighters = told.match.field.fighters
    ours = told.ours("post_match_damage")
    last = {(row["player"], row["stat"]): row["total"] for row in ours}
    assert last == {(each.player, stat): each.hero_damage for each in fighters for stat in ("Damage", "Regen")}
    hits = [row for row in ours if row["stat"] == "Damage"]
    assert {(row["player"] + row["target_player"], row["inflictor"]) for row in hits} == {(11, names.WEAPON)}
    assert sum(row["value"] for row in hits) == sum(each.hero_damage for each in fighters)
    theirs = boon_of("summary.damage")["damage"]
    assert picked(ours, "match_seconds inflictor value total") == picked(
        theirs, "sample_time_s source_name damage total"
    )
    paths = told.ours("post_match_paths")
    assert picked(paths[:2], "player match_seconds x y health combat movement") == [
        (0, 0.0, 0.0, -8192.0, 100, "Out", "Ziplining"),
        (0, 2.5, 8192.0, -4096.0, 50, "Player", "AbilityDebuff"),
    ]
    assert len(paths) == 24
    (objective,) = told.ours("post_match_objectives")
    assert picked([objective], "team objective destroyed_seconds player_damage") == [(3, "Tier1_Lane1", 60, 4000)]


def test_items_and_deaths_of_the_summary(told: Told) -> None:
    bought = [row for row in told.story("item_events") if row["change_id"] < 2]
    assert sorted(picked(told.ours("post_match_items"), "player match_seconds item")) == sorted(
        (row["player"], (row["tick"] - 600) // 60, row["item"]) for row in bought
    )
    assert sorted(picked(told.ours("post_match_deaths"), "player attacker_player match_seconds x y")) == sorted(
        (
            *picked([row], "victim_player attacker_player")[0],
            (row["tick"] - 600) // 60,
            row["victim_x"],
            row["victim_y"],
        )
        for row in told.story("kills")
    )


def test_a_summary_with_more_values_than_times_is_a_problem(tmp_path: Path) -> None:
    match = WrittenMatch(0.5)
    hit = {"target_player_slot": 1, "damage": [1, 2]}
    dealer = {"dealer_player_slot": 0, "damage_sources": [{"damage_to_players": [hit]}]}
    match.story.said.post_match(
        {"match_info": {"damage_matrix": {"damage_dealers": [dealer], "sample_time_s": [1]}}}
    )
    path = tmp_path / "odd.dem"
    path.write_bytes(match.demo())
    replay = playhead.open(path)
    assert replay.table("post_match_damage").num_rows == 36
    assert [problem.what for problem in replay.problems] == ["expected 1 times of damage, found 2 values"]


def _brawl(path: Path, *, new: bool) -> list[dict[str, Any]]:
    """Write a street brawl of three rounds; return its states."""
    match = WrittenMatch(0.5, new=new)
    told = []
    play = match.story.play

    def playing(tick: int) -> None:
        play(tick)
        if tick in (100, 700, 1300):
            number = tick // 600 + 1
            scores = {"m_iTeamAmberScore": number // 2 + number % 2, "m_iTeamSapphireScore": number // 2}
            state = {"m_iRound": number, "m_eStreetBrawlState": 2 + number, "m_iLastBuyCountDown": 9 - number}
            times = {"m_flNextStateTime": 90.0 + number, "m_flStreetBrawlStateStartTime": 60.0 + number}
            fields = {**state, **scores, **times, "m_flStreetBrawlTotalNonCombatTime": 1.5 * number}
            match.field.rules(**{f"m_tStreetBrawl.{name}": value for name, value in fields.items()})
            told.append({"tick": tick, **fields})
            sent = {"amber_score": scores["m_iTeamAmberScore"], "sapphire_score": scores["m_iTeamSapphireScore"]}
            match.story.said.send("CCitadelUserMsg_StreetBrawlScoring", scoring_team=2 + number % 2, **sent)

    match.story.play = playing  # type: ignore[method-assign]
    match.field.rules(m_eGameMode=4)
    path.write_bytes(match.demo())
    return told


@pytest.mark.parametrize("peer", ["boon", "new_boon"])
def test_a_street_brawl_has_the_states_and_rounds_of_boon(
    tmp_path: Path, peer: str, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "brawl.dem"
    told = _brawl(path, new=peer == "new_boon")
    replay = playhead.open(path)
    fields = "m_iRound m_eStreetBrawlState m_iTeamAmberScore m_iTeamSapphireScore m_iLastBuyCountDown "
    fields += "m_flNextStateTime m_flStreetBrawlStateStartTime m_flStreetBrawlTotalNonCombatTime"
    same = "hidden_king_score archmother_score buy_countdown_seconds "
    same += "next_state_server_seconds state_start_server_seconds non_combat_seconds"
    zero, *states = replay.table("street_brawl").to_pylist()
    assert (zero["round_num"], zero["hidden_king_score"], zero["state_start_server_seconds"]) == (0, 0, None)
    assert picked(states, f"tick round_num state_id {same}") == picked(told, f"tick {fields}")
    theirs = request.getfixturevalue(peer)(path, "street_brawl_ticks", "street_brawl_rounds")
    wanted = (
        "round state amber_score sapphire_score buy_countdown next_state_time state_start_time non_combat_time"
    )
    rows = picked(theirs["street_brawl_ticks"], wanted)
    changes = [row for row, before in zip(rows[1:], rows, strict=False) if row != before]
    assert changes == picked(states, f"round_num state_id {same}")
    rounds = replay.table("street_brawl_rounds").to_pylist()
    assert picked(rounds, "tick round_num winner_team hidden_king_score archmother_score") == picked(
        theirs["street_brawl_rounds"], "tick round scoring_team amber_score sapphire_score"
    )
    (match,) = replay.table("match").to_pylist()
    assert match["game_mode"] == "street_brawl"
    periods = [row for row in replay.table("periods").to_pylist() if row["kind"] == "round"]
    assert picked(periods, "number end_tick winner_side") == picked(rounds, "round_num tick winner_side")
