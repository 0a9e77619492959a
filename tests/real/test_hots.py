"""Real replays of Heroes of the Storm: streams to the last byte, known facts, agreement with heroprotocol."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import playhead
from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.protocol.tables import GAME, ID_BITS, MESSAGE, TRACKER
from playhead.hots.tables.players import attribute_bans

#: Facts of the files, from the tests of Heroes.StormReplayParser (MIT).
FACTS: dict[str, dict[str, Any]] = {
    "volskaya_77548": {
        "version": "2.49.0.77548",
        "duration_ticks": 17919,
        "map": "Volskaya Foundry",
        "winner_side": "red",
        "region": "US",
        "has_computers": False,
        "observers": 0,
        "random_value": 1102687070,
        "mode": "Storm League",
        "build": 77548,
        "game_build": 77548,
        "team_size": "5v5",
        "game_speed": "faster",
    },
    "ai_braxis_90670": {
        "version": "2.55.3.90670",
        "build": 90670,
        "game_build": 90670,
        "team_size": "5v5",
        "game_speed": "faster",
        "drafts_first": "coin toss",
        "duration_ticks": 16267,
        "map": "Braxis Holdout",
        "mode": "Cooperative",
        "has_computers": True,
        "observers": 0,
        "ban_mode": "no bans",
        "privacy": "normal",
        "lobby_mode": "standard",
        "ready_mode": "first come, first served",
    },
    "escape_70200": {"version": "2.40.0.70200", "build": 70200, "game_build": 70200, "observers": 0},
    "hanamura_75132": {
        "version": "2.46.1.75132",
        "build": 75132,
        "game_build": 75132,
        "team_size": "5v5",
        "game_speed": "faster",
        "duration_ticks": 21870,
        "map": "Hanamura Temple",
        "winner_side": "blue",
        "random_value": 2143281452,
        "mode": "Quick Match",
    },
    "towers_39445": {
        "version": "0.15.2.39445",
        "build": 39445,
        "game_build": 39445,
        "duration_ticks": 18632,
        "random_value": 4013533878,
        "mode": "Quick Match",
        "has_computers": False,
        "observers": 0,
    },
    "no_work_set_slot": {"winner_side": "blue", "random_value": 2079817235, "mode": "Quick Match"},
}
#: Numbers of events by stream.
COUNTS = {("volskaya_77548", GAME): 122839, ("volskaya_77548", TRACKER): 8319, ("towers_39445", GAME): 120572}
#: Where the game ended, so that the levels are those of the screen of scores.
ENDED = "ai_braxis_90670 no_work_set_slot volskaya_77548 warhead_disconnect_91418".split()
#: Tables that the build of towers_39445 cannot have; Quick Match has no draft.
LACKING = "camps draft hero_deaths kills player_series player_stats regeneration structures xp".split()
#: Humans, of ten players.
HUMANS = {"volskaya_77548": 10, "ai_braxis_90670": 1, "escape_70200": 5, "no_work_set_slot": 10}
#: 100 ns from 1970 to the end of the game, from 0001 in the facts.
ENDS = {"volskaya_77548": 637120547862521860, "hanamura_75132": 636997822244093849}
_EPOCH = 621355968000000000


@pytest.fixture(scope="module")
def replays(corpus: Path) -> dict[str, Any]:
    found = {path.stem: playhead.open(path) for path in sorted((corpus / "hots").glob("*.StormReplay"))}
    if not found:
        pytest.skip("no replays of Heroes of the Storm")
    return found


@pytest.fixture(scope="module")
def all_replays(replays: dict[str, Any], corpus: Path) -> dict[str, Any]:
    """The replays with those of other maps and modes."""
    paths = sorted((corpus.parent / "odd" / "hots").glob("*.StormReplay"))
    return replays | {path.stem: playhead.open(path) for path in paths}


@pytest.mark.long
def test_every_stream_is_read_to_its_last_byte(replays: dict[str, Any]) -> None:
    for name, replay in replays.items():
        assert replay.problems == (), name
        assert replay.info.complete, name
        assert all(check.failed == 0 < check.passed for check in replay.verify()), name
        assert len(replay.players) == 10, name
        setups = {event.player: event.setup_user for event in replay.events("player_set_up")}
        users = {player.player: player.user for player in replay.players}
        assert {player: setups[player] for player in users} == users, name
        assert 610 <= replay.recording.start_tick < 2000, name


@pytest.mark.long
def test_healthy_games_of_all_modes_have_no_problems(all_replays: dict[str, Any]) -> None:
    modes = set()
    for name, replay in all_replays.items():
        modes.add(replay.info.mode)
        assert all(check.failed == 0 for check in replay.verify()), name
        replay.read_tables()
        assert replay.problems == (), name
        assert all(row["hero"] != "NONE" for row in replay.table("draft").to_pylist()), name
        kinds = [row["kind"] for row in replay.table("periods").to_pylist()]
        assert kinds[0] == "pre_game", name
        assert (len(kinds) > 1) == (name != "7fb0ea24fa"), name
    assert len(modes) >= 5


def test_known_facts(replays: dict[str, Any]) -> None:
    for name, facts in FACTS.items():
        info = replays[name].info
        assert {fact: getattr(info, fact) for fact in facts} == facts, name
    for (name, stream), count in COUNTS.items():
        assert len(replays[name].recording.stream(stream)) == count
    reports = replays["volskaya_77548"].events("statistic_reported")
    assert {each.texts["Map"] for each in reports if "Map" in (each.texts or ())} == {"Volskaya"}
    for name, count in HUMANS.items():
        assert sum(player.kind == "human" for player in replays[name].players) == count, name
    for name, ticks in ENDS.items():
        ended = replays[name].info.end_time.timestamp()
        assert ended == pytest.approx((ticks - _EPOCH) / 1e7, abs=1e-5), name


#: Experience of the teams in volskaya_77548, by loop: heroes, mercenaries, minions, time, structures; level; sum.
XP = {
    ("blue", 1570): ([0, 0, 1200, 575, 0], 1, 1775),
    ("blue", 14050): ([5470, 3773, 25754, 18515, 375], 16, 53887),
    ("blue", 17726): ([10164, 4121, 32032, 23621, 375], 19, 70313),
    ("red", 1570): ([592, 0, 1360, 575, 0], 2, 2527),
    ("red", 14050): ([6596, 3661, 31496, 21288, 1425], 18, 64466),
    ("red", 17726): ([11379, 3661, 35918, 29392, 2350], 21, 82700),
}
#: The screen of scores of its first player.
SCORES = """
    assists 3 clutch_heals_performed 0 creep_damage 33369 damage_soaked 28369 damage_taken 43030 deaths 5
    escapes_performed 0 experience_contribution 8968 healing 0 hero_damage 47875 highest_kill_streak 5
    level 19 merc_camp_captures 7 meta_experience 70313 minion_damage 50333 multikill 0 outnumbered_deaths 2
    physical_damage 101982 protection_given_to_allies 0 self_healing 0 siege_damage 61382 kills 3
    spell_damage 49618 structure_damage 5864 summon_damage 2986 takedowns 6 teamfight_damage_taken 34692
    teamfight_escapes_performed 0 teamfight_healing_done 2531 teamfight_hero_damage 35818
    time_ccd_enemy_heroes 0 time_rooting_enemy_heroes 0 time_silencing_enemy_heroes 0 time_spent_dead 147
    time_stunning_enemy_heroes 0 town_kills 0 vengeances_performed 2 watch_tower_captures 0 minion_kills 56
    regen_globes 33
""".split()
#: The chosen column of its tree, from 1, in the tiers that it reached.
TALENTS = [3, 2, 3, 1, 1, 3]


def test_experience_and_scores_of_the_end(replays: dict[str, Any]) -> None:
    replay = replays["volskaya_77548"]
    rows = {(row["side"], row["tick"]): row for row in replay.table("xp").to_pylist()}
    names = "xp_heroes xp_mercenaries xp_minions xp_passive xp_structures".split()
    for key, (parts, level, total) in XP.items():
        row = rows[key]
        assert ([int(row[name]) for name in names], row["level"]) == (parts, level), key
        # The facts add whole parts, the table adds fractions too.
        assert sum(parts) == total
        assert row["xp_all"] == pytest.approx(sum(row[name] for name in names))
    assert [rows["blue", tick]["seconds"] for tick in (1570, 14050)] == [98.125, 878.125]
    first = replay.table("player_stats").to_pylist()[0]
    for name, value in zip(SCORES[::2], map(int, SCORES[1::2]), strict=True):
        assert first[name if name in first else f"score_{name}"] == value, name
    scores = json.loads(first["scores"])
    assert [scores[f"Tier{number}Talent"] for number in range(1, 7)] == TALENTS
    assert len(first["talents"]) == len(TALENTS)
    talents = replay.table("talents").to_pylist()
    assert [row["talent"] for row in talents if row["player"] == 1] == first["talents"]
    assert replay.unfilled.keys().isdisjoint(replay.tables)


def test_deaths_have_the_takedowns_of_the_score_screen(all_replays: dict[str, Any]) -> None:
    compared = 0
    for name, replay in all_replays.items():
        shares = Counter[tuple[int | None, str]]()
        for row in replay.table("hero_deaths").to_pylist():
            shares[row["victim_player"], "deaths"] += row["death_share"]
            for player in {row["attacker_player"], *(row["assister_players"] or ())}:
                shares[player, "takedowns"] += row["death_share"]
        lost = Counter(row["victim_player"] for row in replay.table("kills").to_pylist())
        for row in replay.table("player_stats").to_pylist():
            player = row["player"]
            assert lost[player] == int(shares[player, "deaths"]) == row["deaths"], (name, player)
            if (name, player) != ("hanamura_75132", 10):  # the map does not report who helped to destroy a mech
                assert int(shares[player, "takedowns"]) == row["takedowns"], (name, player)
            compared += 1
    assert compared == (220 if "19b6f5c7a7" in all_replays else 80)


def test_few_deaths_have_no_player_as_the_attacker(all_replays: dict[str, Any]) -> None:
    deaths = [row for replay in all_replays.values() for row in replay.table("hero_deaths").to_pylist()]
    if "19b6f5c7a7" in all_replays:
        assert (sum(row["attacker_player"] is None for row in deaths), len(deaths)) == (45, 766)


def test_the_first_builds_have_the_first_death_of_each_hero(all_replays: dict[str, Any]) -> None:
    """Their maps report nothing, and their trackers have neither revivals nor the deaths after them."""
    early = {"towers_39445": 7, "5382e48238": 7}
    for name in early.keys() & all_replays.keys():
        replay = all_replays[name]
        assert not list(replay.events("statistic_reported", "unit_revived")), name
        deaths = replay.table("hero_deaths").to_pylist()
        assert len(deaths) == early[name] == len({row["victim_player"] for row in deaths}), name
        heroes = [row for row in replay.table("units").to_pylist() if row["unit_type"].startswith("Hero")]
        ends = {(row["player"], row["end_tick"], row["attacker_player"]) for row in heroes}
        for row in deaths:
            assert (row["victim_player"], row["tick"], row["attacker_player"]) in ends, name
            assert {row["victim_team"], row["attacker_team"]} == {1, 2}, name
        for table in ("kills", "hero_deaths"):
            assert replay.unfilled[table].startswith("the file has only the first death of each hero's unit"), name
        assert replay.table("player_series").num_rows == 0, name  # most deaths and all assists are unknown
        assert {row["deaths"] for row in replay.at(replay.info.duration_ticks).players} == {None}, name
        for column in ("assister_players", "victim_x"):
            reason = "the map of this build reports no statistics (SStatGameEvent)"
            assert replay.unfilled[f"hero_deaths.{column}"] == reason, name


def test_towns_of_towers_of_doom_change_hands(all_replays: dict[str, Any]) -> None:
    for name, replay in all_replays.items():
        spans = replay.table("structures").to_pylist()
        events = [row for row in replay.table("objective_events").to_pylist() if row["kind"] != "KingsCore"]
        falls = {row["tick"]: row for row in events if row["event"] == "structure_destroyed"}
        reported = [e for e in replay.events("statistic_reported") if e.statistic == "TownStructureDeath"]
        assert len(falls) == sum(row["end_tick"] is not None for row in spans) == len(reported), name
        teams = {player.player: player.team for player in replay.players}
        for row in spans:
            if row["end_tick"] is not None:
                fall = falls[row["end_tick"]]
                assert fall["team"] == 3 - row["team"], name
                assert {teams[player] for player in row["players"]} <= {fall["team"]}, name
        owners = {row["tick"]: row["team"] for row in events if row["kind"] == "Town Captured"}
        assert owners == {tick: falls[tick]["team"] for tick in owners}, name
        by_town: dict[int, list[dict[str, Any]]] = {}
        for row in spans:
            by_town.setdefault(row["town"], []).append(row)
        for rows in by_town.values():
            assert all(old["end_tick"] <= new["tick"] for old, new in pairwise(rows)), name
            assert all(old["team"] != new["team"] for old, new in pairwise(rows)), name
    if "19b6f5c7a7" in all_replays:
        row = {row["end_tick"]: row for row in all_replays["19b6f5c7a7"].table("structures").to_pylist()}[11593]
        assert (row["players"], row["team"], row["tick"]) == ([7, 9, 10], 1, 11057)


def test_talents_have_the_tiers_of_the_end_of_the_game(all_replays: dict[str, Any]) -> None:
    compared = 0
    for name, replay in all_replays.items():
        rows = replay.table("talents").to_pylist()
        chosen = {(row["player"], row["tier"]): row["talent"] for row in rows}
        for event in replay.events("statistic_reported"):
            if event.statistic != "EndOfGameTalentChoices":
                continue
            for key, talent in event.texts.items():
                if key.startswith("Tier "):
                    assert chosen[event.numbers["PlayerID"][0], int(key.split()[1])] == talent, name
                    compared += 1
    assert compared >= 300


def test_the_series_and_a_moment_end_with_the_deaths_of_the_score_screen(all_replays: dict[str, Any]) -> None:
    for name, replay in all_replays.items():
        stats = {row["player"]: row for row in replay.table("player_stats").to_pylist()}
        series = {row["player"]: row for row in replay.table("player_series", every="5 s").to_pylist()}
        for row in replay.at(replay.info.duration_ticks).players if stats else ():
            player = row["player"]
            assert row["deaths"] == series[player]["deaths"] == stats[player]["deaths"], (name, player)
            # The screen credits the kill of a minion, mercenary or tower to one of those who took part.
            assert stats[player]["kills"] - row["kills"] <= 3, (name, player)


def test_every_birth_and_return_is_a_life_and_every_death_its_end(replays: dict[str, Any]) -> None:
    for name, replay in replays.items():
        counts = {row["event"]: row["count"] for row in replay.table("event_counts").to_pylist()}
        lives = replay.table("units").to_pylist()
        assert len(lives) == counts["SUnitBornEvent"] + counts.get("SUnitRevivedEvent", 0), name
        assert sum(row["end_tick"] is not None for row in lives) == counts["SUnitDiedEvent"], name
        assert all(row["unit_type"] and row["player"] is not None for row in lives), name
        assert all(row["game_seconds"] == (row["tick"] - replay.recording.start_tick) / 16 for row in lives), name
        places = replay.table("positions").to_pylist()
        causes = Counter(row["cause"] for row in places)
        assert (causes["born"], causes["died"]) == (len(lives), counts["SUnitDiedEvent"]), name
        assert all(0 <= row["x"] <= 256 and 0 <= row["y"] <= 256 for row in places), name


def test_a_build_without_statistics_says_so(replays: dict[str, Any]) -> None:
    replay = replays["towers_39445"]
    assert sorted(name for name in replay.unfilled if "." not in name) == LACKING
    chosen = [(row["tick"], row["player"], row["talent_index"]) for row in replay.table("talents").to_pylist()]
    assert chosen == [(event.tick, event.player, event.index) for event in replay.events("talent_selected")]
    for name in set(LACKING) - {"draft"}:
        assert "of this build" in replay.unfilled[name], name


def test_every_column_without_values_has_a_reason_of_its_own(replays: dict[str, Any]) -> None:
    for name, replay in replays.items():
        assert [each for each, reason in replay.unfilled.items() if reason.startswith("none of")] == [], name


def test_heroes_are_those_that_played_also_where_the_lobby_has_others_or_none(replays: dict[str, Any]) -> None:
    for name, replay in replays.items():
        spawned = {
            event.numbers["PlayerID"][0]: event.texts["Hero"].removeprefix("Hero").replace("DVaPilot", "DVa")
            for event in replay.events("statistic_reported")
            if event.statistic == "PlayerSpawned"
        }
        heroes = {player.player: player.details["hero"] for player in replay.players if player.player is not None}
        assert heroes == (spawned or heroes), name
        assert None not in heroes.values(), name
        levels = replay.table("player_stats")["level"].to_pylist()
        assert 0 not in levels, name


def test_a_draft_of_the_tracker_has_the_bans_of_the_attributes(replays: dict[str, Any]) -> None:
    replay = replays["volskaya_77548"]
    rows = replay.table("draft").to_pylist()
    bans = [(row["side"], row["hero"][:4].lower()) for row in rows if row["action"] == "ban"]
    codes = [(row["side"], row["hero_code"].lower()) for row in attribute_bans(replay.recording)]
    assert sorted(codes) == sorted(bans)
    heroes = {player.player: player.hero for player in replay.players}
    assert {row["player"]: row["hero"] for row in rows if row["action"] == "pick"} == heroes


def test_globes_taken_are_those_of_the_score_screen(replays: dict[str, Any]) -> None:
    compared = 0
    for name, replay in replays.items():
        taken = Counter(replay.table("regeneration")["player"].to_pylist())
        series = {row["player"]: row["regen_globes"] for row in replay.table("player_series").to_pylist()}
        for row in replay.table("player_stats").to_pylist():
            if row["score_regen_globes"]:  # the scores of some modes leave them out
                assert taken[row["player"]] == row["score_regen_globes"] >= series[row["player"]], name
                compared += 1
    assert compared == 40


def test_the_map_has_one_name_in_every_language(all_replays: dict[str, Any]) -> None:
    found: dict[str | None, set[str]] = {}
    for name, replay in all_replays.items():
        info = replay.info
        reports = replay.events("statistic_reported")
        told = {value for each in reports for key, value in (each.texts or {}).items() if key in ("Map", "MapID")}
        assert {info.map_english} - {None} == told, name
        found.setdefault(info.map_english, set()).add(info.map)
    assert len(found) >= 8
    if "19b6f5c7a7" in all_replays:
        assert found["TowersOfDoom"] == {"Les tours du destin", "Towers of Doom"}


def test_who_left_before_the_core_fell_is_a_leaver(replays: dict[str, Any]) -> None:
    leavers = {"all_left": [1, 6, 7, 8, 9, 10], "warhead_disconnect_91418": [8]}
    for name, replay in replays.items():
        stats = replay.table("player_stats").to_pylist()
        assert [row["player"] for row in stats if row["leaver"]] == leavers.get(name, []), name


def test_periods_fill_the_recording_and_levels_are_those_of_the_screen(replays: dict[str, Any]) -> None:
    for name, replay in replays.items():
        rows = replay.table("periods").to_pylist()
        assert [row["end_tick"] for row in rows[:-1]] == [row["tick"] for row in rows[1:]], name
        assert (rows[0]["tick"], rows[-1]["end_tick"]) == (0, replay.info.duration_ticks), name
        assert {row["winner_side"] for row in rows if row["counts"]} == {replay.info.winner_side}, name
    for name in ENDED:
        replay = replays[name]
        ends = {row["side"]: row["level"] for row in replay.table("xp").to_pylist()[-2:]}
        talents = replay.table("talents").to_pylist()
        chosen = Counter(row["player"] for row in talents)
        by_hand = [row["talent_index"] for row in talents if row["talent_index"] is not None]
        assert len(by_hand) == len(list(replay.events("talent_selected"))), name
        for row in replay.table("player_stats").to_pylist():
            assert (row["level"], len(row["talents"])) == (ends[row["side"]], chosen[row["player"]]), name


def test_units_of_objectives_agree_with_the_reports(replays: dict[str, Any]) -> None:
    def count(name: str, event: str, kind: str) -> Counter[str | None]:
        rows = replays[name].table("objective_events").to_pylist()
        return Counter(row["side"] for row in rows if (row["event"], row["kind"]) == (event, kind))

    ships = count("no_work_set_slot", "objective_reported", "GhostShipCaptured")
    assert ships == count("no_work_set_slot", "objective_taken", "GhostShipBeacon") == {"blue": 4, "red": 2}
    warheads = count("warhead_disconnect_91418", "objective_reported", "WarheadJunctionNukeCollected")
    taken = count("warhead_disconnect_91418", "objective_ended", "WarheadSingle")
    assert warheads.total() == taken.total() == 16
    protectors = count("volskaya_77548", "objective_reported", "VolskayaCapturePointComplete")
    assert protectors == count("volskaya_77548", "objective_appeared", "VolskayaVehicle") == {"red": 3}
    for name, replay in replays.items():
        fell = count(name, "structure_destroyed", "KingsCore")
        assert fell in ({}, {replay.info.winner_side: 1}), name
        assert replay.table("camps").num_rows == sum(
            row["event"] == "camp_captured" for row in replay.table("objective_events").to_pylist()
        ), name


def test_parties_are_those_of_the_battle_lobby(replays: dict[str, Any]) -> None:
    parties = {"all_left": [7, 8, 9], "escape_70200": [4, 5], "hanamura_75132": [6, 7], "no_work_set_slot": [4, 5]}
    for name, replay in replays.items():
        rows = replay.table("battle_lobby").to_pylist()
        humans = {player.player: player.name for player in replay.players if player.kind == "human"}
        assert {row["player"]: row["battle_tag"].rpartition("#")[0] for row in rows} == humans, name
        assert {row["party_known"] for row in rows} == {name != "towers_39445"}, name
        assert [player.player for player in replay.players if player.party == 1] == parties.get(name, []), name
        assert not any((player.party or 0) > 1 for player in replay.players), name


@pytest.mark.long
def test_inputs_and_messages_are_all_their_events(replays: dict[str, Any]) -> None:
    for name, replay in replays.items():
        counts = {row["kind"]: row["count"] for row in replay.table("event_counts").to_pylist()}
        inputs = replay.table("inputs").to_pylist()
        kinds = Counter(row["kind"] for row in inputs)
        assert kinds == {kind: counts[kind] for kind in kinds}, name
        assert kinds["command_given"] > 0, name
        fields = ("tick", "x", "y", "target_unit", "ability_id", "ability_index")
        wanted = [tuple(getattr(event, key) for key in fields) for event in replay.events("command_given")]
        given = [tuple(row[key] for key in fields) for row in inputs if row["kind"] == "command_given"]
        assert given == wanted, name
        for table, kind in (("chat", "chat_sent"), ("pings", "ping_sent")):
            assert replay.table(table).num_rows == counts.get(kind, 0), name


def _merged(value: Any) -> Any:
    """Return a value with the fields of a parent among those of its struct, as heroprotocol has them."""
    if isinstance(value, dict):
        parent = value.get("__parent")
        own = {key: _merged(inner) for key, inner in value.items() if key != "__parent"}
        return {**_merged(parent), **own} if isinstance(parent, dict) else own
    return [_merged(inner) for inner in value] if isinstance(value, list) else value


def _events(replay: Any, stream: str) -> Iterator[Any]:
    data = replay.recording.container.read_member(f"replay.{stream}.events")
    program = replay.recording.streams.program(stream)
    decoder = EventDecoder(program, data, tagged=stream == TRACKER, id_bits=ID_BITS[stream])
    while (event := decoder.next_event()) is not None:
        yield event


@pytest.mark.slow_interpreted
def test_every_event_and_field_equals_heroprotocol(replays: dict[str, Any], step: int) -> None:
    versions: Any = pytest.importorskip("heroprotocol.versions", reason="heroprotocol is not installed")
    compared = 0
    for name, replay in list(replays.items())[::step]:
        try:
            protocol = versions.build(replay.recording.builds[0])
        except ImportError:
            continue  # a build after the last release
        for stream in (GAME, MESSAGE, TRACKER):
            data = replay.recording.container.read_member(f"replay.{stream}.events")
            ours = _events(replay, stream)
            for theirs in getattr(protocol, f"decode_replay_{stream}_events")(data):
                user = theirs.get("_userid")
                fields = {key: value for key, value in theirs.items() if not key.startswith("_")}
                wanted = (theirs["_gameloop"], None if user is None else user["m_userId"], theirs["_eventid"])
                loop, who, number, found = next(ours)
                assert ((loop, who, number), _merged(found)) == (wanted, fields), (name, stream)
                compared += 1
            assert next(ours, None) is None, (name, stream)
    assert compared > 100_000 // step


def _by_key(items: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for item in items or ():
        found.setdefault(item["m_key"].decode(), []).append(item["m_value"])
    return found


def _tables_of(events: Iterator[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the rows of tables, made of heroprotocol's events of the tracker."""
    rows: dict[str, list[Any]] = {}
    for event in events:
        kind, tick = event["_event"].rpartition(".")[2], event["_gameloop"]
        if kind == "SUnitBornEvent":
            rows.setdefault("births", []).append(
                (tick, event["m_unitTypeName"].decode(), event["m_x"], event["m_y"])
            )
        elif kind == "SUnitDiedEvent":
            rows.setdefault("ends", []).append((tick, event["m_killerPlayerId"], event["m_x"], event["m_y"]))
        elif kind == "SStatGameEvent":
            texts, numbers, fixed = (_by_key(event[f"m_{part}Data"]) for part in ("string", "int", "fixed"))
            player = numbers.get("PlayerID", [None])[0]
            rows.setdefault(event["m_eventName"].decode(), []).append((tick, player, texts, numbers, fixed))
    return rows


def test_columns_equal_what_heroprotocol_reads(replays: dict[str, Any], step: int) -> None:
    versions: Any = pytest.importorskip("heroprotocol.versions", reason="heroprotocol is not installed")
    for name, replay in list(replays.items())[::step]:
        try:
            protocol = versions.build(replay.recording.builds[0])
        except ImportError:
            continue
        read = replay.recording.container.read_member
        theirs = _tables_of(protocol.decode_replay_tracker_events(read("replay.tracker.events")))
        units = replay.table("units").to_pylist()
        births = Counter((row["tick"], row["first_unit_type"], row["x"], row["y"]) for row in units)
        assert not Counter(theirs["births"]) - births, name
        ended = [row for row in units if row["end_tick"] is not None]
        ends = Counter((row["end_tick"], row["attacker_player"], row["end_x"], row["end_y"]) for row in ended)
        assert ends == Counter(theirs["ends"]), name
        kills = [
            (
                row["tick"],
                row["victim_player"],
                {*row["assister_players"], row["attacker_player"]} - {None},
                row["victim_x"],
            )
            for row in replay.table("hero_deaths").to_pylist()
            if row["unit_type"] != "HeroDVaMech"
        ]
        deaths = [
            (tick, player, set(numbers.get("KillingPlayer", ())) & set(range(1, 11)), fixed["PositionX"][0] / 4096)
            for tick, player, _, numbers, fixed in theirs.get("PlayerDeath", ())
        ]
        assert [kill[:2] for kill in kills] == [death[:2] for death in deaths], name
        assert all(death[2] <= kill[2] for kill, death in zip(kills, deaths, strict=True)), name
        assert [kill[3] for kill in kills] == pytest.approx([death[3] for death in deaths]), name
        for table, report, column, key in (
            ("talents", "TalentChosen", "talent", "PurchaseName"),
            ("camps", "JungleCampCapture", "kind", "CampType"),
        ):
            ours = [(row["tick"], row[column]) for row in replay.table(table).to_pylist() if row[column]]
            assert ours == [(each[0], each[2][key][0].decode()) for each in theirs.get(report, ())], name
        taken = [(row["tick"], row["player"]) for row in replay.table("regeneration").to_pylist()]
        assert taken == [each[:2] for each in theirs.get("RegenGlobePickedUp", ())], name
        messages = list(protocol.decode_replay_message_events(read("replay.message.events")))
        said = [(each["_gameloop"], each["m_string"].decode()) for each in messages if "m_string" in each]
        assert [(row["tick"], row["text"]) for row in replay.table("chat").to_pylist()] == said, name
        pings = [(each["_gameloop"], each["m_point"]["x"] / 4096) for each in messages if "m_point" in each]
        assert [(row["tick"], row["x"]) for row in replay.table("pings").to_pylist()] == pings, name


def test_owners_that_are_no_people_are_those_of_the_description(all_replays: dict[str, Any]) -> None:
    for name, replay in all_replays.items():
        people = {player.player for player in replay.players}
        rows = replay.table("units", columns=["player", "unit_type"]).to_pylist()
        assert {row["player"] for row in rows} - people <= {0, *range(11, 16)}, name
        assert {row["player"] for row in rows if row["unit_type"] == "FootmanMinion"} <= {11, 12}, name
        assert {row["player"] for row in rows if row["unit_type"] == "TownTownHallL2"} <= {11, 12}, name
