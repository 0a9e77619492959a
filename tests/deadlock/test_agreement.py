"""Tables of real recordings, row by row against boon 0.10.0, and facts of the recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playhead.deadlock.replay import DeadlockReplay
from playhead.deadlock.sources.names import HEROES

Rows = dict[str, list[dict[str, Any]]]
Boon = Callable[..., Rows]


def keyed(rows: list[dict[str, Any]], names: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(as_boon(row[name]) for name in names.split()) for row in rows)


def as_boon(value: Any) -> Any:
    """Places are multiples of 1/32 with different errors of rounding."""
    return round(value * 32) if isinstance(value, float) else value


def test_every_damage_is_that_of_boon(broadcast: DeadlockReplay, broadcast_demo: Path, boon: Boon) -> None:
    names = {
        "tick": "tick",
        "damage": "damage",
        "victim_entity_id": "victim_entity",
        "victim_health_new": "victim_health",
        "attacker_class": "attacker_kind_id",
        "victim_class": "victim_kind_id",
        "ability_id": "ability_id",
        "damage_type": "damage_bits",
        "citadel_type": "damage_type_id",
        "damage_flags": "damage_flags",
        "is_melee": "is_melee",
        "crit_damage": "crit_damage",
        "hitgroup_id": "hitgroup_id",
    }
    theirs = boon(broadcast_demo, "damage")["damage"]
    ours = broadcast.table("damage").to_pylist()
    # boon has 0 where a field was not sent.
    assert [tuple(row[name] or 0 for name in names.values()) for row in ours] == [
        tuple(row[name] or 0 for name in names) for row in theirs
    ]
    assert (len(ours), sum(row["damage"] for row in ours)) == (682, 12460)


def test_heavy_blows_deal_more_than_light_ones(broadcast: DeadlockReplay) -> None:
    blows = [row for row in broadcast.table("damage").to_pylist() if row["is_melee"]]
    for hero in ("Haze", "Shiv"):
        dealt = {row["melee_type"]: row["damage"] for row in blows if row["attacker_hero"] == hero}
        assert dealt["heavy"] > 1.5 * dealt["light"]
    assert Counter(row["melee_type"] for row in blows) == {"heavy": 6, "light": 5}


@pytest.mark.parametrize("name", ["broadcast", "sandbox"])
def test_structures_are_those_of_boon(name: str, request: pytest.FixtureRequest, boon: Boon, corpus: Path) -> None:
    replay = request.getfixturevalue(name)
    path = (
        corpus / "source2/deadlock_10423.dem" if name == "sandbox" else request.getfixturevalue("broadcast_demo")
    )
    theirs = boon(path, "objectives")["objectives"]
    # boon counts guardians and barracks as troopers, and has no guns of the bases.
    ours = [
        row
        for row in replay.table("structure_series").to_pylist()
        if row["kind"] in ("walker", "shrine", "patron")
    ]
    assert keyed(ours, "tick kind team lane_id health max_health phase_id x y z entity") == keyed(
        theirs, "tick objective_type team_num lane health max_health phase x y z entity_id"
    )
    assert len(ours) == {"broadcast": 14, "sandbox": 12}[name]


@pytest.mark.parametrize("name", ["broadcast", "sandbox"])
def test_troopers_are_those_of_boon(name: str, request: pytest.FixtureRequest, boon: Boon, corpus: Path) -> None:
    replay = request.getfixturevalue(name)
    path = (
        corpus / "source2/deadlock_10423.dem" if name == "sandbox" else request.getfixturevalue("broadcast_demo")
    )
    theirs = [row for row in boon(path, "troopers")["troopers"] if row["trooper_type"] == "trooper"]
    ticks = {row["tick"] for row in theirs}
    ours = [row for row in replay.table("trooper_series", every=1).to_pylist() if row["tick"] in ticks]
    assert keyed(ours, "tick team lane_id health max_health x y z entity") == keyed(
        theirs, "tick team_num lane health max_health x y z entity_id"
    )
    assert len(ours) == {"broadcast": 27409, "sandbox": 1200}[name]


def test_neutrals_are_those_of_boon(broadcast: DeadlockReplay, broadcast_demo: Path, boon: Boon) -> None:
    theirs = boon(broadcast_demo, "neutrals")["neutrals"]  # at changes, ours at every tick
    ours = broadcast.table("neutral_series", every=1).to_pylist()
    assert keyed(
        [row for row in ours if row["tick"] == 7898], "tick team health max_health x y z entity"
    ) == keyed(theirs, "tick team_num health max_health x y z entity_id")
    assert len(theirs) == 18
    assert min(row["tick"] for row in ours) == 7898
    assert len({tuple(row.items())[4:] for row in ours}) == 18  # none changed


@pytest.mark.parametrize("name", ["broadcast", "sandbox"])
def test_players_have_the_heroes_and_teams_of_boon(
    name: str, request: pytest.FixtureRequest, boon: Boon, corpus: Path
) -> None:
    replay = request.getfixturevalue(name)
    path = (
        corpus / "source2/deadlock_10423.dem" if name == "sandbox" else request.getfixturevalue("broadcast_demo")
    )
    ours = [
        (player.name, int(player.account or 0), player.details["hero_id"], player.character, player.team)
        for player in replay.players
        if player.team is not None
    ]
    assert sorted(ours) == sorted(
        (row["player_name"], row["steam_id"], row["hero_id"], HEROES[row["hero_id"]], row["team_num"])
        for row in boon(path, "players")["players"]
    )
    assert len(ours) == {"broadcast": 12, "sandbox": 1}[name]


def test_a_death_that_the_state_does_not_show_is_marked(broadcast: DeadlockReplay) -> None:
    # The game event names victim and killer; the victim walks on with 393 of 600 health, and no counter changes.
    (kill,) = broadcast.table("kills").to_pylist()
    assert (kill["tick"], kill["known_by"], kill["seen_dead"]) == (8630, "event", False)
    assert (kill["victim_player"], kill["victim_hero"], kill["victim_team"]) == (9, "Infernus", 2)
    assert (kill["attacker_player"], kill["attacker_hero"], kill["attacker_team"]) == (11, "Yamato", 3)
    assert kill["assister_players"] == [12]
    series = broadcast.table("player_series", every=1).to_pylist()
    victim = {row["tick"]: row for row in series if row["player"] == 9}
    assert [kill[f"victim_{axis}"] for axis in "xyz"] == [victim[8630][axis] for axis in "xyz"]
    assert all(row["health"] > 350 for tick, row in victim.items() if 8600 < tick < 8800)
    assert {(row["deaths"], row["kills"]) for row in series} == {(0, 0)}


def test_bodies_look_where_their_eyes_do(broadcast: DeadlockReplay) -> None:
    rows = [row for row in broadcast.table("player_series", every=1).to_pylist() if row["alive"]]
    off = [abs((row["body_yaw"] - row["eye_yaw"] + 180.0) % 360.0 - 180.0) for row in rows]
    assert len(rows) > 15000
    assert sorted(off)[len(off) // 2] < 5.0


def test_the_clock_counts_from_the_servers_tick(broadcast: DeadlockReplay) -> None:
    clock = broadcast.clock
    assert clock is not None
    assert clock.displayed_seconds(7247) == pytest.approx((7250 - 699) / 60)  # the packet of server tick 7250
    assert broadcast.at("2:00").tick == clock.tick_at("2:00")
    world = broadcast.at(8000)
    assert world.clock is not None
    assert world.clock.displayed_seconds(8000) == pytest.approx(clock.displayed_seconds(8000))
    by_player = {row["player"]: row for row in world.players}
    assert by_player[1]["hero"] == "Abrams"
    assert by_player[1]["health"] > 0
    # No packet is of tick 7249: the state is that of 7247, and the time that of the moment, as in the table.
    rows = broadcast.table("player_series", ticks=[7249]).to_pylist()
    assert {player: held["souls"] for player, held in broadcast.at(7249).resources.items()} == {
        row["player"]: row["souls"] for row in rows
    }
    assert [row | {"name": None} for row in broadcast.at(7249).players] == [{"name": None, **row} for row in rows]


def test_messages_are_rows(broadcast: DeadlockReplay) -> None:
    found = broadcast.read_tables(
        ["shots", "bullet_impacts", "ability_uses", "structure_alerts", "pings", "ziplines"]
    )
    counts = {name: table.num_rows for name, table in found.items()}
    assert counts == {
        "shots": 922,
        "bullet_impacts": 586,
        "ability_uses": 16,
        "structure_alerts": 2,
        "pings": 2,
        "ziplines": 146,
    }
    assert {row["kind"] for row in found["structure_alerts"].to_pylist()} == {"guardian"}
    uses = found["ability_uses"].to_pylist()
    assert all(row["hero"] for row in uses)
    assert (uses[1]["hero"], uses[1]["ability"]) == ("Pocket", "synth_barrage")


def test_hashes_of_entity_names_name_abilities(broadcast: DeadlockReplay) -> None:
    rows = broadcast.table("damage").to_pylist()
    numbers = {row["ability_id"]: row["ability"] for row in rows if row["ability_id"] is not None}
    named = Counter(name is not None for name in numbers.values())
    assert named[True] > 4 * named[False]


def test_events_are_rows_of_the_tables(broadcast: DeadlockReplay) -> None:
    kinds = Counter(
        event.kind
        for event in broadcast.events("player_killed", "damage_dealt", "ability_used", "structure_damaged")
    )
    assert kinds == {"player_killed": 1, "damage_dealt": 682, "ability_used": 16, "structure_damaged": 2}


def test_no_problem_arises(broadcast: DeadlockReplay, sandbox: DeadlockReplay) -> None:
    for replay in (broadcast, sandbox):
        replay.read_tables()
        assert replay.problems == ()


def test_abilities_items_and_commands_of_a_broadcast(broadcast: DeadlockReplay) -> None:
    names = ["ability_upgrades", "ability_states", "items_held", "modifiers", "inputs", "fights"]
    found = {name: table.to_pylist() for name, table in broadcast.read_tables(names).items()}
    counts = {name: len(rows) for name, rows in found.items()}
    assert counts == {
        "ability_upgrades": 14,
        "ability_states": 275,
        "items_held": 8,
        "modifiers": 186,
        "inputs": 19476,
        "fights": 1,
    }
    # Slots are EAbilitySlots_t, zigzag: 0 to 3 are the hero's own abilities, 16 is the dash, 12 the jump.
    slots = {row["ability"]: row["slot"] for row in found["ability_states"]}
    assert (slots["citadel_ability_dash"], slots["citadel_ability_jump"]) == (16, 12)
    assert [row["ability_level"] for row in found["ability_upgrades"]].count(2) == 12  # two abilities were learned
    assert all(row["item"] for row in found["items_held"])
    assert {row["player"] for row in found["inputs"]} == set(range(1, 13))
    # The camera of a command is near the body.
    series = {(row["tick"], row["player"]): row for row in broadcast.table("player_series", every=1).to_pylist()}
    for row in found["inputs"][::500]:
        body = series[row["tick"], row["player"]]
        assert abs(row["camera_x"] - body["x"]) < 1500


def test_the_missing_field_is_named(broadcast: DeadlockReplay, sandbox: DeadlockReplay) -> None:
    for replay in (broadcast, sandbox):
        assert "m_timeKothCashInStarted" in replay.unfilled["rift"]
        assert replay.table("rift").num_rows == 0
        assert "player_series" not in replay.unfilled
        assert replay.unfilled["player_series.kill_streak"] == (
            "the recording does not declare m_iKillStreak of CCitadelPlayerController"
        )
        assert not [name for name, reason in replay.unfilled.items() if reason.startswith("none of")]
