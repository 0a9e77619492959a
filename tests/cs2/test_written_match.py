"""The written match: every table has what its story tells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.samples.source2.cs2_match.demo import WrittenMatch, write_cs2_match
from tests.samples.source2.cs2_match.plan import plan_match
from tests.samples.source2.cs2_match.world import CHICKEN, CHICKEN_PLACE, HOSTAGE, HOSTAGE_PLACE, CsWorld

import playhead
from playhead.cs2.facts import TABLES
from playhead.cs2.replay import Cs2Replay
from playhead.show.canvas import rows_of
from playhead.source2.facts.hashed_names import SOUND_SEED, name_hash
from playhead.source2.playback.playback import Playback
from playhead.sql import query_replays

pytestmark = pytest.mark.slow_interpreted

_TABLES = ["rounds", "kills", "damage", "shots", "grenades", "smokes", "infernos", "flashes", "bomb"]
_TABLES += ["hostages", "other_deaths"]


@pytest.fixture(scope="module")
def replay(written: WrittenMatch) -> Cs2Replay:
    opened = playhead.open(written.data)
    assert isinstance(opened, Cs2Replay)
    opened.read_tables(_TABLES)
    return opened


def rows(replay: playhead.Replay, name: str, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = replay.table(name, **options).to_pylist()
    return found


def picked(rows: list[dict[str, Any]], names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names.split()) for row in rows]


def assert_rounds(replay: playhead.Replay, story: dict[str, Any]) -> None:
    mine = rows(replay, "rounds")
    assert len(mine) == len(story["rounds"])
    for row, told in zip(mine, story["rounds"], strict=True):
        common = told.keys() & row.keys()
        assert common >= {"round_num", "phase", "counts", "half", "overtime", "winner_side", "official_end_tick"}
        assert {name: row[name] for name in common} == {name: told[name] for name in common}


def test_nothing_is_damaged(replay: Cs2Replay) -> None:
    assert all(not check.failed for check in replay.verify())
    assert replay.problems == ()
    # No known build declares this field.
    silent = "the recording does not declare m_bStealthy of any class: columns made of it are null"
    assert {name: why for name, why in replay.unfilled.items() if "." not in name} == {"player_series": silent}


def test_rounds_are_those_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    assert_rounds(replay, written.story)
    played = rows(replay, "rounds")
    assert [row["phase"] for row in played[:3]] == ["warmup", "knife", "live"]
    # Rounds 2 and 3 were undone and played again.
    assert [(row["round_num"], row["counts"]) for row in played[2:7]] == [
        (1, True),
        *((2, False), (3, False), (2, True), (3, True)),
    ]
    assert [row["overtime"] for row in played[-2:]] == [1, 1]


def test_every_row_knows_whether_its_round_counts(replay: Cs2Replay, written: WrittenMatch) -> None:
    told = written.story["rounds"]

    def round_of(tick: int) -> tuple[int | None, bool]:
        before = [row for row in told if row["start_tick"] <= tick]
        return (before[-1]["round_num"], before[-1]["counts"]) if before else (None, False)

    timeless = {"players", "player_stats"}
    found = replay.read_tables([name for name in TABLES.own() if name not in timeless])
    for name, table in found.items():
        assert {"round_num", "counts"} <= set(table.column_names), name
        for row in table.select(["tick", "round_num", "counts"]).to_pylist():
            if not (name == "periods" and row["round_num"] is None):  # halves and overtimes hold several rounds
                assert (row["round_num"], row["counts"]) == round_of(row["tick"]), (name, row)
    undone = [row for row in rows(replay, "kills") if row["round_num"] is not None and not row["counts"]]
    assert len(undone) > 5
    assert all(row["round_num"] in (2, 3) for row in undone)


def test_statistics_and_pictures_leave_out_what_does_not_count(replay: Cs2Replay, written: WrittenMatch) -> None:
    counted = [row for row in rows(replay, "kills") if row["counts"]]
    stats = rows(replay, "player_stats")
    assert sum(row["deaths"] for row in stats) == len(counted) < len(written.story["kills"])
    rounds = {row["round_num"] for row in counted if row["attacker_side"] != row["victim_side"]}
    assert sum(row["opening_kills"] for row in stats) == sum(row["opening_deaths"] for row in stats) == len(rounds)
    deaths = replay.presentation.deaths
    assert deaths is not None
    assert [death.seconds for death in deaths(replay)] == [row["seconds"] for row in counted]
    drawn = rows_of(replay, "positions", "positions", ["tick"])
    assert drawn.column_names == ["tick"]
    assert drawn.num_rows == sum(row["counts"] for row in rows(replay, "positions"))


def test_pictures_of_deaths_are_of_a_side_and_of_rounds(replay: Cs2Replay) -> None:
    pytest.importorskip("matplotlib")
    counted = [row for row in rows(replay, "kills") if row["counts"]]

    def drawn(**chosen: Any) -> int:
        axes = replay.plot.kills(background=False, **chosen)
        return sum(len(points.get_offsets()) for points in axes.collections)

    assert drawn() == len(counted)
    assert drawn(rounds=2) == sum(row["round_num"] == 2 for row in counted)
    some = [row for row in counted if row["round_num"] in (1, 4) and row["victim_side"] == "ct"]
    assert drawn(side="ct", rounds=[1, 4]) == drawn(side=3, rounds=range(1, 5, 3)) == len(some) > 0
    with pytest.raises(KeyError, match="no side 'cts'"):
        replay.plot.kills(side="cts")


def test_info_and_players_know_the_winner_of_the_match(replay: Cs2Replay, written: WrittenMatch) -> None:
    last = [row for row in written.story["rounds"] if row["counts"]][-1]
    (game,) = [row for row in rows(replay, "periods") if row["kind"] == "game"]
    info = replay.info
    assert (info.winner_side, info.winner_team, info.winner_name) == ("t", 2, "Anvil")
    assert (game["winner_side"], game["end_tick"]) == ("t", last["end_tick"])
    assert playhead.open(written.data).brief_info.winner_side is None
    played = [player for player in replay.players if player.kind != "observer"]
    assert all(player.result == ("win" if player.clan == "Anvil" else "loss") for player in played)
    assert len(played) > 9


def test_any_property_comes_with_the_people_of_an_event(replay: Cs2Replay) -> None:
    kills = rows(replay, "kills", raw=["m_iHealth", "money"])
    for row in kills[3:60:19]:
        known = {player["player"]: player for player in replay.at(row["tick"]).players}
        for role in ("attacker", "victim", "assister"):
            player = known.get(row[f"{role}_player"], {})
            assert (row[f"{role}_m_iHealth"], row[f"{role}_money"]) == (player.get("health"), player.get("money"))
    told = "SELECT attacker_m_iHealth, victim_money FROM kills(raw := ['m_iHealth', 'money'])"
    pytest.importorskip("duckdb", reason="SQL is DuckDB's")
    assert picked(query_replays(told, [replay]).to_pylist(), "attacker_m_iHealth victim_money") == picked(
        kills, "attacker_m_iHealth victim_money"
    )
    shots = replay.table("shots", raw="m_iShotsFired", columns="tick")
    assert shots.column_names == ["tick", "m_iShotsFired"]
    usual = replay.table("kills")
    more = replay.table("kills", raw=["health", "money"])  # the table has health already
    assert more.column_names == [*usual.column_names, "attacker_money", "victim_money", "assister_money"]
    assert more.select(usual.column_names).equals(usual)
    few = replay.table("kills", raw=["health"], columns=["tick"])
    assert few.column_names == ["tick", "attacker_health", "victim_health", "assister_health"]
    with pytest.raises(TypeError, match="no player and tick"):
        replay.table("convars", raw="m_iHealth")
    with pytest.raises(KeyError, match="m_iHelth"):
        replay.table("kills", raw="m_iHelth")


def test_periods_are_those_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    periods = [row for row in rows(replay, "periods") if row["kind"] in ("warmup", "knife", "round")]
    told = [
        (row["start_tick"], row["phase"].replace("live", "round"), row["winner_side"], row["counts"])
        for row in written.story["rounds"]
    ]
    assert picked(periods, "tick kind winner_side counts") == told
    longer = [row for row in rows(replay, "periods") if row["kind"] in ("half", "overtime")]
    assert picked(longer, "kind number counts") == [("half", 1, True), ("half", 2, True), ("overtime", 1, True)]
    for row in longer:
        inside = [each for each in written.story["rounds"] if row["tick"] <= each["start_tick"] < row["end_tick"]]
        assert inside[0]["start_tick"] == row["tick"]
        assert inside[-1]["end_tick"] == row["end_tick"]


@pytest.mark.long
@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(plan_match(4, 2, overtimes=3, backup=False), id="three overtimes"),
        pytest.param(plan_match(3, 1, overtimes=1, surrender=True), id="surrender"),
    ],
)
def test_rounds_of_other_matches(plan: list[Any]) -> None:
    match = write_cs2_match(1, plan=plan, seed=11)
    replay = playhead.open(match.data)
    assert_rounds(replay, match.story)
    last = rows(replay, "rounds")[-1]
    if plan[-1].reason == 17:
        assert last["reason"] == "t_surrender"
    else:
        assert last["overtime"] == 3


def test_kills_are_those_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    mine = "tick attacker_name victim_name assister_name weapon headshot attacker_side victim_side"
    mine += " attacker_controls_bot victim_controls_bot"
    told = mine.replace("_name", "")
    kills = rows(replay, "kills")
    flags = "assist_flash noscope thrusmoke attackerblind attackerinair dominated revenge penetrated"
    flags += " victim_blind victim_in_air"
    assert picked(kills, f"{mine} {flags}") == picked(written.story["kills"], f"{told} {flags}")
    assert len(kills) > 50
    flashed = Counter(row["assister_name"] for row in kills if row["assist_flash"] and row["counts"])
    flags += " headshot attacker_controls_bot victim_controls_bot"
    assert [flag for flag in flags.split() if not any(row[flag] for row in kills)] == []
    for row in rows(replay, "player_stats"):
        assert row["flash_assists"] >= flashed[row["name"]]
        assert row["assists"] >= row["flash_assists"]


def test_damage_is_that_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    told = (
        "tick attacker victim weapon dmg_health damage dmg_armor health_pre health_post "
        "armor_pre armor_post hitgroup_id"
    )
    mine = (
        "tick attacker_name victim_name weapon damage_reported damage armor_damage health_pre health_post "
        "armor_pre armor_post hitgroup_id"
    )
    assert picked(rows(replay, "damage"), mine) == picked(written.story["damage"], told)


def test_shots_are_those_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    assert picked(rows(replay, "shots"), "tick name weapon") == picked(
        written.story["shots"], "tick player weapon"
    )


def test_grenades_are_those_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    told = written.story["grenades"]
    names = "tick thrower_name kind entity detonation_tick end_tick"
    assert picked(rows(replay, "grenades"), names) == picked(told, names.replace("thrower_name", "player"))
    assert {row["kind"] for row in told} == {
        *("smokegrenade", "flashbang", "hegrenade", "molotov", "incgrenade", "decoy")
    }
    series = rows(replay, "grenade_series")
    for row in rows(replay, "grenades"):
        way = [
            each
            for each in series
            if each["entity"] == row["entity"] and row["tick"] <= each["tick"] <= (row["end_tick"] or 1 << 30)
        ]
        assert {(each["thrower_name"], each["kind"]) for each in way} == {(row["thrower_name"], row["kind"])}
        if row["end_tick"] is not None:
            assert [row[f"end_{axis}"] for axis in "xyz"] == [way[-1][axis] for axis in "xyz"]
    smoked = [row["detonation_tick"] for row in told if row["kind"] == "smokegrenade" and row["detonation_tick"]]
    assert [row["tick"] for row in rows(replay, "smokes")] == smoked
    burned = [row["detonation_tick"] for row in told if row["kind"] in ("molotov", "incgrenade")]
    assert [row["tick"] for row in rows(replay, "infernos")] == [tick for tick in burned if tick]


def test_flashes_are_those_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    mine = picked(rows(replay, "flashes"), "tick attacker_name victim_name duration_seconds")
    told = picked(written.story["flashes"], "tick attacker victim duration")
    assert sorted(row[:3] for row in mine) == sorted(row[:3] for row in told)
    assert sorted(row[3] for row in mine) == pytest.approx(sorted(row[3] for row in told))
    # Sides are those of the flash: the teams changed sides later.
    assert all(row["attacker_side"] != row["victim_side"] for row in rows(replay, "flashes"))


def test_the_bomb_does_what_the_story_tells(replay: Cs2Replay, written: WrittenMatch) -> None:
    mine = sorted(picked(rows(replay, "bomb"), "tick event name"), key=str)
    assert mine == sorted(picked(written.story["bomb"], "tick event player"), key=str)
    assert {event for _, event, _ in mine} == {
        *("picked_up", "dropped", "plant_started", "plant_aborted", "planted", "defuse_started"),
        *("defuse_aborted", "defused", "exploded"),
    }


def test_hostages_and_chickens_are_those_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    mine, told = rows(replay, "hostages"), written.story["hostages"]
    assert picked(mine, "tick event name") == picked(told, "tick event player")
    assert {row["event"] for row in mine} == {
        *("called_for_help", "picked_up", "dropped", "hurt", "killed", "rescued"),
    }
    assert {(row["entity"], row["x"], row["y"], row["z"]) for row in mine} == {(HOSTAGE, *HOSTAGE_PLACE)}
    deaths = rows(replay, "other_deaths")
    told = picked(written.story["other_deaths"], "tick victim attacker weapon")
    assert deaths
    assert picked(deaths, "tick victim attacker_name weapon") == told
    assert {(row["entity"], row["x"], row["y"], row["z"]) for row in deaths} == {(CHICKEN, *CHICKEN_PLACE)}


def test_a_person_keeps_the_number_and_a_substitute_gets_another(replay: Cs2Replay) -> None:
    players = {player.name: player for player in replay.players}
    # Umber left in round 1 and came back.
    assert (players["Umber"].player, players["Umber"].kind) == (3, "human")
    assert players["Umber"].details["last_tick"] > rows(replay, "rounds")[-1]["end_tick"]
    assert (players["Pumice"].player, players["Obsidian"].player) == (8, 64)
    assert players["Obsidian"].details["slot"] == players["Pumice"].details["slot"] == 8
    assert players["Chert"].kind == "computer"
    assert players["DemoRecorder"].kind == "observer"


def test_serial_numbers_fit_into_handles() -> None:
    world = CsWorld()
    held = [world.create(1 + number % 100, "CKnife", {}).serial for number in range(3000)]
    assert (min(held), max(held)) == (1, 1023)
    assert all(one != other for one, other in zip(held, held[100:], strict=False))


def test_a_coach_is_no_player(monkeypatch: pytest.MonkeyPatch) -> None:
    create = CsWorld.create

    def coached(world: CsWorld, index: int, name: str, fields: dict[str, Any]) -> None:
        coaches = {"m_iCoachingTeam": 3} if fields.get("m_iszPlayerName") == "DemoRecorder" else {}
        create(world, index, name, fields | coaches)

    monkeypatch.setattr(CsWorld, "create", coached)
    replay, _ = told_of(plan_match(1, 1, overtimes=1, quiet=True, backup=False))
    coach = next(player for player in replay.players if player.name == "DemoRecorder")
    assert (coach.kind, coach.side) == ("coach", None)


def test_pauses_are_those_of_the_story_and_the_clock_stands_in_them(
    replay: Cs2Replay, written: WrittenMatch
) -> None:
    told = [(row["tick"], row["kind"], row["end_tick"]) for row in written.story["pauses"] if "end_tick" in row]
    periods = [row for row in rows(replay, "periods") if row["kind"] in ("timeout", "pause")]
    assert [(row["tick"], row["reason"] or row["kind"], row["end_tick"]) for row in periods] == told
    assert [(row["by_side"], row["number"], row["counts"]) for row in periods] == [
        *(("t", 1, False), (None, 1, False), (None, 2, True)),
    ]
    assert {kind for _, kind, _ in told} == {"timeout", "technical", "engine"}
    for kind, place in (("game_paused", 0), ("game_resumed", 2)):
        assert [event.tick for event in replay.events(kind)] == [row[place] for row in told]
    clock = replay.clock
    assert clock is not None
    for start, _, end in told:
        shown = clock.displayed(start)
        assert shown is not None
        assert {clock.displayed(tick) for tick in range(start, end)} == {shown}
        before, after = clock.displayed_seconds(start - 64), clock.displayed_seconds(end + 64)
        assert before is not None
        assert after is not None
        assert before - after == pytest.approx(2.0, abs=1 / 64)
        assert clock.displayed(replay.to_tick(shown)) == shown


def test_the_clock_ends_freeze_time_and_the_bomb_where_the_story_does(
    replay: Cs2Replay, written: WrittenMatch
) -> None:
    clock = replay.clock
    assert clock is not None
    for row in written.story["rounds"]:
        if row["phase"] == "warmup":
            continue
        live = row["freeze_end_tick"]
        assert clock.displayed_seconds(live - 1) == pytest.approx(1 / 64)
        if row["reason_id"] == 12:
            assert clock.displayed_seconds(row["end_tick"] - 1) == pytest.approx(0.0, abs=1.0)
        if row["counts"] and row["phase"] == "live":
            assert replay.to_tick(f"R{row['round_num']}") == live
    for row in written.story["bomb"]:
        if row["event"] == "exploded":
            assert clock.displayed_seconds(row["tick"] - 1) == pytest.approx(1 / 64)


def test_items_are_those_of_the_story(replay: Cs2Replay, written: WrittenMatch) -> None:
    mine = picked(rows(replay, "item_events"), "tick change name item cost")
    told = [
        (row["tick"], row["change"], row["player"], row["item"], row.get("cost")) for row in written.story["items"]
    ]
    assert sorted(mine, key=str) == sorted(told, key=str)
    assert {change for _, change, *_ in mine} == {"purchase", "refund", "drop", "pickup"}


def test_the_economy_adds_up_to_the_rounds_and_purchases(replay: Cs2Replay, written: WrittenMatch) -> None:
    economy = rows(replay, "economy")
    for told in written.story["rounds"][1:]:
        here = [row for row in economy if row["tick"] == told["freeze_end_tick"]]
        assert len(here) >= 9
        for side in ("t", "ct"):
            ours = [row for row in here if row["side"] == side]
            assert sum(row["equipment_value"] for row in ours) == told[f"{side}_equipment_value"]
            assert sum(row["money"] for row in ours) == told[f"{side}_money"]
        for row in here:
            bought = [
                item["cost"] * (1 if item["change"] == "purchase" else -1)
                for item in written.story["items"]
                if "cost" in item and item["player"] == row["name"] and told["tick"] <= item["tick"]
                if item["tick"] <= told["end_tick"]
            ]
            assert row["spent"] == sum(bought)
            assert row["start_money"] - row["spent"] == row["money"]


@pytest.mark.long
def test_selected_columns_are_those_of_the_whole_table(replay: Cs2Replay) -> None:
    whole = replay.table("player_series", every="4s")
    for name in whole.column_names:
        some = replay.table("player_series", every="4s", columns=[name])
        assert some.column_names == [name]
        assert some.column(name).equals(whole.column(name)), name
    both = replay.table("player_series", every="4s", columns=["z"], raw=["m_iHealth"])
    assert both.column_names == ["z", "m_iHealth"]
    with pytest.raises(KeyError):
        replay.table("player_series", every="4s", columns=["zz"])
    # Of the pawn, the controller and the weapon in the hands.
    fields = {"m_iHealth": "health", "m_pInGameMoneyServices.m_iAccount": "money", "m_iClip1": "ammo"}
    raw = replay.table("player_series", every="4s", raw=fields)
    for field, name in fields.items():
        assert raw.column(field).to_pylist() == whole.column(name).to_pylist()
        assert raw.column(field).null_count < raw.num_rows


def match_without(monkeypatch: pytest.MonkeyPatch, field: str) -> playhead.Replay:
    """A match that does not send a field."""

    def without(values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if field not in name}

    put, baseline = CsWorld.put, CsWorld.baseline
    monkeypatch.setattr(CsWorld, "put", lambda world, index, values: put(world, index, without(values)))
    monkeypatch.setattr(CsWorld, "baseline", lambda world, name: without(baseline(world, name)))
    return playhead.open(write_cs2_match(2).data)


def test_commands_are_those_that_the_server_sent(replay: Cs2Replay, written: WrittenMatch) -> None:
    inputs, story = rows(replay, "inputs"), written.story
    assert [(row["tick"], row["name"], row["command_number"]) for row in inputs] == picked(
        story["inputs"], "tick player command"
    )
    names = "buttons buttons_pressed buttons_released yaw mouse_x subtick_when"
    for row, told in zip(inputs, story["inputs"], strict=True):
        assert row["is_delta"] is not told["whole"]
        expected = picked([told], "buttons pressed released yaw mouse_x steps")[0]
        assert picked([row], names)[0] == ((None,) * 6 if told["lost"] else expected)
    # Each flaw is there: whole ones besides the first, refused ones, lists that change in the middle.
    by_player = {row["player"]: row for row in story["inputs"]}
    assert len(by_player) == 2
    assert sum(row["lost"] for row in story["inputs"]) == len({row["tick"] // 3840 for row in inputs}) - 1
    assert sum(row["whole"] for row in story["inputs"]) > 4


@pytest.mark.long
def test_buttons_that_are_not_recorded_come_from_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = match_without(monkeypatch, "m_nButtonDownMaskPrev")
    told = {
        (row["tick"], row["player"]): row["buttons"]
        for row in rows(silent, "inputs")
        if row["buttons"] is not None
    }
    series = silent.table("player_series", every="1 tick", columns=["tick", "player", "buttons"]).to_pylist()
    found = {(row["tick"], row["player"]): row["buttons"] for row in series if row["buttons"] is not None}
    assert found == told
    assert len(set(told.values())) > 1


def test_repeated_samples_are_those_made_anew(written: WrittenMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    repeated = playhead.open(written.data).table("player_series", every=1)
    monkeypatch.setattr(Playback, "repeat", lambda *_: None)
    assert playhead.open(written.data).table("player_series", every=1).equals(repeated)


@pytest.mark.long
def test_velocities_that_are_not_recorded_come_from_places(
    replay: Cs2Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = match_without(monkeypatch, "m_vecVelocity")
    names = "tick player x y z velocity_x velocity_y velocity_z speed velocity_known_by".split()
    series = silent.table("player_series", every=1, columns=names).to_pylist()
    places = {(row["tick"], row["player"]): row for row in series}
    moved = 0
    for row in series:
        before = places.get((row["tick"] - 1, row["player"]))
        assert row["velocity_known_by"] == (None if before is None else "places")
        if before is not None:
            velocity = [(row[axis] - before[axis]) * 64 for axis in "xyz"]
            assert [row[f"velocity_{axis}"] for axis in "xyz"] == pytest.approx(velocity, rel=1e-6)
            assert row["speed"] == pytest.approx(math.hypot(*velocity), rel=1e-6)
            moved += row["speed"] > 100
    assert moved > 1000
    some = silent.table("player_series", every="2s", columns=["tick", "player", "speed"]).to_pylist()
    speeds = {(row["tick"], row["player"]): row["speed"] for row in series}
    assert [row["speed"] for row in some] == [speeds[row["tick"], row["player"]] for row in some]
    assert set(replay.table("player_series")["velocity_known_by"].to_pylist()) == {"entity"}


def test_words_votes_voice_commands_and_ranks_are_those_of_the_story(
    replay: Cs2Replay, written: WrittenMatch
) -> None:
    story = written.story
    assert picked(rows(replay, "chat"), "tick name text") == picked(story["chat"], "tick player text")
    # The slot of the second line had another person before.
    assert picked(rows(replay, "chat"), "player side") == [(0, "t"), (64, "t")]
    assert picked(rows(replay, "votes"), "tick event name") == picked(story["votes"], "tick event player")
    cast = [row for row in rows(replay, "votes") if row["event"] == "cast"]
    assert [(row["vote_option"], row["vote_option_id"]) for row in cast] == [("yes", 0), ("no", 1), ("yes", 0)]
    assert rows(replay, "votes")[0]["vote_type"] == "kick"
    assert picked(rows(replay, "votes")[:1], "target_player target_name target_side") == [(1, "Slate", "t")]
    voice = rows(replay, "voice")
    assert [(row["tick"], row["name"], len(row["data"])) for row in voice] == picked(
        story["voice"], "tick player size"
    )
    sounds = rows(replay, "sounds")
    heard, event = sounds[:-1], sounds[-1]
    assert picked(heard, "tick name entity x y") == picked(story["sounds"], "tick player entity x y")
    assert [row["sound"] for row in heard] == ["T_Concrete.StepLeft", None]
    hashes = [name_hash(each["sound"], SOUND_SEED) for each in story["sounds"]]
    assert [row["sound_hash"] for row in heard] == hashes
    who = heard[0]["name"], heard[0]["entity"]
    assert picked([event], "known_by name entity radius") == [("event", *who, 1100)]
    ranks = [row for row in rows(replay, "ranks") if row["rank_old"] is not None]
    assert picked(ranks, "tick name rank_old rank") == picked(story["ranks"], "tick player rank_old rank")


def test_skins_come_from_fields_and_attributes(replay: Cs2Replay) -> None:
    skins = [row for row in rows(replay, "skins") if row["kind"] == "weapon" and row["entity"] is not None]
    assert {row["item"] for row in skins} >= {"ak47", "m4a1", "awp"}
    for row in skins:
        slot = row["player"] if row["player"] != 64 else 8
        if row["item"] == "awp":
            assert (row["paint_kit"], row["paint_seed"], row["paint_wear"]) == (400, slot, 0.25)
            assert picked([row], "stattrak stickers sticker_slots sticker_wears") == [
                (12, [5144, 7436], [0, 2], [0.25, 0.0])
            ]
        else:
            assert (row["paint_kit"], row["paint_seed"], row["paint_wear"]) == (300 + slot, 7 * slot, 0.125)
            assert picked([row], "stattrak stickers") == [(None, [])]


def test_gloves_agents_and_items_shown_at_the_end_are_skins(replay: Cs2Replay) -> None:
    people = {each.player: each for each in replay.players if each.kind in ("human", "computer")}
    skins = [row | {"slot": people[row["player"]].details["slot"]} for row in rows(replay, "skins")]
    gloves = [row for row in skins if row["kind"] == "gloves"]
    assert {row["name"] for row in gloves} == {each.name for each in people.values() if each.kind == "human"}
    for row in gloves:
        assert picked([row], "item item_id paint_kit paint_seed paint_wear econ_item account") == [
            ("sporty_gloves", 5030, 10000 + row["slot"], 3, 0.5, 900 + row["slot"], people[row["player"]].account)
        ]
    agents = {(row["name"], row["side"], row["item_id"]) for row in skins if row["kind"] == "agent"}
    assert {(side, number) for _, side, number in agents} == {("t", 5036), ("ct", 5037)}
    assert len(agents) > len(people)  # they change sides
    shown = [row for row in skins if row["entity"] is None]
    assert len(shown) >= 8
    for row in shown:
        assert picked(
            [row], "kind item item_id paint_kit paint_seed paint_wear stattrak custom_name stickers"
        ) == [("weapon", "knife", 507, 600 + row["slot"], 77, 0.0625, 9, "Edge", [4242])]
        assert picked([row], "econ_item sticker_slots sticker_wears") == [(5000 + row["slot"], [3], [0.125])]


def test_events_have_the_items(replay: Cs2Replay, written: WrittenMatch) -> None:
    bought = [(event.tick, event.kind) for event in replay.events("item_bought", "item_refunded")]
    kinds = {"purchase": "item_bought", "refund": "item_refunded"}
    told = [(row["tick"], kinds[row["change"]]) for row in written.story["items"] if row["change"] in kinds]
    assert sorted(bought) == sorted(told)


def test_series_of_a_corpus_have_the_players(replay: Cs2Replay, written: WrittenMatch, tmp_path: Path) -> None:
    path = tmp_path / "written.dem"
    path.write_bytes(written.data)
    fields = ["health", "money", "x"]
    reader = playhead.scan(tmp_path, jobs=0).series(every="2s", fields=fields)
    series = reader.read_all().to_pylist()
    found = {(row["seconds"], row["player"]): row for row in series}
    mine = replay.table("player_series", every="2s").to_pylist()
    assert len(mine) > 1000
    for row in mine:
        held = found.get((row["seconds"], row["player"]))
        if row["counts"]:
            assert held is not None
            assert [held[name] for name in fields] == [row[name] for name in fields]
        else:  # nothing is known of the player for the match
            assert held is None or held["health"] is None


def told_of(*plans: list[Any]) -> tuple[playhead.Replay, dict[str, Any]]:
    match = write_cs2_match(1, plan=[each for plan in plans for each in plan], seed=5)
    replay = playhead.open(match.data)
    assert_rounds(replay, match.story)
    return replay, match.story


@pytest.mark.long
def test_two_matches_in_a_file() -> None:
    first = plan_match(2, 1, overtimes=1, quiet=True, backup=False)
    replay, story = told_of(first, plan_match(2, 1, overtimes=2, quiet=True, backup=False))
    numbers = [row["match_num"] for row in rows(replay, "rounds")]
    assert numbers == [1] * len(first) + [2] * (len(numbers) - len(first))
    names = "match_num rounds_played overtimes ended knife_side end_reason"
    assert picked(rows(replay, "match"), names) == [(1, 6, 1, True, "ct", "tie"), (2, 8, 2, True, "ct", "tie")]
    ends = [story["rounds"][len(first) - 1], story["rounds"][-1]]
    for row, told in zip(rows(replay, "match"), ends, strict=True):
        squads = {told["squads"][side]: told[f"{side}_score"] for side in ("t", "ct")}
        assert {row["team_a_name"]: row["team_a_score"], row["team_b_name"]: row["team_b_score"]} == squads
        assert row["end_tick"] == told["end_tick"]
        assert row["team_a_half_1"] + row["team_b_half_1"] == row["team_a_half_2"] + row["team_b_half_2"] == 2
    # Round 1 is the last one of that number, as after a restored backup.
    again = [row["freeze_end_tick"] for row in rows(replay, "rounds") if row["round_num"] == 1]
    assert [len(again), replay.to_tick("R1")] == [2, again[1]]
    # Stats are those of both matches.
    assert {row["rounds_played"] for row in rows(replay, "player_stats")} == {14}


@pytest.mark.long
@pytest.mark.parametrize(("how", "rounds_ended"), [("surrender", 6), ("forfeit", 5)])
def test_a_match_that_a_team_gives_up(how: str, rounds_ended: int) -> None:
    replay, _ = told_of(plan_match(2, 1, overtimes=1, quiet=True, backup=False, **{how: True}))  # type: ignore[arg-type]
    (match,) = rows(replay, "match")
    assert [match[name] for name in ("ended", "end_reason", "rounds_played")] == [True, how, rounds_ended]
    assert (match["winner_letter"] is None) == (how == "forfeit")
    last = rows(replay, "rounds")[-1]
    assert (last["end_tick"] is None, last["counts"]) == (how == "forfeit", True)


def test_a_match_that_ends_by_score_has_its_teams(replay: Cs2Replay, written: WrittenMatch) -> None:
    (match,) = rows(replay, "match")
    told = written.story["rounds"][-1]
    assert match["rounds_undone"] == 2
    assert match["map"] == written.story["map"]
    squads = {told["squads"][side]: told[f"{side}_score"] for side in ("t", "ct")}
    assert {match["team_a_name"]: match["team_a_score"], match["team_b_name"]: match["team_b_score"]} == squads
    assert squads[match[f"team_{match['winner_letter']}_name"]] == max(squads.values())
    assert match["winner_name"] == match[f"team_{match['winner_letter']}_name"]
    assert match["winner_name"] == told["squads"][match["winner_side"]]


def test_recordings_that_begin_and_end_inside_a_match(
    replay: Cs2Replay, written: WrittenMatch, tmp_path: Path
) -> None:
    whole = rows(replay, "rounds")
    first, last = whole[2], whole[-2]
    path = tmp_path / "part.dem"
    replay.write_slice(path, first["freeze_end_tick"] + 100, last["freeze_end_tick"] + 100)
    part = playhead.open(path)
    found = rows(part, "rounds")
    assert [row["round_num"] for row in found] == [row["round_num"] for row in whole[2:-1]]
    assert (found[0]["start_tick"], found[0]["freeze_end_tick"]) == (None, None)
    assert [found[-1][name] for name in ("end_tick", "winner_side", "counts")] == [None, None, True]
    names = "start_tick freeze_end_tick end_tick winner_side reason_id counts t_score ct_score half overtime"
    assert picked(found[1:-1], names) == picked(whole[3:-2], names)
    assert found[0]["end_tick"] == first["end_tick"]
    (match,) = rows(part, "match")
    assert (match["ended"], match["winner_letter"], match["rounds_played"]) == (False, None, len(found) - 1 - 2)
    begin, end = first["freeze_end_tick"] + 100, last["freeze_end_tick"] + 100
    kills = [row for row in rows(replay, "kills") if begin < row["tick"] <= end]
    mine = "tick attacker_name victim_name weapon round_num game_seconds"
    assert picked(rows(part, "kills"), mine) == picked(kills, mine)


#: Counts that the game keeps of each round in the controller, and rows of ours that they sum up: table, columns of
#: the player and of the amount (1 without one), only against enemies, further condition.
_KEPT: dict[str, tuple[str, str, str, bool, str]] = {
    "m_iKills": ("kills", "attacker_", "", True, ""),
    "m_iDeaths": ("kills", "victim_", "", False, ""),
    "m_iAssists": ("kills", "assister_", "", False, ""),
    "m_iHeadShotKills": ("kills", "attacker_", "", True, "headshot"),
    "m_iDamage": ("damage", "attacker_", "damage", False, ""),
    "m_iEnemiesFlashed": ("flashes", "attacker_", "", True, ""),
}


def test_counts_of_each_round_are_those_that_the_game_keeps(replay: Cs2Replay) -> None:
    tables = {name: rows(replay, name) for name in ("kills", "damage", "flashes")}
    played = [row for row in rows(replay, "rounds") if row["counts"]]
    numbers = {player.name: player.player for player in replay.players}
    # Umber came back and Obsidian came first in the middle, with counts from then on.
    since = {"Umber": 2, "Obsidian": next(row["round_num"] for row in played if row["half"] == 2)}
    compared = 0
    for controller in replay.at(played[-1]["end_tick"])["CCSPlayerController"]:
        name = controller.get_str("m_iszPlayerName") or ""
        for round_ in played if name in numbers and name != "DemoRecorder" else ():
            if round_["round_num"] < since.get(name, 0):
                continue
            row = f"m_pActionTrackingServices.m_perRoundStats.{round_['round_num'] - 1:04}."
            for field, (table, role, amount, enemies, condition) in _KEPT.items():
                mine = sum(
                    each[amount] if amount else 1
                    for each in tables[table]
                    if each[f"{role}player"] == numbers[name]
                    and round_["start_tick"] <= each["tick"] < (round_["official_end_tick"] or 1 << 30)
                    and (not enemies or each["attacker_side"] != each["victim_side"])
                    and (not condition or each[condition])
                )
                assert (controller.get(row + field) or 0) == mine, (name, round_["round_num"], field)
                compared += mine
    assert compared > 1000


@pytest.mark.long
def test_a_recording_of_a_player_has_the_own_commands() -> None:
    match = write_cs2_match(2, plan=plan_match(1, 1, overtimes=1, quiet=True, backup=False), recorder=3)
    replay = playhead.open(match.data)
    inputs = rows(replay, "inputs")
    names = "tick name command_number buttons buttons_pressed mouse_x subtick_when"
    assert picked(inputs, names) == picked(
        match.story["inputs"], "tick player command buttons pressed mouse_x steps"
    )
    assert {(row["player"], row["is_delta"]) for row in inputs} == {(3, False)}
    assert replay.unfilled["positions"].startswith("a player recorded: other players have rows only while")
    assert "frames DEM_UserCmd" in replay.unfilled["inputs"]
