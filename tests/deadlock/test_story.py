"""The written match: the tables have what its writer knows, and boon finds the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.deadlock.story import Row, Told, picked
from tests.samples.source2.deadlock import names
from tests.samples.source2.deadlock.recording import WrittenMatch

import playhead
from playhead.deadlock.facts import TABLES
from playhead.deadlock.replay import DeadlockReplay
from playhead.deadlock.sources.names import HEROES
from playhead.events import players_of
from playhead.source2.facts.hashed_names import name_hash

pytestmark = pytest.mark.one_of("told")

Boon = Callable[..., dict[str, list[Row]]]


def same_hero(hero: int | None, player: int | None) -> bool:
    """Return whether a player has a hero at some tick: boon names one hero of a player for the whole match."""
    swapped, after = names.SWAP
    if player is None:
        return not hero
    return hero == names.HEROES[player] or (player == swapped and hero == after)


def test_the_bytes_are_always_the_same() -> None:
    assert WrittenMatch(0.5).demo() == WrittenMatch(0.5).demo()


@pytest.mark.long
def test_all_checks_pass_and_nothing_is_lost(told: Told) -> None:
    told.replay.read_tables()
    assert told.replay.problems == ()
    assert all(check.failed == 0 for check in told.replay.verify())


def test_kills(told: Told) -> None:
    story = told.story("kills")
    columns = (
        "tick victim_player attacker_player victim_hero_id attacker_hero_id assister_players known_by streak "
    )
    columns += "victim_x victim_y attacker_x attacker_y"
    ours = told.ours("kills")
    assert picked(ours, columns) == picked(story, columns)
    assert {row["known_by"] for row in story} == {"both", "message", "event"}
    assert [row["first_blood"] for row in ours] == [True] + [False] * (len(story) - 1)
    assert all(row["respawn_seconds"] == pytest.approx(10.0, abs=1e-4) for row in ours)
    assert all(row["seen_dead"] for row in ours)
    assert all(row["victim_hero"] == HEROES[row["victim_hero_id"]] for row in ours)


def test_every_message_and_event_of_a_death_is_in_kills(told: Told) -> None:
    """boon reads the message alone, so it lacks the deaths that only the game event reports."""
    messages, events = told.replay.table("messages"), told.replay.table("game_events")
    for listed, name, known_by in (
        (messages["message"], "k_EUserMsg_HeroKilled", "message"),
        (events["event"], "player_death", "event"),
    ):
        expected = sum(row["known_by"] in (known_by, "both") for row in told.ours("kills"))
        assert listed.to_pylist().count(name) == expected


@pytest.mark.long
def test_kills_with_a_message_are_those_of_boon(told: Told, boon_of: Boon) -> None:
    told_rows = [row for row in told.story("kills") if row["known_by"] != "event"]
    theirs = boon_of("kills")["kills"]
    assert len(theirs) == len(told_rows) > 5
    for row, other in zip(told_rows, theirs, strict=True):
        assert row["tick"] == other["tick"]
        assert same_hero(other["victim_hero_id"], row["victim_player"])
        assert same_hero(other["attacker_hero_id"], row["attacker_player"])
        helpers = zip(other["assister_hero_ids"], row["assister_players"], strict=True)
        assert all(same_hero(hero, player) for hero, player in helpers)


def test_a_player_has_the_new_hero_right_after_the_swap(told: Told) -> None:
    (swap,) = told.story("swaps")
    series = told.ours("player_series", every="2t", columns=["tick", "player", "hero_id"])
    rows = [row for row in series if row["player"] == swap["player"]]
    assert {row["hero_id"] for row in rows if row["tick"] < swap["tick"]} == {swap["before_hero_id"]}
    assert {row["hero_id"] for row in rows if row["tick"] >= swap["tick"]} == {swap["hero_id"]}


def test_damage(told: Told) -> None:
    ours, story = told.ours("damage"), told.story("damage")
    columns = "tick attacker_player victim_entity damage victim_health melee_type"
    assert picked(ours, columns) == picked(story, columns)
    assert {row["victim_kind"] for row in ours} == {"hero", "neutral", "structure"}
    assert {row["melee_type"] for row in ours} == {"light", "heavy", None}
    assert {(row["hitgroup_id"], row["hitgroup"]) for row in ours} == {(1, "head"), (2, "chest")}
    assert all(row["ability"] == names.WEAPON for row in ours)
    assert {row["damage_absorbed"] for row in ours} == {1.5 if told.new else 1.0}
    assert {row["server_tick"] is None for row in ours} == {not told.new}


def test_damage_is_that_of_boon(told: Told, boon_of: Boon) -> None:
    theirs = boon_of("damage")["damage"]
    ours = told.ours("damage")
    pairs = {
        "tick": "tick",
        "damage": "damage",
        "pre_damage": "pre_damage",
        "victim_entity_id": "victim_entity",
        "victim_health_new": "victim_health",
        "hitgroup_id": "hitgroup_id",
        "crit_damage": "crit_damage",
        "ability_id": "ability_id",
        "damage_type": "damage_bits",
        "citadel_type": "damage_type_id",
        "damage_flags": "damage_flags",
        "is_melee": "is_melee",
        "damage_absorbed": "damage_absorbed",
    }
    assert picked(ours, " ".join(pairs.values())) == picked(theirs, " ".join(pairs))
    assert all(same_hero(b["attacker_hero_id"], a["attacker_player"]) for a, b in zip(ours, theirs, strict=True))
    swapped = {} if told.new else {"light": "heavy", "heavy": "light"}  # by boon 0.10
    assert [row["melee_type"] for row in ours] == [swapped.get(x := row["melee_type"], x) for row in theirs]


CHANGES = {0: "purchase", 1: "upgrade", 2: "sale", 3: "swap", 5: "failure"}
BOON = {"purchased": 0, "upgraded": 1, "sold": 2, "swapped": 3, "failure": 4}


def change_word(told: Told, change: int) -> str:
    """Return the word of a change; 4 depends on the client, which is 6720 after the update."""
    return CHANGES.get(change, "level_up" if told.new else "failure")


def test_purchases(told: Told) -> None:
    ours, story = told.ours("item_events"), told.story("item_events")
    columns = "tick player item souls_before souls_after hero_id cost"
    assert picked(ours, columns) == picked(story, columns)
    assert [row["change"] for row in ours] == [change_word(told, row["change_id"]) for row in story]
    assert {row["change_id"] for row in ours} == set(range(6 if told.new else 5))


def test_purchases_are_those_of_boon(told: Told, boon_of: Boon) -> None:
    if told.new:
        pytest.skip("boon 0.19 downloads a catalogue for its purchases")
    theirs = boon_of("item_purchases")["item_purchases"]
    story = told.story("item_events")
    assert [(row["tick"], row["ability_id"], BOON[row["change"]]) for row in theirs] == [
        (row["tick"], name_hash(row["item"]), row["change_id"]) for row in story
    ]
    assert all(same_hero(b["hero_id"], a["player"]) for a, b in zip(story, theirs, strict=True))


def test_structures_fall_to_the_end(told: Told) -> None:
    changes = [row for row in told.ours("structure_series") if row["tick"] > 0]
    columns = "tick kind entity team lane_id health phase_id x y"
    assert picked(changes, columns) == picked(told.story("structure_series"), columns)
    told_falls = [row for row in told.story("structure_series") if row.get("destroyed")]
    assert [row["tick"] for row in changes if row["destroyed"]] == [row["tick"] for row in told_falls]
    structures = told.ours("structures")
    assert len(structures) == len({row["entity_serial"] for row in structures}) == 26
    falls = sorted((row for row in structures if row["end_tick"]), key=lambda row: row["end_tick"])
    assert picked(falls, "end_tick entity attacker_player") == picked(told_falls, "tick entity attacker_player")
    assert falls[-1]["kind"] == "patron"
    assert {row["health"] == 0 for row in falls} == {True}
    (match,) = told.ours("match")
    (end,) = told.story("match")
    assert picked([match], "winner_team winner_side end_tick tick") == [(2, "hidden_king", end["end_tick"], 600)]
    assert {(row["result"], row["side"]) for row in told.ours("player_stats")} == {
        ("win", "hidden_king"),
        ("loss", "archmother"),
    }
    assert tuple(match["banned_hero_ids"]) == names.BANNED


def test_structures_are_those_of_boon(told: Told, boon_of: Boon) -> None:
    theirs = [row for row in boon_of("objectives")["objectives"] if row["objective_type"] != "mid_boss"]
    kinds = {"walker", "shrine", "patron"} | ({"barracks"} if told.new else set())
    ours = [row for row in told.ours("structure_series") if row["kind"] in kinds]
    assert sorted(picked(ours, "tick entity kind team lane_id health max_health phase_id x y z")) == sorted(
        picked(theirs, "tick entity_id objective_type team_num lane health max_health phase x y z")
    )


def test_the_pause_stops_the_clock(told: Told) -> None:
    periods = told.ours("periods")
    assert [row["kind"] for row in periods] == ["pre_game", "game", "pause", "post_game"]
    pause, (known,) = periods[2], told.story("periods")
    assert (pause["tick"], pause["end_tick"], pause["by_team"]) == (known["tick"], known["end_tick"], 2)
    clock = told.replay.clock
    assert clock is not None
    assert clock.displayed_seconds(pause["end_tick"]) == pytest.approx(clock.displayed_seconds(pause["tick"]))
    (end,) = told.story("match")
    assert clock.displayed_seconds(end["end_tick"]) == pytest.approx(end["game_seconds"])


def test_players_are_those_of_boon_at_every_tick(told: Told, boon_of: Boon) -> None:
    theirs = boon_of("player_ticks")["player_ticks"]
    pairs: dict[str, Any] = {
        **{name: name for name in "tick x y z yaw pitch health max_health souls spent_souls".split()},
        **{name: name for name in "level kills deaths assists last_hits denies".split()},
        **{name: name for name in "hero_damage kill_streak in_item_shop has_rejuvenator".split()},
        "is_alive": "alive",
        "gold_net_worth": "net_worth",
        "lifestate": "life_state_id",
    }
    ours = told.ours("player_series", every=1)
    ticks = {row["tick"] for row in theirs}
    kept = [row for row in ours if row["tick"] in ticks]
    wanted = [tuple(row[name] or 0 for name in pairs) for row in theirs]
    assert sorted(tuple(row[name] or 0 for name in pairs.values()) for row in kept) == sorted(wanted)
    assert len(wanted) > 100_000


def test_every_table_can_be_filled(told: Told) -> None:
    assert [name for name in told.replay.unfilled if "." not in name] == []
    empty = [name for name, table in told.replay.read_tables(sorted(TABLES.own())).items() if not table.num_rows]
    assert empty == []


def test_a_cut_recording_says_that_it_has_no_summary(told: Told, tmp_path: Path) -> None:
    cut = tmp_path / "cut.dem"
    cut.write_bytes(told.path.read_bytes()[:1_000_000])
    replay = playhead.open(cut)
    assert isinstance(replay, DeadlockReplay)
    assert "PostMatchDetails" in replay.unfilled["post_match"]


def test_rows_at_some_ticks_with_raw_fields(told: Told) -> None:
    rows = told.ours("player_series", ticks=[900, 1800, 901], raw=["m_lifeState", "m_nLevel"])
    assert [row["tick"] for row in rows] == [900] * 12 + [901] * 12 + [1800] * 12
    assert {(row["m_lifeState"], row["life_state_id"]) for row in rows} == {(0, 0), (1, 1)}
    every = [row for row in told.ours("player_series", every="900t") if row["tick"] in (900, 1800)]
    assert picked([row for row in rows if row["tick"] != 901], "tick player x y souls") == picked(
        every, "tick player x y souls"
    )


def test_rows_at_minutes_of_the_games_clock(told: Told) -> None:
    rows = told.ours("player_series", every="1 minute", clock="game", columns=["tick", "player", "game_seconds"])
    shown = [row["game_seconds"] for row in rows if row["player"] == 0]
    assert shown == pytest.approx([60.0 * minute for minute in range(len(shown))], abs=1e-4)
    assert len(shown) > 4
    assert rows[0]["tick"] == 600
    with pytest.raises(ValueError, match="expected clock='recording' or clock='game'"):
        told.replay.table("player_series", clock="wall")


def test_an_unknown_field_is_refused_before_the_recording_is_played(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playhead.source2.replay.Source2Replay.play_for", None)
    for raw in ("m_nLevl", ["m_lifeState", "m_nLevl"]):
        with pytest.raises(KeyError, match="has a field 'm_nLevl'"):
            told.replay.table("player_series", every="2s", raw=raw)


def test_the_state_at_a_moment(told: Told) -> None:
    (death, *_) = told.story("kills")
    world = told.replay.at(death["tick"] + 2)
    by_player = {row["player"]: row for row in world.players}
    assert by_player[death["victim_player"]]["alive"] is False
    assert by_player[death["attacker_player"]]["kills"] == 1
    assert told.replay.at("1:00").tick == 600 + 3600


def test_events_are_the_rows_of_the_tables(told: Told) -> None:
    kinds = {
        "player_killed": "kills",
        "ability_used": "ability_uses",
        "boss_killed": "bosses",
        "ability_upgraded": "ability_upgrades",
        "fight_started": "fights",
        "rift_opened": "rift",
        "breakable_broken": "breakables",
        "flex_slot_unlocked": "flex_slots",
    }
    found: dict[str, int] = {}
    for event in told.replay.events(*kinds):
        found[event.kind] = found.get(event.kind, 0) + 1
    assert found == {kind: told.replay.table(table).num_rows for kind, table in kinds.items()}
    fell = [event.tick for event in told.replay.events("structure_destroyed")]
    assert fell == [row["tick"] for row in told.story("structure_series") if row.get("destroyed")]
    told_items = [row["change_id"] for row in told.story("item_events")]
    for kind, change in (("item_bought", 0), ("item_upgraded", 1), ("item_sold", 2)):
        assert len(list(told.replay.events(kind))) == told_items.count(change)
    urn = [(event.tick, event.kind) for event in told.replay.events("urn_*")]
    assert sorted(urn) == sorted((row["tick"], f"urn_{row['event']}") for row in told.story("urn"))
    helped = {player for event in told.replay.events("player_killed") for player in players_of(event)}
    assert {player for row in told.story("kills") for player in row["assister_players"]} <= helped
