"""Every fact that the stories of two written matches state: the corpus has one, playhead writes the other."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.samples.dota2_match.recording import SEED, write_sample

import playhead
from playhead.dota2.facts import TABLES

NAME = "dota2_story"


class Told(NamedTuple):
    """A recording, and what is true of it."""

    path: Path
    story: dict[str, Any]


@pytest.fixture(scope="module", params=["corpus", "written"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The match of the corpus, and that of playhead's own writer, which has other numbers."""
    if request.param == "written":
        (path,) = write_sample(tmp_path_factory.mktemp("written"), seed=int(os.environ.get("STORY_SEED", SEED)))
        return Told(path, json.loads(path.with_suffix(".json").read_text()))
    folder = request.getfixturevalue("corpus") / "source2"
    if not (folder / f"{NAME}.json").exists():
        pytest.skip(f"{NAME} is not in the corpus")
    return Told(folder / f"{NAME}.dem.xz", json.loads((folder / f"{NAME}.json").read_text()))


@pytest.fixture(scope="module")
def story(told: Told) -> dict[str, Any]:
    return told.story


@pytest.fixture(scope="module")
def replay(told: Told) -> Any:
    found = playhead.open(told.path)
    found.read_tables(list(TABLES.own()))
    return found


def rows(replay: Any, table: str, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = replay.table(table, **options).to_pylist()
    return found


@pytest.mark.long
def test_clock(replay: Any, story: dict[str, Any]) -> None:
    match = rows(replay, "match")[0]
    assert (match["horn_tick"], match["end_tick"]) == (story["horn"], story["end"])
    assert [[row["tick"], row["end_tick"]] for row in rows(replay, "periods") if row["kind"] == "pause"] == story[
        "pauses"
    ]


def test_smokes_also_by_couriers(replay: Any, story: dict[str, Any]) -> None:
    heroes = story["heroes"]
    smokes = rows(replay, "smoke_uses")
    by_couriers = [
        [row["tick"], row["team"], [heroes.index(hero) for hero in row["members"]]]
        for row in smokes
        if row["hero"] is None
    ]
    assert by_couriers == story["courier_smokes"]
    by_heroes = [[row["tick"], row["members"]] for row in smokes if row["hero"] is not None]
    assert by_heroes == [[tick, [member[0] for member in members]] for tick, members in story["members"]]


def test_minutes(replay: Any, story: dict[str, Any]) -> None:
    by_minute = {"clock": "game", "every": "1 min"}
    players, teams = rows(replay, "player_series", **by_minute), rows(replay, "team_series", **by_minute)
    assert len(players) == 10 * len(story["minutes"])
    for minute in story["minutes"]:
        found = [row for row in players if row["game_seconds"] == minute["minute"] * 60]
        assert {row["tick"] for row in found} == {minute["tick"]}
        for row, truth in zip(found, minute["players"], strict=True):
            expected = {name: truth[name] for name in ("gold_earned", "xp", "last_hits", "net_worth", "deaths")}
            expected |= {f"gold_{name}": value for name, value in truth["sources"].items()}
            expected |= {f"spent_{name}": value for name, value in truth["spent"].items()}
            expected |= {"gold_lost": truth["lost"], "commands": truth["commands"]}
            expected |= truth.get("measures", {})
            assert {name: row[name] for name in expected} == expected
    assert [[row["game_seconds"] // 60, row["radiant_win_probability"]] for row in teams] == story["win"]
    if "measures" in story["minutes"][0]["players"][0]:  # the written match has days of ten minutes
        assert [row["at_night_time"] for row in teams[1:10]] == [
            number == 2 or number >= 5 for number in range(1, 10)
        ]
    for row, minute in zip(teams, story["minutes"], strict=True):
        worth = [truth["net_worth"] for truth in minute["players"]]
        assert row["net_worth_lead"] == sum(worth[:5]) - sum(worth[5:])


def test_player_stats(replay: Any, story: dict[str, Any]) -> None:
    stats = rows(replay, "player_stats")
    for row, ledger in zip(stats, story["ledger_gem"], strict=True):
        names = {"lost": "gold_lost"}
        for name, value in ledger.items():
            assert row[names.get(name, name if name.startswith("spent") else f"gold_{name}")] == value
    assert [row["commands"] for row in stats] == story["commands"]
    assert [row["hero"] for row in stats] == story["heroes"]
    assert [row["teamfight_participation"] for row in stats] == story["participation"]
    assert [row["claimed_first_blood"] for row in stats] == [bool(flag) for flag in story["first_blood"]]


KEYS = {
    "damage": ("damage", "unit_type", False),
    "damage_inflictor": ("damage", "inflictor", True),
    "hero_hits": ("damage", "inflictor", True),
    "damage_taken": ("damage_taken", "unit_type", False),
    "damage_by_type": ("damage", "damage_type", False),
    "healing": ("heal", "unit_type", False),
    "killed": ("kill", "unit_type", False),
    "killed_by": ("killed_by", "unit_type", False),
    "ability_uses": ("ability_use", "inflictor", False),
    "item_uses": ("item_use", "inflictor", False),
}


def test_combat_totals(replay: Any, story: dict[str, Any]) -> None:
    totals = rows(replay, "combat_totals")
    for player, truth in enumerate(story["totals"]):
        mine = [row for row in totals if row["player"] == player]
        for name, (kind, key, to_heroes) in KEYS.items():
            sums: dict[str, float] = {}
            for row in mine:
                if row["kind"] != kind or (to_heroes and (row["is_illusion"] or not row["is_hero"])):
                    continue
                text = row[key] if row[key] is not None else "null"
                if key == "inflictor" and name != "item_uses":
                    text = text.removeprefix("item_")  # as OpenDota writes inflictors
                text = f"illusion_{text}" if key == "unit_type" and row["is_illusion"] else text
                sums[text] = sums.get(text, 0) + row["count" if name == "hero_hits" else "total"]
            assert sums == truth[name], (player, name)
        hits = [row for row in mine if row["kind"] == "damage" and row["is_hero"] and not row["is_illusion"]]
        assert max((row["largest"] for row in hits), default=0) == truth["max_hero_hit"]
        stuns = sum(row["total"] for row in mine if row["kind"] == "stun")
        assert stuns == pytest.approx(truth["stuns_dealt"], abs=0.01)


def test_visibility(replay: Any, story: dict[str, Any]) -> None:
    seen = [row for row in rows(replay, "visibility") if row["main"]]
    found = [[row["tick"], row["player"], row["radiant"], row["dire"]] for row in seen]
    assert sorted(found) == sorted(story["visibility"])


def test_camps_and_their_creeps(replay: Any, story: dict[str, Any]) -> None:
    camps = rows(replay, "camps")
    assert [(row["entity"], row["size_id"]) for row in camps] == [(c["entity"], c["type"]) for c in story["camps"]]
    for row, camp in zip(camps, story["camps"], strict=True):
        assert (row["x"], row["y"]) == pytest.approx((camp["x"], camp["y"]), abs=1e-3)
    numbers = {camp["entity"]: number for number, camp in enumerate(story["camps"])}
    found = [
        [numbers[row["camp"]], row["tick"], row["end_tick"], row["attacker_player"]]
        for row in rows(replay, "neutrals")
    ]
    assert sorted(map(str, found)) == sorted(map(str, story["creeps"]))
    stacks = [[row["tick"], row["player"], row["creeps_before"]] for row in rows(replay, "stacks")]
    assert stacks == story["stacks"]


def test_deaths(replay: Any, story: dict[str, Any]) -> None:
    deaths = rows(replay, "kills")
    assert [[row["tick"], row["victim_player"], row["attacker_player"]] for row in deaths] == story["deaths"]
    if "dead_exact" in story:
        assert [row["dead_seconds"] for row in deaths] == story["dead_exact"]  # ticks, divided once
        facts = [[row["assister_players"], row["gold_lost"], row["smoked"]] for row in deaths]
        assert facts == story["death_facts"]
        damage = [
            [row["kill_tick"], row["victim_player"], row["attacker_player"], row["inflictor"], row["damage"]]
            for row in rows(replay, "death_damage")
        ]
        assert damage == story["death_damage"]
        return
    # gem-dota counts whole seconds of the game's clock, from the second before the horn on.
    counted = [0] * 10
    for row in deaths:
        begin = row["game_seconds"]
        end = begin + row["dead_seconds"]
        counted[row["victim_player"]] += sum(begin <= second < end for second in range(-1, 1000))
    assert counted == story["dead_seconds"]
    damage = {(row["tick"], row["victim_player"]): row for row in deaths}
    for row in rows(replay, "death_damage"):
        death = damage[row["kill_tick"], row["victim_player"]]
        assert 0 <= death["game_seconds"] - row["game_seconds"] <= 10


def test_a_revival_is_no_death(replay: Any, story: dict[str, Any]) -> None:
    """The log has an Aegis' death as any other; m_iDeaths and the life state of the hero tell it."""
    if "revivals" not in story:
        pytest.skip("no hero of the corpus' match is revived")
    logged = {(row["tick"], row["victim_player"], row["will_reincarnate"]) for row in rows(replay, "unit_deaths")}
    said = [problem for problem in replay.problems if "m_iDeaths" in problem.what]
    assert len(said) == len(story["revivals"]) == 1
    for tick, player, _ in story["revivals"]:
        assert (tick, player, None) in logged
        assert f"of {story['heroes'][player]} does not count" in said[0].what
        assert said[0].tick == tick


def test_series_and_circumstances_of_deaths(replay: Any, story: dict[str, Any]) -> None:
    if "death_series" not in story:
        pytest.skip("the story of the corpus does not tell them")
    place = ("victim_x", "victim_y", "victim_level", "victim_net_worth", "attacker_net_worth")
    names = (*place, "multi_kill", "kill_streak", "ended_streak", "solo_kill", "gank", "died_back")
    found = [[row[name] for name in names] for row in rows(replay, "kills")]
    assert found == [pytest.approx(truth, abs=1e-3) for truth in story["death_series"]]
    for flag in ("solo_kill", "gank", "died_back"):
        assert {row[flag] for row in rows(replay, "kills")} == {False, True}
    assert max(row["multi_kill"] or 0 for row in rows(replay, "kills")) > 1


def test_counted_kills(replay: Any, story: dict[str, Any]) -> None:
    counted = [0] * 10
    for _, _, killer in story["deaths"]:
        if killer is not None:
            counted[killer] += 1
    assert any(counted)
    assert {row["player"]: row["kills"] for row in rows(replay, "player_series")} == dict(enumerate(counted))


def test_buybacks(replay: Any, story: dict[str, Any]) -> None:
    found = [[row["tick"], row["player"], row["cost"]] for row in rows(replay, "buybacks")]
    assert [row for row in found if row[2] is not None] == story["buybacks"]


def test_buybacks_over_time(replay: Any, story: dict[str, Any]) -> None:
    if "buyback_ready" not in story:
        pytest.skip("the story of the corpus does not tell them")
    series = rows(replay, "player_series")
    ready = dict.fromkeys(range(10), 0.0)
    told = list(story["buyback_ready"])
    for row in series:
        while told and told[0][0] <= row["tick"]:
            _, player, ready[player] = told.pop(0)
        left = 0.0 if row["game_seconds"] is None else max(0.0, ready[row["player"]] - row["game_seconds"])
        assert row["buyback_cooldown_seconds"] == pytest.approx(left if ready[row["player"]] else 0.0, abs=1e-3)
        assert row["buyback_cost"] == 200 + row["net_worth"] // 13
    assert not told
    assert max(row["buyback_cooldown_seconds"] for row in series) > 470
    for tick, player, cost in story["buybacks"]:
        before = [row for row in series if row["player"] == player and row["tick"] <= tick][-1]
        assert abs(before["buyback_cost"] - cost) < 30  # it may be a second old


def test_couriers(replay: Any, story: dict[str, Any]) -> None:
    if "couriers" not in story:
        pytest.skip("the story of the corpus does not tell them")
    names = ("tick", "end_tick", "player", "state_id", "items", "delivered", "attacker_player")
    found = [[row[name] for name in names] for row in rows(replay, "couriers")]
    assert sorted(found, key=str) == sorted(story["couriers"], key=str)
    assert {row["state"] for row in rows(replay, "couriers")} == {
        *("at_base", "moving", "delivering_items", "returning_to_base", "dead")
    }
    sides = {row["player"]: row["side"] for row in rows(replay, "couriers")}
    assert sides == {player: "radiant" if player < 5 else "dire" for player in range(10)}


def test_facets(replay: Any, story: dict[str, Any]) -> None:
    if "couriers" not in story:
        pytest.skip("the match of the corpus has none")
    assert [row["facet"] for row in rows(replay, "player_stats")] == [1 + player % 3 for player in range(10)]


def test_fights(replay: Any, story: dict[str, Any]) -> None:
    found = [
        [row["first_death_tick"], row["deaths"], row["winner_side"] or "draw"] for row in rows(replay, "fights")
    ]
    assert found == story["fights"]


def test_players_of_fights(replay: Any, story: dict[str, Any]) -> None:
    if "fight_players" not in story:
        pytest.skip("the story of the corpus does not tell them")
    names = ["fight", "player", "net_worth_change", "xp_change", "present_seconds", "abilities_used", "assists"]
    disables = ["stun_seconds", "slow_seconds", "silence_seconds", "root_seconds"]
    truth = {(row[0], row[1]): row for row in story["fight_players"]}
    found = rows(replay, "fight_players")
    for row in found:
        assert [row[name] for name in names + disables] == truth.pop((row["fight"], row["player"]))
    assert all(not any(row[5:]) for row in truth.values())  # those who did nothing
    assert all(sum(row[name] for row in found) > 0 for name in ("assists", *disables))
    swings = [[row["net_worth_swing"], row["xp_swing"]] for row in rows(replay, "fights")]
    assert swings == story["swings"]


def test_wards_and_whom_they_saw(replay: Any, story: dict[str, Any]) -> None:
    if "wards" not in story:
        pytest.skip("the story of the corpus does not tell them")
    names = ("tick", "kind", "player", "duration_seconds", "outcome", "attacker_player", "seen_players")
    found = [[row[name] for name in names] for row in rows(replay, "wards")]
    assert found == [
        [*truth[:3], truth[3] and pytest.approx(truth[3], abs=1e-9), *truth[4:]] for truth in story["wards"]
    ]
    assert sum(len(row["seen_players"] or ()) for row in rows(replay, "wards")) > 3


def test_drops_of_roshan_and_the_aegis(replay: Any, story: dict[str, Any]) -> None:
    if "roshans" not in story:
        pytest.skip("the story of the corpus does not tell them")
    names = ("end_tick", "drops", "aegis", "aegis_player", "aegis_tick", "aegis_outcome", "aegis_end_tick")
    # An expiry is at a tick of the clock, not of a packet.
    found = [[row[name] for name in names] for row in rows(replay, "bosses")]
    assert [row[:6] for row in found] == [truth[:6] for truth in story["roshans"]]
    for (*_, mine), (*_, truth) in zip(found, story["roshans"], strict=True):
        assert mine == truth if truth is None else mine == pytest.approx(truth, abs=1)
    assert [row[5] for row in found] == ["used", "expired", "denied", None]


def test_items_come_and_go(replay: Any, story: dict[str, Any]) -> None:
    if "items" not in story:
        pytest.skip("the story of the corpus does not tell them")
    more = {"charges": "charges", "sale": "gold"}
    found = [
        [*(row[name] for name in ("tick", "player", "item", "change")), *(row[more[row["change"]]],)]
        if row["change"] in more
        else [row[name] for name in ("tick", "player", "item", "change")]
        for row in rows(replay, "item_events")
    ]
    assert sorted(found, key=str) == sorted(story["items"], key=str)
    assert [
        row["x"] is not None for row in rows(replay, "item_events") if row["change"] in ("drop", "pickup")
    ] == [
        True,
        True,
    ]
    kinds = [event.kind for event in replay.events("item_sold", "item_dropped", "item_picked_up", "item_consumed")]
    assert kinds == ["item_consumed", "item_sold", "item_dropped", "item_picked_up"]


def test_healing_in_fights(replay: Any, story: dict[str, Any]) -> None:
    """Healing of others counts for the healer, also that by a summon."""
    if "heals" not in story:
        pytest.skip("the match of the corpus heals nobody but the healer")
    sums: Counter[tuple[int, int]] = Counter()
    for fight, player, value in story["heals"]:
        sums[fight + 1, player] += value
    assert len(sums) > 5
    assert {player for _, player in sums} > {0}
    found = {(row["fight"], row["player"]): row["healing"] for row in rows(replay, "fight_players")}
    assert {key: value for key, value in found.items() if value} == sums


def test_objectives(replay: Any, story: dict[str, Any]) -> None:
    found = rows(replay, "objective_events")
    watchers = [row for row in found if row["event"] == "watcher_taken"]
    assert [[row["tick"], row["team"], row["player"], row["entity"]] for row in watchers] == story["watchers"]
    outposts = [row for row in found if row["event"] == "outpost_taken"]
    assert [[row["tick"], row["team"], row["entity"]] for row in outposts] == story["outposts"]
    (banner,) = (row for row in found if row["event"] == "banner_planted")
    tick, team, player, x, y = story["banner"][0]
    assert (banner["tick"], banner["team"], banner["player"]) == (tick, team, player)
    assert (banner["x"], banner["y"]) == pytest.approx((x, y), abs=1e-3)


def test_smoke_members(replay: Any, story: dict[str, Any]) -> None:
    members = rows(replay, "smoke_members")
    for tick, truth in story["members"]:
        found = [[row["hero"], row["tick"], row["end_tick"]] for row in members if row["smoke_tick"] == tick]
        assert found == truth
    assert all(None not in (row["x"], row["y"], row["end_x"], row["end_y"]) for row in members)


def test_what_came_of_smokes(replay: Any, story: dict[str, Any]) -> None:
    if "smoke_ends" not in story:
        pytest.skip("the story of the corpus does not tell it")
    names = ("player", "end_tick", "duration_seconds", "outcome", "breaker_player")
    found = sorted([row[name] for name in names] for row in rows(replay, "smoke_members"))
    assert found == sorted(story["smoke_ends"])
    assert {row["outcome"] for row in rows(replay, "smoke_members")} == {"broken", "expired"}
    assert len({row["breaker_player"] for row in rows(replay, "smoke_members")}) > 1
    results = [[row["tick"], row["kills"], row["deaths"]] for row in rows(replay, "smoke_uses")]
    assert results == story["smoke_results"]


def test_official_result(replay: Any, story: dict[str, Any]) -> None:
    official, match = story["official"], rows(replay, "match")[0]
    assert match["official_duration_seconds"] == official["duration"]
    assert match["first_blood_seconds"] == official["first_blood"]
    assert match["pre_game_seconds"] == official["pre_game"]
    assert (match["radiant_score"], match["dire_score"]) == (official["radiant_score"], official["dire_score"])
    kinds = ("radiant_tower", "dire_tower", "radiant_barracks", "dire_barracks")
    assert [match[f"{kind}_status"] for kind in kinds] == story["tower_status"]
    for row, truth in zip(rows(replay, "player_stats"), official["players"], strict=True):
        names = {name: name if name == "player" else f"official_{name}" for name in truth}
        assert {name: row[column] for name, column in names.items()} == truth


def test_connections_and_neutral_items(replay: Any, story: dict[str, Any]) -> None:
    found = [[row["tick"], row["player"], row["event"].removesuffix("ed")] for row in rows(replay, "connections")]
    assert found == story["connection"]
    if "enhancements" in story:
        enhancements = [row["enhancement"] for row in rows(replay, "neutral_finds")]
        assert enhancements == story["enhancements"]
    finds = [
        [row["tick"], row["player"], row["item_id"], row["tier"], row["item"].removeprefix("item_")]
        for row in rows(replay, "neutral_finds")
    ]
    assert finds == story["neutral_finds"]


def test_lanes(replay: Any, story: dict[str, Any]) -> None:
    lanes = rows(replay, "lanes")
    found = [{"lane": row["lane_id"], "lane_role": row["role_id"], "is_roaming": row["roaming"]} for row in lanes]
    assert found == story["lanes"]
    positions = story.get("positions") or [None] * 10  # the match of the corpus is shorter than 12 minutes
    assert [row["position"] for row in lanes] == positions
    truth = next(minute for minute in story["minutes"] if minute["minute"] == 10)
    assert [row["gold_earned"] for row in lanes] == [each["gold_earned"] for each in truth["players"]]
    assert [row["lane_efficiency"] * 4948 for row in lanes] == pytest.approx([row["gold_earned"] for row in lanes])
    until = truth["tick"]
    dead = [sum(tick <= until and victim == player for tick, victim, _ in story["deaths"]) for player in range(10)]
    killed = [
        sum(tick <= until and killer == player for tick, _, killer in story["deaths"]) for player in range(10)
    ]
    assert [(row["kills"], row["deaths"]) for row in lanes] == list(zip(killed, dead, strict=True))
    for row in lanes:
        gold = [0, 0]
        for each in lanes:
            if each["lane"] == row["lane"] and not each["roaming"]:
                side = int(each["team"] != row["team"])
                gold[side] = max(gold[side], each["gold_earned"])
        lead = gold[0] - gold[1]
        told = "draw" if abs(lead) <= 350 else "won" if lead > 0 else "lost"
        assert row["lane_outcome"] == (told if row["opponent_players"] else None)


def test_clones_and_illusions_are_not_the_hero(told: Told, replay: Any) -> None:
    found = playhead.open(told.path).table("positions", every="60s").to_pylist()
    for tick in {row["tick"] for row in found}:
        mains = [row["player"] for row in found if row["tick"] == tick and row["main"]]
        assert sorted(mains) == list(range(10))
    if "dead_exact" in told.story:  # the written match has a clone of player 5 and an illusion of player 0
        heroes = [row for row in found if row["entity_class"] != "CDOTA_Unit_Courier"]
        assert {row["player"] for row in heroes if not row["main"]} == {0, 5}
        seen = rows(replay, "visibility")
        assert {row["player"] for row in seen if not row["main"]} == {0, 5}


def test_pauses_are_marked(replay: Any, story: dict[str, Any]) -> None:
    spans = story["pauses"]
    for name in ("player_series", "positions"):
        for row in rows(replay, name):
            assert row["paused"] == any(begin <= row["tick"] < end for begin, end in spans)


def test_fallen_buildings_have_owner_and_killer(replay: Any) -> None:
    fallen = [row for row in rows(replay, "objective_events") if row["event"] == "structure_destroyed"]
    events = list(replay.events("structure_destroyed"))
    buildings = {row["entity_name"]: row for row in rows(replay, "structures") if row["end_tick"] is not None}
    assert len(fallen) == len(events) == len(buildings)
    for row, event in zip(fallen, events, strict=True):
        building = buildings[row["entity_name"]]
        assert row["owner_team"] == event.team == building["team"]
        assert row["team"] == event.payload.get("attacker_team") == building["attacker_team"]
        assert row["player"] == event.player == building["attacker_player"]


@pytest.fixture(scope="module")
def theirs(told: Told, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The written match as gem-dota reads it."""
    if told.path.suffix != ".dem":
        pytest.skip("tests/dota2/test_opendota.py compares the match of the corpus")
    gem = pytest.importorskip("gem", reason="gem-dota is not installed: nothing to compare with")
    return gem.parse(str(told.path))


@pytest.mark.long
def test_gem_finds_the_same_story(theirs: Any, story: dict[str, Any]) -> None:
    for player, truth in zip(theirs.players, story["totals"], strict=True):
        # gem counts deaths from which a hero comes back, not illusions'.
        for name in set(KEYS) - {"killed", "killed_by"}:
            assert dict(getattr(player, name)) == truth[name], name
        revived = Counter(story["heroes"][by] for _, who, by in story["revivals"] if who == player.player_id)
        assert Counter(player.killed_by) - revived == Counter(truth["killed_by"])
        assert player.stuns_dealt == pytest.approx(truth["stuns_dealt"], abs=0.01)
    found = sorted(
        [each.tick, player.player_id, each.cost] for player in theirs.players for each in player.buybacks
    )
    assert found == sorted(story["buybacks"])
    stacks = [(each.tick, str(each.player_id), each.creeps_before) for each in theirs.camp_stacks]
    assert sorted(stacks) == sorted((tick, str(player), before) for tick, player, before in story["stacks"])
    creeps = [
        (each.spawned_tick, str(each.died_tick), str(each.killer_player_id)) for each in theirs.neutral_creeps
    ]
    assert sorted(creeps) == sorted((came, str(died), str(killer)) for _, came, died, killer in story["creeps"])
    words = {"visible": True, "hidden": False}
    seen = [
        [max(0, each.tick), each.player_id, words[each.radiant_state.value], words[each.dire_state.value]]
        for each in theirs.hero_visibility_events
    ]
    assert sorted(seen) == sorted(story["visibility"])
    smokes = [
        [each.tick, [[member.hero_name, member.applied_tick, member.removed_tick] for member in each.participants]]
        for each in theirs.smoke_events
    ]
    assert smokes == story["members"]
    ends = {"expired": "expires_tick", "killed": "killed_tick", "denied": "killed_tick", None: "expires_tick"}
    wards = [[each.tick, each.ward_type, each.player_id] for each in theirs.wards]
    assert wards == [row[:3] for row in story["wards"]]
    for each, (*_, lasted, outcome, _killer, _seen) in zip(theirs.wards, story["wards"], strict=True):
        end = getattr(each, ends[outcome])
        assert (end is None) == (lasted is None)
    assert [each.tick for each in theirs.banner_plants] == [tick for tick, *_ in story["banner"]]
    # gem omits what a summon heals, and has a fight for the death from which a hero comes back.
    revivals = {tick for tick, *_ in story["revivals"]}
    healed = {
        (number, each.player_id): each.healing
        for number, fight in enumerate(each for each in theirs.fights if each.first_death_tick not in revivals)
        for each in fight.players
        if each.healing
    }
    told: Counter[tuple[int, int]] = Counter()
    for fight, player, value in story["heals"]:
        told[fight, player] += value if player else 0
    assert healed == +told
    masks = [f"{kind}_status_{side}" for kind in ("tower", "barracks") for side in ("radiant", "dire")]
    assert [getattr(theirs, mask) for mask in masks] == story["tower_status"]
    finds = [
        [each.tick, each.player_id, each.item_ability_id, each.item_tier] for each in theirs.neutral_item_finds
    ]
    assert finds == [row[:4] for row in story["neutral_finds"]]
    lanes = [
        {"lane": each.lane, "lane_role": each.lane_role, "is_roaming": each.is_roaming} for each in theirs.players
    ]
    assert lanes == story["lanes"]


def test_a_short_match(tmp_path: Path) -> None:
    (path,) = write_sample(tmp_path, 2)
    story = json.loads(path.with_suffix(".json").read_text())
    replay = playhead.open(path)
    minutes = replay.table("player_series", clock="game", every="60s")["game_seconds"].unique().to_pylist()
    assert minutes == [0, 60, 120]
    assert [[row["tick"], row["victim_player"], row["attacker_player"]] for row in rows(replay, "kills")] == story[
        "deaths"
    ]
    assert replay.problems == ()


def test_a_recording_that_begins_late_has_later_minutes(told: Told, story: dict[str, Any], tmp_path: Path) -> None:
    cut = tmp_path / "late.dem"
    first = story["minutes"][4]["tick"] + 300
    playhead.open(told.path).write_slice(cut, first, story["end"])
    minutes = rows(playhead.open(cut), "player_series", clock="game", every="1 min")
    assert [row["game_seconds"] // 60 for row in minutes if row["player"] == 0] == list(
        range(5, len(story["minutes"]))
    )
    truth = [minute["players"][3]["gold_earned"] for minute in story["minutes"][5:]]
    assert [row["gold_earned"] for row in minutes if row["player"] == 3] == truth


def test_lanes_up_to_any_time(replay: Any, story: dict[str, Any]) -> None:
    series = {(row["player"], row["tick"]): row for row in rows(replay, "player_series")}
    for row in rows(replay, "lanes", until="7:30"):
        assert row["game_seconds"] == 450.0
        at = max(tick for player, tick in series if player == row["player"] and tick <= row["tick"])
        assert row["gold_earned"] == series[row["player"], at]["gold_earned"]
    five = next(minute for minute in story["minutes"] if minute["minute"] == 5)
    found = [row["net_worth"] for row in rows(replay, "lanes", until="5:00")]
    assert found == [player["net_worth"] for player in five["players"]]
    assert {row["tick"] for row in rows(replay, "lanes", until="59:59")} == {None}
