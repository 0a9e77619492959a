"""awpy and demoparser2 read the written match as playhead does, kill by kill and round by round.

Known differences, each with its reason, are beside the comparison.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.cs2.conftest import SEED
from tests.cs2.test_fights import clutches_told
from tests.samples.source2.cs2_match.commands import PLAIN_SLOT
from tests.samples.source2.cs2_match.demo import WrittenMatch, write_cs2_match
from tests.samples.source2.cs2_match.plan import plan_match

import playhead
from playhead.cs2.replay import Cs2Replay

#: Interpreter of an environment with awpy 3.1 and demoparser2 0.42; the tests are skipped without one.
PYTHON = os.environ.get("PLAYHEAD_AWPY_PYTHON", "")

pytestmark = [
    pytest.mark.skipif(not PYTHON, reason="no awpy (set PLAYHEAD_AWPY_PYTHON to an interpreter with it)"),
    pytest.mark.slow_interpreted,
]

_READ = """
import json, sys
from awpy import Demo
from demoparser2 import DemoParser
demo, parser = Demo(sys.argv[1]), DemoParser(sys.argv[1])
names = "kills damages shots blinds bomb fires rounds".split()
found = {name: getattr(demo, name).to_dicts() for name in names}
found["snapshots"] = demo.snapshots(every=16).to_dicts()
for name in ("player_death", "player_hurt", "weapon_fire", "round_end"):
    found["dp_" + name] = json.loads(parser.parse_event(name).to_json(orient="records"))
event = parser.parse_event("player_death", player=["balance", "current_equip_value", "active_weapon_name"])
found["dp_properties"] = json.loads(event.to_json(orient="records"))
wanted = ["X", "Y", "Z", "health", "armor_value", "team_num", "pitch", "yaw"]
ticks = parser.parse_ticks(wanted, ticks=list(range(0, 20000, 64)))
found["dp_ticks"] = json.loads(ticks.to_json(orient="records"))
frame = parser.parse_skins().astype({"steamid": str})
found["dp_skins"] = json.loads(frame.to_json(orient="records"))
wanted = ["glove_paint_" + name for name in ("id", "seed", "float")]
wanted += ["agent_skin", "weapon_skin_id", "weapon_float"]
ticks = parser.parse_ticks([*wanted, "weapon_stickers", "active_weapon_name", "team_num"]).astype({"steamid": str})
looks = ticks[ticks.active_weapon_name.isin(["AWP", "AK-47", "M4A4"])].astype({"weapon_stickers": str})
looks = looks.drop_duplicates([*wanted, "steamid", "active_weapon_name"])
found["dp_looks"] = json.loads(looks.to_json(orient="records"))
wanted = ["usercmd_" + name for name in "mouse_dx mouse_dy buttonstate_1 viewangle_y forward_move".split()]
found["dp_commands"] = json.loads(parser.parse_ticks(wanted).to_json(orient="records"))
json.dump(found, sys.stdout)
"""
_SIDES = {"terrorist": "t", "counter-terrorist": "ct", None: None}
#: Columns of awpy with another name here.
_NAMES = {
    "hitgroup": "hitgroup_id",
    "dmg_health_real": "damage",
    "dmg_health": "damage_reported",
    "dmg_armor": "armor_damage",
    "flash_duration": "flash_duration_seconds",
    "flash_duration_dealt": "enemies_flashed_seconds",
    "distance": "distance_metres",
    "duration": "duration_seconds",
    "velocity": "speed",
    "reason": "reason_id",
}
#: awpy's snapshots differ here: it takes m_Glow.m_bFlashing, which is of the glow around a player, for blindness;
#: says false where a player holds no weapon; and calls an incendiary grenade ``incendiary``.
_OTHERWISE = {"is_blinded", "is_reloading", "is_silent_reloading", "inventory"}
#: Words of demoparser2 for reasons of a round's end.
_REASONS = {1: "bomb_exploded", 7: "bomb_defused", 8: "t_killed", 9: "ct_killed", 12: "time_ran_out"}


def read(data: bytes, folder: Path) -> dict[str, list[dict[str, Any]]]:
    path = folder / "written.dem"
    path.write_bytes(data)
    run = subprocess.run([PYTHON, "-c", _READ, str(path)], capture_output=True, text=True, check=True)
    found: dict[str, list[dict[str, Any]]] = json.loads(run.stdout)
    return found


@pytest.fixture(scope="module")
def theirs(written: WrittenMatch, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    return read(written.data, tmp_path_factory.mktemp("peers"))


@pytest.fixture(scope="module")
def replay(written: WrittenMatch) -> Cs2Replay:
    opened = playhead.open(written.data)
    assert isinstance(opened, Cs2Replay)
    opened.read_tables(["rounds", "kills", "damage", "shots", "flashes", "infernos", "bomb"])
    return opened


def assert_same(mine: list[dict[str, Any]], told: list[dict[str, Any]], least: int, but: set[str]) -> None:
    """Compare all columns that both have, but some."""
    assert len(mine) == len(told)
    for row, named in zip(mine, told, strict=True):
        other = {_NAMES.get(name, name): value for name, value in named.items()}
        common = (row.keys() & other.keys()) - but
        assert len(common) >= least
        for name in common:
            value = other[name]
            if name.endswith("side"):
                value = _SIDES[value]
            if name == "round_num":
                value = value or None
            if isinstance(value, float):
                value = pytest.approx(value, abs=1e-2)
            assert row[name] == value, (row["tick"], name)


def test_awpy_has_the_same_kills(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    assert_same(replay.table("kills").to_pylist(), theirs["kills"], 26, set())


def test_awpy_has_the_same_damages(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    # awpy adds the damage of the event to the health after it: too much if the hit was worth more than was left.
    mine = replay.table("damage").to_pylist()
    assert_same(mine, theirs["damages"], 18, {"health_pre"})
    for row, other in zip(mine, theirs["damages"], strict=True):
        assert other["health_pre"] == min(100, row["health_post"] + row["damage_reported"]) >= row["health_pre"]


def test_awpy_has_the_same_shots(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    for row in theirs["shots"]:
        row["weapon"] = row["weapon"].removeprefix("weapon_")
    # The match has no messages of bullets, so the inaccuracy is unknown; awpy says 0.
    assert_same(replay.table("shots").to_pylist(), theirs["shots"], 8, {"inaccuracy"})


def test_awpy_has_the_same_flashes(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    def key(row: dict[str, Any]) -> tuple[int, str]:
        return row["tick"], row["victim_name"]

    mine = sorted(replay.table("flashes").to_pylist(), key=key)
    assert_same(mine, sorted(theirs["blinds"], key=key), 12, set())


def test_awpy_has_the_same_fires(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    for row in theirs["fires"]:
        row["tick"] = row["start_tick"]
    # Handles of throwers are networked with 14 bits of index; awpy 3.1.1 expects 15 and finds nobody.
    assert_same(replay.table("infernos").to_pylist(), theirs["fires"], 5, {"thrower_name", "thrower_side"})


def test_awpy_has_the_same_bomb(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    words = {
        "picked_up": "pickup",
        "dropped": "drop",
        "plant_started": "start_plant",
        "plant_aborted": "interrupt_plant",
        "planted": "finish_plant",
        "defused": "defuse",
        "exploded": "detonate",
    }
    told = {(row["tick"], row["event"], row["name"]) for row in theirs["bomb"]}
    mine = {
        (row["tick"], words[row["event"]], row["name"])
        for row in replay.table("bomb").to_pylist()
        if row["event"] in words
    }
    assert told <= mine
    # awpy has no bomb given at the begin of a round, no explosion, and no begin and abort of defusing.
    begins = set(replay.table("rounds").column("start_tick").to_pylist())
    assert {row for row in mine - told if row[0] not in begins and row[1] != "detonate"} == set()


def test_awpy_has_the_same_rounds_since_the_backup(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    counted = [row for row in replay.table("rounds").to_pylist() if row["counts"]]
    # awpy drops all that was before a restored backup, rounds that still count too.
    since = [row for row in counted if row["round_num"] > 1]
    assert_same_rounds(since, theirs["rounds"])


def assert_same_rounds(mine: list[dict[str, Any]], told: list[dict[str, Any]]) -> None:
    names = ("round_num", "start_tick", "freeze_end_tick", "end_tick", "official_end_tick", "reason")
    ours = [_NAMES.get(name, name) for name in names]
    assert [[row[name] for name in ours] for row in mine] == [[row[name] for name in names] for row in told]
    assert [row["winner_side"] for row in mine] == [_SIDES[row["winner_side"]] for row in told]


def test_awpy_has_the_same_rounds_of_three_overtimes(tmp_path: Path) -> None:
    match = write_cs2_match(3, plan=plan_match(4, 2, overtimes=3, backup=False), seed=int(SEED or 11))
    mine = playhead.open(match.data).table("rounds").to_pylist()
    assert_same_rounds([row for row in mine if row["counts"]], read(match.data, tmp_path)["rounds"])


def test_awpy_has_the_same_players_over_time(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    told = {(row["tick"], row["name"]): row for row in theirs["snapshots"]}
    ticks = sorted({tick for tick, _ in told})
    mine = {(row["tick"], row["name"]): row for row in replay.table("player_series", ticks=ticks).to_pylist()}
    assert len(told) > 8000
    assert mine.keys() >= told.keys()
    for key, other in told.items():
        assert_same([mine[key]], [other], 25, _OTHERWISE)


def test_demoparser2_has_the_same_kills(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    mine = replay.table("kills").to_pylist()
    # It leaves out bots, and has nobody in a slot that two people had.
    left_out = {player.name for player in replay.players if player.kind == "computer"} | {"Pumice", "Obsidian"}
    assert len(mine) == len(theirs["dp_player_death"])
    for row, other in zip(mine, theirs["dp_player_death"], strict=True):
        for name in ("tick", "weapon", "headshot", "noscope", "thrusmoke", "penetrated", "dmg_health"):
            assert row[_NAMES.get(name, name)] == other[name], name
        assert row["distance_metres"] == pytest.approx(other["distance"], abs=1e-3)
        for role, key in (("attacker", "attacker"), ("victim", "user"), ("assister", "assister")):
            if row[f"{role}_name"] not in left_out:
                assert row[f"{role}_name"] == other[f"{key}_name"]


def test_demoparser2_has_the_same_properties_at_events(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    mine = replay.table("kills", raw=["money", "m_unCurrentEquipmentValue"]).to_pylist()
    names = {"money": "balance", "m_unCurrentEquipmentValue": "current_equip_value"}
    left_out = {player.name for player in replay.players if player.kind == "computer"} | {"Pumice", "Obsidian"}
    compared = 0
    for row, other in zip(mine, theirs["dp_properties"], strict=True):
        for role, key in (("attacker", "attacker"), ("victim", "user")):
            if row[f"{role}_name"] in left_out or row[f"{role}_controls_bot"] or other[f"{key}_name"] is None:
                continue
            for name, told in names.items():
                assert row[f"{role}_{name}"] == other[f"{key}_{told}"], (row["tick"], role, name)
                compared += 1
    assert compared > 100


def test_demoparser2_has_the_same_hits_and_shots(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    names = ("tick", "weapon", "dmg_health", "dmg_armor")
    told = [[row[name] for name in names] for row in theirs["dp_player_hurt"]]
    assert [[row[_NAMES.get(name, name)] for name in names] for row in replay.table("damage").to_pylist()] == told
    shots = [(row["tick"], row["weapon"].removeprefix("weapon_")) for row in theirs["dp_weapon_fire"]]
    assert [(row["tick"], row["weapon"]) for row in replay.table("shots").to_pylist()] == shots


def test_demoparser2_has_the_same_ends_of_rounds(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    ended = [row for row in replay.table("rounds").to_pylist() if row["end_tick"] is not None]
    mine = [(row["end_tick"], row["winner_side"].upper(), _REASONS[row["reason_id"]]) for row in ended]
    told = [(row["tick"], row["winner"], row["reason"]) for row in theirs["dp_round_end"]]
    # It counts the restart after the knife round as an end without a winner.
    assert mine == [row for row in told if row[1] in ("T", "CT")]


def test_demoparser2_has_the_same_players_over_time(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    told = [row for row in theirs["dp_ticks"] if row["X"] is not None]
    ticks = sorted({row["tick"] for row in told})
    mine = {(row["tick"], row["name"]): row for row in replay.table("player_series", ticks=ticks).to_pylist()}
    columns = {"X": "x", "Y": "y", "Z": "z", "health": "health", "armor_value": "armor", "pitch": "pitch"}
    compared = 0
    for other in told:
        row = mine.get((other["tick"], other["name"]))
        # Somebody left; demoparser2 shows the dead body of a player who plays with a bot's.
        if row is None or row["controls_bot"]:
            continue
        compared += 1
        for theirs_name, name in columns.items():
            assert row[name] == pytest.approx(other[theirs_name], abs=1e-2), (other["tick"], name)
    assert compared > 2000


def test_demoparser2_has_the_same_skins(replay: Cs2Replay, theirs: dict[str, Any]) -> None:
    mine = replay.table("skins").to_pylist()
    shown = {row["account"]: row for row in mine if row["entity"] is None}
    names = {
        "def_index": "item_id",
        "item_id": "econ_item",
        "paint_index": "paint_kit",
        "paint_seed": "paint_seed",
    }
    assert len(shown) == len(theirs["dp_skins"])
    for other in theirs["dp_skins"]:
        row = shown[other["steamid"]]
        assert [row[name] for name in names.values()] == [other[name] for name in names]
        assert [row["custom_name"]] == [other["custom_name"]]
    titles = {"AWP": "awp", "AK-47": "ak47", "M4A4": "m4a1"}
    agents = {"customplayer_t_map_based": 5036, "customplayer_ct_map_based": 5037}
    compared = 0
    for other in theirs["dp_looks"]:
        own = [row for row in mine if row["account"] == other["steamid"] and row["entity"] is not None]
        (gloves,) = (row for row in own if row["kind"] == "gloves")
        assert [gloves["paint_kit"], float(gloves["paint_seed"]), gloves["paint_wear"]] == [
            other[f"glove_paint_{name}"] for name in ("id", "seed", "float")
        ]
        worn = {row["side"]: row["item_id"] for row in own if row["kind"] == "agent"}
        assert worn[{2: "t", 3: "ct"}[other["team_num"]]] == agents[other["agent_skin"]]
        weapon = titles[other["active_weapon_name"]]
        held = next((row for row in own if row["item"] == weapon), None)
        if held is not None and weapon == "awp":  # it has no fallback paints, and no picked up weapon is its own
            assert (held["paint_kit"], held["paint_wear"]) == (other["weapon_skin_id"], other["weapon_float"])
            found = re.findall(r"'id': (\d+).*?'wear': ([\d.]+)", other["weapon_stickers"])
            stickers = list(zip(held["stickers"], held["sticker_wears"], strict=True))
            assert [(int(sticker), float(wear)) for sticker, wear in found] == stickers
            compared += 1
    assert compared or not any(row["item"] == "awp" for row in mine)


def test_demoparser2_reads_the_same_commands_whole_and_as_deltas(
    replay: Cs2Replay, theirs: dict[str, Any]
) -> None:
    names = {"mouse_dx": "mouse_x", "mouse_dy": "mouse_y", "buttonstate_1": "buttons", "viewangle_y": "yaw"}
    names["forward_move"] = "forward"
    told = {(row["tick"], row["name"]): row for row in theirs["dp_commands"]}
    mine = replay.table("inputs").to_pylist()
    assert {row["is_delta"] for row in mine} == {False, True}
    # demoparser2 0.42.0 applies a delta to the slot's latest command whatever its number, and drops one that
    # changes an element in the middle of a list: the second player's commands have both.
    plain = [row for row in mine if row["player"] == PLAIN_SLOT]
    assert 100 < len(plain) < len(mine)
    for row in plain:  # its rows of a tick precede the commands in the tick's packet
        other = told[row["tick"] + 1, row["name"]]
        assert [row[name] for name in names.values()] == [other[f"usercmd_{name}"] for name in names]


_STATS = """
import json, sys
from awpy import Demo
stats = Demo(sys.argv[1]).stats
print(json.dumps((stats() if callable(stats) else stats).to_dicts()))
"""


def test_awpy_has_the_same_stats(tmp_path: Path) -> None:
    # Without a backup: awpy leaves out the rounds before one. Nobody leaves or comes: in awpy everybody played all
    # rounds, and a player who left may still be the last of a side.
    match = write_cs2_match(6, plan=plan_match(6, 2, overtimes=2, backup=False, quiet=True), seed=int(SEED or 11))
    path = tmp_path / "written.dem"
    path.write_bytes(match.data)
    run = subprocess.run([PYTHON, "-c", _STATS, str(path)], capture_output=True, text=True, check=True)
    theirs = {row["name"]: row for row in json.loads(run.stdout)}
    mine = {row["name"]: row for row in playhead.open(path).table("player_stats").to_pylist()}
    assert mine.keys() == theirs.keys()
    # awpy leaves out some of the living: a bot, and who hit nobody in the round. Clutches are those of the story.
    clutches = Counter(row["name"] for row in clutches_told(match.story))
    for name, told in theirs.items():
        assert mine[name]["clutches_played"] == clutches[name]
        for column in told.keys() - {"steamid"}:
            if not column.startswith("clutch"):
                value = mine[name][_NAMES.get(column, column)]
                assert value == pytest.approx(told[column], abs=1e-2), (name, column)


#: The program of benchmarks/peers/demoinfocs, built with Go.
DEMOINFOCS = os.environ.get("PLAYHEAD_DEMOINFOCS", "")
#: The person of a slot whom demoinfocs names, and its words.
_FIRST_HAD = {"Obsidian": "Pumice", "t": 2, "ct": 3}
_WORDS = {
    "Smoke Grenade": "smokegrenade",
    "Flashbang": "flashbang",
    "HE Grenade": "hegrenade",
    "Molotov": "molotov",
    "Incendiary Grenade": "incgrenade",
    "Decoy Grenade": "decoy",
}


@pytest.mark.skipif(not DEMOINFOCS, reason="no demoinfocs (set PLAYHEAD_DEMOINFOCS to the built program)")
def test_demoinfocs_has_the_same_fights(written: WrittenMatch, replay: Cs2Replay, tmp_path: Path) -> None:
    path = tmp_path / "written.dem"
    path.write_bytes(written.data)
    found = json.loads(subprocess.run([DEMOINFOCS, str(path)], capture_output=True, text=True, check=True).stdout)
    # demoinfocs has the first of two people who had a slot, has no shots of knives, counts no damage to a player
    # whose body another plays, and has another order within a tick.
    named = ("kills", "damage", "shots", "flashes", "grenades", "other_deaths", "chat")
    tables = {name: replay.table(name).to_pylist() for name in named}
    for table, event in (("bomb", "planted"), ("bomb", "defused"), ("bomb", "exploded"), ("hostages", "rescued")):
        tables[event] = [row for row in replay.table(table).to_pylist() if row["event"] == event]
    tables["rounds"] = [row for row in replay.table("rounds").to_pylist() if row["end_tick"] is not None]
    tables["rounds"] = [row | {"tick": row["end_tick"]} for row in tables["rounds"]]
    tables["shots"] = [row for row in tables["shots"] if not row["weapon"].startswith("knife")]
    for name, rows in tables.items():
        columns = sorted(found[name][0])

        def key(row: dict[str, Any], columns: list[str] = columns) -> tuple[Any, ...]:
            return row["tick"], *(str(row[column]) for column in columns if column.endswith("name"))

        mine = [{column: _FIRST_HAD.get(row[column], row[column]) for column in columns} for row in rows]
        told = [row | {column: _WORDS.get(row[column], row[column]) for column in columns} for row in found[name]]
        assert len(mine) == len(told) > 0
        for row, other in zip(sorted(mine, key=key), sorted(told, key=key), strict=True):
            if other.get("damage") == 0:
                row["damage"] = 0
            for column, value in other.items():
                near = pytest.approx(value, abs=1e-3) if isinstance(value, float) else value
                assert row[column] == near, (name, row["tick"], column)


#: The program of csda, as the package @akiver/cs-demo-analyzer of npm has it.
CSDA = os.environ.get("PLAYHEAD_CSDA", "")


@pytest.mark.skipif(not CSDA, reason="no csda (set PLAYHEAD_CSDA to its program)")
def test_csda_has_the_same_fights(tmp_path: Path) -> None:
    # Without a backup: csda counts the rounds that it undid.
    match = write_cs2_match(6, plan=plan_match(6, 2, overtimes=2, backup=False, quiet=True), seed=int(SEED or 11))
    path = tmp_path / "written.dem"
    path.write_bytes(match.data)
    command = [CSDA, "-demo-path", str(path), "-output", str(tmp_path / ""), "-format", "json", "-source", "valve"]
    subprocess.run([*command, "-positions"], capture_output=True, check=True)
    found = json.loads((tmp_path / "written.json").read_text())
    replay = playhead.open(path)
    tables = {name: replay.table(name).to_pylist() for name in ("kills", "damage", "clutches")}
    kills, hits = ([row for row in tables[name] if row["counts"]] for name in ("kills", "damage"))
    names = "tick attacker_name victim_name headshot thrusmoke noscope assister_name victim_in_air".split()
    theirs = (
        "tick killerName victimName isHeadshot isThroughSmoke isNoScope assisterName is_victim_airborne".split()
    )
    mine = [tuple(row[name] or "" for name in names) for row in kills]
    told = [tuple(row[each] or "" for each in theirs) for row in found["kills"]]
    assert mine == [tuple("" if value == "World" else value for value in row) for row in told]
    assert [row["damage"] for row in hits] == [row["healthDamage"] for row in found["damages"]]
    names = "round_num name opponents kills won survived".split()
    theirs = "roundNumber clutcherName opponentCount clutcherKillCount hasWon clutcherSurvived".split()
    mine = sorted(tuple(row[name] for name in names) for row in tables["clutches"])
    assert mine == sorted(tuple(row[name] for name in theirs) for row in found["clutches"])
    stats = {row["name"]: row for row in replay.table("player_stats").to_pylist()}
    # It counts no damage to bots.
    bots = {row["player"] for row in replay.table("players").to_pylist() if row["kind"] == "computer"}
    for name, player in found["players"].items():
        row = stats[player["name"]]
        ours = [row[each] for each in "kills deaths headshot_kills opening_kills opening_deaths rating_1".split()]
        names = "killCount deathCount headshotCount firstKillCount firstDeathCount hltvRating".split()
        assert ours == pytest.approx([player[each] for each in names], abs=1e-4), name
        lost = [
            hit["damage"]
            for hit in hits
            if hit["attacker_player"] == row["player"] and hit["victim_player"] in bots
        ]
        adr = row["adr"] - sum(lost) / row["rounds_played"]
        assert player["averageDamagePerRound"] == pytest.approx(adr, abs=1e-3)
