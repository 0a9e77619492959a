"""Every key that OpenDota's API documents for a match is in the OpenDota form, or the page names it as missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.samples.dota2_match.recording import write_sample

import playhead

# Names of odota/core, svc/api/responses/MatchResponse.ts; of `purchase_…` and `stomp`, svc/util/compute.ts.
MATCH = """
match_id barracks_status_dire barracks_status_radiant chat cluster cosmetics dire_score draft_timings duration
engine first_blood_time game_mode human_players leagueid lobby_type match_seq_num negative_votes objectives
picks_bans positive_votes radiant_gold_adv radiant_score radiant_win radiant_xp_adv start_time teamfights
tower_status_dire tower_status_radiant version replay_salt series_id series_type radiant_team dire_team league
skill players patch region all_word_counts my_word_counts throw comeback loss stomp replay_url pauses
""".split()
PLAYER = """
match_id player_slot ability_upgrades_arr ability_uses ability_targets damage_targets account_id actions
additional_units assists backpack_0 backpack_1 backpack_2 buyback_log camps_stacked camps_stacked_t
connection_log creeps_stacked damage damage_inflictor damage_inflictor_received damage_taken deaths denies
dn_t gold gold_per_min gold_reasons gold_spent gold_t hero_damage hero_damage_t hero_healing hero_healing_t
hero_hits hero_id item_0 item_1 item_2 item_3 item_4 item_5 item_uses kill_streaks killed killed_by kills
kills_log deaths_log lane_pos last_hits leaver_status level lh_t life_state max_hero_hit multi_kills obs
obs_left_log obs_log obs_placed party_id permanent_buffs hero_variant pings purchase purchase_log rune_pickups
runes runes_log sen sen_left_log sen_log sen_placed stuns times tower_damage xp_per_min xp_reasons xp_t
personaname name last_login radiant_win start_time duration cluster lobby_type game_mode patch region
isRadiant win lose total_gold total_xp kills_per_min kda abandons neutral_kills tower_kills courier_kills
lane_kills hero_kills observer_kills sentry_kills roshan_kills necronomicon_kills ancient_kills buyback_count
observer_uses sentry_uses lane_efficiency lane_efficiency_pct lane lane_role is_roaming position_est
purchase_time first_purchase_time item_win item_usage purchase_tpscroll purchase_ward_observer
purchase_ward_sentry purchase_rapier purchase_gem actions_per_min life_state_dead rank_tier cosmetics
benchmarks neutral_tokens_log neutral_item_history item_neutral item_neutral2 aghanims_scepter aghanims_shard
moonshard net_worth team_number team_slot
""".split()


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    (path,) = write_sample(tmp_path_factory.mktemp("written"))
    replay = playhead.open(path)
    found: dict[str, Any] = replay.documents["opendota"].build(replay)
    return found


@pytest.fixture(scope="module")
def missing() -> tuple[set[str], set[str]]:
    """Keys of the match and of a player that the page names as missing."""
    page = (Path(__file__).parents[2] / "docs" / "dota2.md").read_text(encoding="utf-8")
    parts = (re.search(rf"^Missing {of}: (.*?)\n\n", page, re.M | re.S) for of in ("of the match", "of a player"))
    match, player = (set(re.findall(r"`(\w+)`", part[1])) for part in parts if part)
    return match, player


@pytest.mark.long
def test_each_key_is_there_or_said_to_be_missing(
    document: dict[str, Any], missing: tuple[set[str], set[str]]
) -> None:
    of_match, of_player = missing
    assert set(MATCH) - document.keys() == of_match
    for player in document["players"]:
        assert set(PLAYER) - player.keys() == of_player


def test_each_key_that_is_there_has_a_line(document: dict[str, Any]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "dota2.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", page.partition("## OpenDota's shape")[2].partition("\n## ")[0]))
    others = {key.replace("dire", "radiant") for key in document} - {"players"}
    assert others <= named
    numbers = {re.sub(r"[1-4]$", "0", key) for key in document["players"][0]} - {"backpack_1"}
    assert numbers - {"item_neutral0"} <= named


def test_what_only_the_report_has(document: dict[str, Any]) -> None:
    assert (document["lobby_type"], document["cluster"], document["human_players"]) == (7, 181, 10)
    left = [player["leaver_status"] for player in document["players"]]
    assert left == [0, 0, 0, 2, 0, 0, 0, 0, 0, 0]
    assert [player["abandons"] for player in document["players"]] == [int(status == 2) for status in left]
    assert [player["hero_variant"] for player in document["players"]] == [1 + player % 3 for player in range(10)]
    buffs = [[buff["permanent_buff"] for buff in player["permanent_buffs"]] for player in document["players"]]
    assert buffs == [[], [], [2, 12], [], [], [], [], [1], [], []]


def test_deaths_and_swings(document: dict[str, Any]) -> None:
    for player in document["players"]:
        assert len(player["deaths_log"]) == player["deaths"]
        ancients = ("npc_dota_neutral_black_dragon", "npc_dota_roshan")
        assert player["ancient_kills"] == sum(player["killed"].get(name, 0) for name in ancients)
    assert sum(player["ancient_kills"] for player in document["players"]) > 0
    leads = document["radiant_gold_adv"]
    assert document["radiant_win"] is False
    assert (document["throw"], document["loss"]) == (None, None)
    assert (document["comeback"], document["stomp"]) == (max(leads), -min(leads))
