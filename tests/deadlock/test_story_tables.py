"""The written match: abilities, items, modifiers, and what happens on the map, as told and as boon has it."""

from __future__ import annotations

import gc
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.deadlock.story import Row, Told, picked
from tests.deadlock.test_story import same_hero
from tests.samples.source2.deadlock import names

import playhead
from playhead.deadlock.facts import player_series
from playhead.deadlock.sources.names import name_hash
from playhead.source2.playback.playback import Playback

Boon = Callable[..., dict[str, list[Row]]]


def test_ability_uses(told: Told, boon_of: Boon) -> None:
    assert picked(told.ours("ability_uses"), "tick player ability known_by") == picked(
        told.story("ability_uses"), "tick player ability known_by"
    )
    sent = [row for row in told.story("ability_uses") if row["known_by"] != "event"]
    theirs = boon_of("abilities")["abilities"]
    assert picked(theirs, "tick ability") == picked(sent, "tick ability")


def test_ability_upgrades(told: Told, boon_of: Boon) -> None:
    ours, story = told.ours("ability_upgrades"), told.story("ability_upgrades")
    columns = "tick player ability ability_level"
    assert picked(ours, columns) == picked(story, columns)
    theirs = boon_of("ability_upgrades")["ability_upgrades"]
    assert picked(theirs, "tick ability_id tier") == [
        (row["tick"], row["ability_id"], row["ability_level"] - 1) for row in ours
    ]


def test_ability_states(told: Told, boon_of: Boon) -> None:
    ours = told.ours("ability_states")
    changes = [row for row in ours if row["tick"] > 0]
    wanted = "tick player ability slot cooldown_start_server_seconds cooldown_end_server_seconds"
    rows = [tuple(map(pytest.approx, values[4:])) for values in picked(told.story("ability_uses"), wanted)]
    assert picked(changes, "tick player ability slot") == picked(
        told.story("ability_uses"), "tick player ability slot"
    )
    assert picked(changes, "cooldown_start_server_seconds cooldown_end_server_seconds") == rows
    theirs = boon_of("ability_ticks")["ability_ticks"]
    if told.new:  # boon 0.19 has a row at each full packet too
        theirs = [row for row in theirs if row["tick"] % 3600 or not row["tick"]]
    # boon 0.10 reads EAbilitySlots_t as an unsigned number.
    same = "tick ability_id {0}start{1} {0}end{1} remaining_charges"
    assert sorted(picked(theirs, same.format("cooldown_", ""))) == sorted(
        picked(ours, same.format("cooldown_", "_server_seconds"))
    )
    assert {(row["ability_id"], row["slot"]) for row in theirs} == {
        (row["ability_id"], 2 * row["slot"]) for row in ours
    }


def test_items_are_held_from_purchase_to_sale(told: Told) -> None:
    held: dict[tuple[int, str], Row] = {}
    expected = []
    for row in told.story("item_events"):
        gone = [row["item"]] if row["change_id"] == 2 else row.get("upgraded_from", [])
        for item in gone:
            held.pop((row["player"], item))["end_tick"] = row["tick"]
        if row["change_id"] < 2:
            expected.append({"tick": row["tick"], "player": row["player"], "item": row["item"]})
            held[row["player"], row["item"]] = expected[-1]
    assert picked(told.ours("items_held"), "tick player item end_tick") == picked(
        expected, "tick player item end_tick"
    )
    upgraded = [row["upgraded_from"] for row in told.ours("item_events") if row["change"] == "upgrade"]
    assert upgraded == [row["upgraded_from"] for row in told.story("item_events") if row["change_id"] == 1]


def test_states_change_by_number(told: Told) -> None:
    ours, story = told.ours("player_states"), told.story("player_states")
    assert [row for row in ours if row["tick"] == 0] == ours[:12]
    assert {(*row["state_ids"], *row["enabled_state_ids"], *row["disabled_state_ids"]) for row in ours[:12]} == {
        ()
    }
    columns = ["m_bvEnabledPredictedStateMask", "m_bvEnabledStateMask", "m_bvDisabledStateMask"]
    assert picked(ours[12:], "tick player state_ids enabled_state_ids disabled_state_ids") == [
        (row["tick"], row["player"], *(list(row.get(mask, ())) for mask in columns)) for row in story
    ]


def test_imbues_last_until_the_next(told: Told) -> None:
    columns = "tick end_tick player item ability"
    assert any(row["end_tick"] for row in told.ours("imbues"))
    assert picked(told.ours("imbues"), columns) == picked(told.story("imbues"), columns)


_CATALOGUE = """
import json, sys
from boon import Demo
demo, folder, ticks = Demo(sys.argv[1], preload=False), sys.argv[2], json.loads(sys.argv[3])
states = demo._player_states(directory=folder, ticks=ticks)
print(json.dumps([states.to_dicts(), json.loads(demo._imbues(folder, ticks))["bindings"]]))
"""


def test_states_and_imbues_are_those_of_boon(told: Told, tmp_path: Path) -> None:
    """boon names states by a catalogue that it downloads: here by one that names each bit by its number."""
    python = os.environ.get("PLAYHEAD_BOON_NEW")
    if not told.new or not python:
        pytest.skip("only boon 0.19 reads states and imbues (set PLAYHEAD_BOON_NEW to its Python)")
    known: Row = {"source_commit": "0", "client_version": "6720", "records": [], "indexes": {"by_id": {}}}
    known["indexes"] |= {name: {} for name in ("by_name", "by_key", "by_qualified_id", "by_qualified_name")}
    known["modifier_states"] = {str(number): f"MODIFIER_STATE_{number:03}" for number in range(224)}
    known |= {name: {} for name in ("modifier_value_types", "scaling_class_defaults", "generic_data")}
    known |= {"engine_modifier_names": {"records": []}, "schema_version": 2}
    for name in ("abilities", "heroes", "misc", "modifiers"):
        (tmp_path / f"{name}.json").write_text(json.dumps(known | {"catalog": name}))
    mine, imbues = told.ours("player_states"), told.ours("imbues")
    ticks = sorted({row["tick"] for row in (*mine, *imbues) if row["tick"]})
    asked = [python, "-c", _CATALOGUE, told.path, str(tmp_path), json.dumps(ticks)]
    run = subprocess.run(asked, capture_output=True, text=True, check=True)
    states, bindings = json.loads(run.stdout)
    held = {(tick, row["steam_id"] - names.FIRST_ACCOUNT): row for row in states for tick in [row["tick"]]}
    for row in mine:
        if row["tick"]:
            theirs = held[row["tick"], row["player"]]
            for name in ("states", "enabled_states", "disabled_states"):
                assert [int(word) for word in theirs[name]] == row[name.replace("states", "state_ids")]
    expected = {
        (tick, row["player"], row["item_id"], row["ability_id"])
        for row in imbues
        for tick in ticks
        if row["tick"] <= tick < (row["end_tick"] or tick + 1)
    }
    found = {
        (row["tick"], row["steam_id"] - names.FIRST_ACCOUNT, row["item_id"], row["ability_id"]) for row in bindings
    }
    assert found == expected


def test_stat_bonuses(told: Told, boon_of: Boon) -> None:
    ours, story = told.ours("stat_bonuses"), told.story("stat_bonuses")
    assert picked(ours, "tick player stat amount") == picked(story, "tick player stat amount")
    if not told.new:
        theirs = boon_of("stat_modifier_events")["stat_modifier_events"]
        assert picked(theirs, "tick stat_type amount") == picked(ours, "tick stat amount")


def test_modifiers(told: Told, boon_of: Boon) -> None:
    ours = [row for row in told.ours("modifiers") if row["modifier_id"] == name_hash(names.MODIFIER)]
    story = told.story("modifiers")
    assert picked(ours, "tick end_tick player caster_player ability most_stacks") == picked(
        story, "tick end_tick player caster_player ability stacks"
    )
    assert {row["duration_seconds"] for row in ours} == {10.0}
    if told.new:
        return
    # boon repeats modifiers that have ended at each full packet, whose string table still has their entries.
    first: dict[tuple[int, str], Row] = {}
    for row in boon_of("active_modifiers")["active_modifiers"]:
        if row["modifier_id"] == name_hash(names.MODIFIER):
            first.setdefault((row["serial"], row["event"]), row)
    applied = [row for (_, event), row in first.items() if event == "applied"]
    removed = [row for (_, event), row in first.items() if event == "removed"]
    assert picked(applied, "tick ability_id") == picked(ours, "tick ability_id")
    assert picked(removed, "tick stacks") == picked(ours, "end_tick stacks")


def test_urn(told: Told, boon_of: Boon) -> None:
    ours = told.ours("urn")
    story = sorted(told.story("urn"), key=lambda row: row["tick"])
    columns = "tick event player delivery_team x y"
    assert picked(ours, columns) == picked(story, columns)
    if not told.new:
        ticks = {row["tick"] for row in ours}
        words = {"delivery_active": "delivery_opened", "delivery_inactive": "delivery_closed"}
        rows = (row for row in boon_of("urn")["urn"] if row["tick"] in ticks)
        theirs = {(row["tick"], words.get(row["event"], row["event"])) for row in rows}
        assert theirs == {(row["tick"], row["event"]) for row in ours}


def test_mid_boss(told: Told, boon_of: Boon) -> None:
    theirs = boon_of("mid_boss")["mid_boss"]
    story = told.story("bosses")
    assert picked(theirs, "tick team_num event") == picked(story, "tick team event")
    events = []
    for row in told.ours("bosses"):
        events += [(row["tick"], "spawned"), (row["end_tick"], "killed"), (row["taken_tick"], "picked_up")]
        events.append((row["rejuvenator_end_tick"], row["rejuvenator_outcome"]))
        assert (row["by_team"], row["taker_team"], row["attacker_team"]) == (2, 2, 2)
    assert events == picked(story, "tick event")
    taken = [row["player"] for row in story if row["event"] == "picked_up"]
    assert [row["taker_player"] for row in told.ours("bosses")] == taken
    assert {event for _, event in events} >= {"used", "expired"}


def test_events_of_the_mid_boss(told: Told) -> None:
    told_events = [{"player": None, **row, "team": row["team"] or None} for row in told.story("bosses")]
    assert {row["event"] for row in told_events} == {"spawned", "killed", "picked_up", "used", "expired"}
    mine = told.ours("boss_events")
    assert picked(mine, "tick event team player") == picked(told_events, "tick event team player")
    lives = {row["tick"]: row["number"] for row in told.ours("bosses")}
    assert [row["number"] for row in mine if row["event"] == "spawned"] == list(lives.values())


def test_rift(told: Told, boon_of: Boon) -> None:
    columns = "announced_tick opened_tick end_tick outcome winner_team x y"
    ours = told.ours("rift")
    assert picked(ours, columns) == picked(told.story("rift"), columns)
    assert {row["outcome"] for row in ours} == {"captured", "expired"}
    for row, other in zip(ours, boon_of("rift")["rift"], strict=True):
        is_captured = row["outcome"] == "captured"
        assert (row["announced_tick"], row["opened_tick"]) == (other["announce_tick"], other["active_tick"])
        assert row["end_tick"] == other["capture_tick" if is_captured else "expire_tick"]
        assert picked([row], "winner_team x y") == picked([other], "winning_team x y")


def test_flex_slots(told: Told, boon_of: Boon) -> None:
    assert picked(told.ours("flex_slots"), "tick team") == picked(told.story("flex_slots"), "tick team")
    assert picked(boon_of("flex_slots")["flex_slots"], "tick team_num") == picked(
        told.story("flex_slots"), "tick team"
    )


def test_breakables(told: Told) -> None:
    ours = told.ours("breakables")
    assert picked(ours, "tick entity x") == picked(told.story("breakables"), "tick entity x")
    assert {(row["unit_type"], row["broken"]) for row in ours} == {(names.CRATE, True)}
    standing = told.ours("breakables", every="60s")
    first = [row for row in standing if row["tick"] == 0]
    last = max(row["tick"] for row in standing)
    assert len(first) == 20
    assert len(first) - sum(row["tick"] == last for row in standing) == sum(row["tick"] <= last for row in ours)


def test_troopers_are_those_of_boon(told: Told, boon_of: Boon) -> None:
    theirs = [row for row in boon_of("troopers")["troopers"] if row["tick"] % 600 == 0]
    ours = told.ours("trooper_series", every="600 ticks")
    kept = [row for row in theirs if row["trooper_type"] == "trooper" and row["health"]]
    assert sorted(picked(ours, "tick entity team lane_id health max_health x y z")) == sorted(
        picked(kept, "tick entity_id team_num lane health max_health x y z")
    )
    assert {row["unit_type"] for row in ours} == {names.TROOPER}


def test_neutrals_die(told: Told, boon_of: Boon) -> None:
    hits = [row for row in told.ours("damage") if row["victim_entity_class"] == "CNPC_TrooperNeutral"]
    assert picked(hits, "tick victim_entity attacker_player") == picked(
        told.story("neutrals"), "tick entity attacker_player"
    )
    at_zero = [row for row in told.ours("neutral_series", every="600 ticks") if row["tick"] == 0]
    theirs = [row for row in boon_of("neutrals")["neutrals"] if row["tick"] == 0]
    assert picked(at_zero, "entity team health x y z") == picked(theirs, "entity_id team_num health x y z")


def test_ziplines_change_hands(told: Told) -> None:
    changes = [row for row in told.ours("ziplines") if row["tick"] > 0]
    assert picked(changes, "tick entity team") == picked(told.story("ziplines"), "tick entity team")


def test_chat_and_pings(told: Told, boon_of: Boon) -> None:
    story = told.story("chat")
    ours = told.ours("chat")
    assert picked(ours, "tick player text") == picked(story, "tick player text")
    assert [row["channel"] == "all" for row in ours] == [row["everybody"] for row in story]
    assert [(row["hero_id"], row["team"]) for row in ours] == [
        (told.match.field.fighters[row["player"]].hero, names.side(row["player"])) for row in ours
    ]
    assert picked(boon_of("chat")["chat"], "tick text") == picked(story, "tick text")
    assert picked(told.ours("pings"), "tick player x y") == picked(told.story("pings"), "tick player x y")


def test_names_in_chat_need_no_second_pass(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[Playback] = []
    run = Playback.run
    monkeypatch.setattr(Playback, "run", lambda self: (passes.append(self), run(self)))
    rows = playhead.open(told.path).read_tables(["chat"])["chat"].to_pylist()
    assert all(row["name"] for row in rows if row["player"] is not None)
    assert len(passes) == 1


def test_commands_have_the_places_of_the_cameras(told: Told) -> None:
    rows = told.ours("inputs")
    assert len(rows) % 12 == 0
    assert {row["is_delta"] for row in rows} == ({False, True} if told.new else {False})
    assert {row["player"] for row in rows} == set(range(12))
    assert sum(row["in_shop"] for row in rows) == len(rows) // 12
    series = {(row["tick"], row["player"]): row for row in told.ours("player_series", every="60 ticks")}
    alive = [row for row in rows if series[row["tick"], row["player"]]["alive"]]
    assert all(row["camera_x"] == series[row["tick"], row["player"]]["x"] for row in alive)
    assert all(row["yaw"] == series[row["tick"], row["player"]]["yaw"] for row in alive)
    assert all(row["buttons"] == 8 for row in alive)


def test_voice(told: Told) -> None:
    (row,) = told.ours("voice")
    assert (row["tick"], row["player"], row["encoding"], row["data"]) == (900, 0, "opus", b"\x01\x02\x03")


def test_positions_are_those_of_living_heroes(told: Told) -> None:
    series = [row for row in told.ours("player_series") if row["alive"]]
    assert picked(told.ours("positions"), "tick player x y z hero") == picked(series, "tick player x y z hero")


def test_the_games_own_summary(told: Told) -> None:
    rows = told.ours("post_match")
    totals = {(row["player"], row["stat"]): row["value"] for row in rows if row["match_seconds"] is None}
    fighters = told.match.field.fighters
    assert [totals[each.player, "kills"] for each in fighters] == [each.kills for each in fighters]
    assert [totals[each.player, "deaths"] for each in fighters] == [each.deaths for each in fighters]
    souls = [row for row in rows if (row["souls_source"], row["stat"]) == ("Players", "gold")]
    assert sum(row["value"] for row in souls) == 200 * len(told.story("kills"))
    assert {row["team"] for row in rows} == {2, 3}


def test_fights_by_deaths(told: Told) -> None:
    fights, players = told.ours("fights"), told.ours("fight_players")
    kills = told.story("kills")
    assert sum(row["deaths"] for row in fights) == len(kills)
    assert sum(row["kills"] for row in players) == len(kills)
    assert sum(row["assists"] for row in players) == sum(len(row["assister_players"]) for row in kills)
    assert all(
        row["winner_team"] == (2 if row["archmother_deaths"] else 3) for row in fights if row["deaths"] == 1
    )
    few = told.ours("fights", window="1s", radius=1.0)
    assert [row["tick"] + 60 for row in few] == [row["tick"] for row in kills]


def test_fights_by_the_rule_of_boon(told: Told, boon_fights: list[Row]) -> None:
    # boon knows the heroes that players have at the end: it misses blows of a player whose hero changes later.
    player, changes = names.SWAP[0], told.story("swaps")[0]["tick"]
    fights = told.ours("fights", rule="boon")
    ours = [row for row in fights if row["tick"] > changes or player not in row["players"]]
    columns = "tick end_tick damage deaths"
    assert picked(ours, columns) == picked(boon_fights, "start_tick end_tick hero_damage kills")
    assert [len(row["players"]) for row in ours] == [row["num_participants"] for row in boon_fights]
    for row, other in zip(ours, boon_fights, strict=True):
        assert (row["x"], row["y"]) == pytest.approx((other["center_x"], other["center_y"]))
        pairs = ((hero, player) for hero in other["participants"] for player in row["players"])
        assert sum(same_hero(hero, player) for hero, player in pairs) == len(row["players"])
    assert len(ours) > 3


def test_an_unknown_rule_is_refused(told: Told) -> None:
    with pytest.raises(ValueError, match="expected rule deaths or boon"):
        told.replay.table("fights", rule="other")


@pytest.mark.long
def test_rows_in_many_parts_are_the_same(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"every": "20 ticks", "raw": ["m_nLevel", "m_flDeathTime"]}
    whole = told.replay.table("player_series", **options)
    monkeypatch.setattr(player_series, "_PART", 300)
    parts = playhead.open(told.path).table("player_series", **options)
    assert parts.column("x").num_chunks > 20
    assert parts.to_pylist() == whole.to_pylist()


@pytest.mark.slow_interpreted
def test_repeated_samples_are_those_made_anew(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    repeated = told.replay.table("player_series", every="2 ticks")
    monkeypatch.setattr(Playback, "repeat", lambda *_: None)
    assert playhead.open(told.path).table("player_series", every="2 ticks").equals(repeated)


def test_columns_of_players_are_released_at_once(told: Told) -> None:
    def living() -> int:
        return sum(type(each) is player_series.PlayerRows for each in gc.get_objects())

    gc.collect()
    before = living()
    gc.disable()  # a cycle would then stay alive
    try:
        playhead.open(told.path).read_tables(["player_series", "positions"])
        assert living() == before
    finally:
        gc.enable()
