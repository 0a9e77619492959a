"""Why a player lost: the rules, in words and on real replays."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.cli.in_process import run as playhead_command
from tests.samples.blizzard import write_header

import playhead
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.model import Player
from playhead.sc2.coaching import coach
from playhead.sc2.coaching.comparison import _side_by_side, known_seconds, lead, standing_of
from playhead.sc2.coaching.reasons import _behind, _supply
from playhead.web.shelf import open_match

run = partial(playhead_command, "sc2", "coach")

_NONE = {"workers": 0, "income": 0, "army": 0, "bases": 0, "upgrades": 0}


def test_behind_from_a_minute_to_the_end() -> None:
    """A rule counts from the first minute after which it always applies."""
    players = [Player(player=number, name="", kind="human", team=number) for number in (1, 2)]
    info = SimpleNamespace(ticks_per_second=22.4, duration_seconds=330.0)
    replay: Any = SimpleNamespace(players=players, info=info)
    gaps = [9, 0, 7, 8, 12, 20]
    minutes = {
        1: {minute: {**_NONE, "workers": 10} for minute in range(6)},
        2: {minute: {**_NONE, "workers": 10 + gap} for minute, gap in enumerate(gaps)},
    }
    assert list(_behind(players[0], replay, minutes)) == [
        (
            180.0,
            "behind in workers",
            "from then on the opponents had at least 8 more workers: 18 against 10 at 3:00",
            10,
            18,
        )
    ]
    assert list(_behind(players[1], replay, minutes)) == []
    replay.info.duration_seconds = 360.0
    ((_, _, text, *_),) = _behind(players[0], replay, minutes)
    assert text.startswith("until 5:00, when statistics end, the opponents had at least 8 more workers")
    del minutes[1][5], minutes[2][5]  # one minute less: it did not last
    assert list(_behind(players[0], replay, minutes)) == []


def test_a_supply_block_has_the_time_of_the_longest() -> None:
    player = Player(player=1, name="Needle", kind="human", team=1)
    blocks = [(10.0, 18.0), (181.0, 250.0), (700.0, 720.0)]  # the second goes on in the next phase
    rows = [{"player": 1, "seconds": first, "end_seconds": last} for first, last in blocks]
    table = SimpleNamespace(to_pylist=lambda: rows)
    info = SimpleNamespace(duration_seconds=800.0)
    replay: Any = SimpleNamespace(players=[player], info=info, table=lambda name: table)
    assert [each[:3] for each in _supply(player, replay, {})] == [
        (181.0, "no free supply", "no free supply for 67 s, 0 to 4 min, 59 s of them from 3:01 on"),
        (700.0, "no free supply", "no free supply for 20 s, 8 to 12 min"),
    ]


@pytest.mark.parametrize("name", ["standing", "measures", "lapses", "steps", "curves"])
def test_a_table_that_only_the_coach_makes_says_so(samples: dict[str, Path], name: str) -> None:
    with pytest.raises(KeyError, match=r"`playhead sc2 coach .*--json` makes it"):
        playhead.open(samples["sc2"]).table(name)
    assert name not in playhead.open(samples["sc2"]).tables


def test_steps_stand_in_the_order_of_the_player() -> None:
    player = Player(player=1, name="Needle", kind="human", team=1)
    mine = {"Gateway": {"seconds": 40.0}, "Assimilator": {"seconds": 56.0}, "Gateway 2": {"seconds": 242.0}}
    theirs = {"Assimilator": {"seconds": 43.0}, "Gateway 2": {"seconds": 88.0}, "Forge": {"seconds": 100.0}}
    steps = [row["step"] for row in _side_by_side(player, mine, theirs)]
    assert steps == ["Gateway", "Assimilator", "Forge", "Gateway 2"]


@pytest.mark.long
def test_a_comparison_says_what_lead_means(samples: dict[str, Path], corpus: Path) -> None:
    outcome = run(samples["sc2"], "--against", corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay")
    assert "\nlead: +100 % a minute earlier than in the other game" in outcome.stdout


def test_the_lead_is_a_mean_of_shares() -> None:
    assert lead({"workers": 20, "army": 0}, {"workers": 10, "army": 0}) == 0.5
    assert lead({"workers": 0}, {"workers": 0}) is None


@pytest.mark.slow_interpreted
def test_a_loss_of_a_real_game(corpus: Path) -> None:
    path = corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay"
    replay = playhead.open(path)
    found = {name: table.to_pylist() for name, (_, table) in coach(replay, None).items()}
    fights = {row["engagement"]: row for row in replay.table("engagements").to_pylist() if row["player"] == 2}
    lost = [row for row in found["reasons"] if (row["player"], row["reason"]) == (2, "lost fight")]
    assert {row["tick"] for row in lost} == {row["tick"] for row in fights.values() if row["trade"] <= -500}
    standing = {(row["player"], row["minute"]): row for row in found["standing"]}
    series = replay.table("player_series").to_pylist()
    for minute in (5, 10, 15):
        mine, theirs = standing[2, minute], standing[1, minute]
        before = [row for row in series if row["player"] == 2 and row["tick"] <= minute * 1344]
        assert mine["workers"] == before[-1]["workers"] == theirs["opponent_workers"]
        assert mine["lead"] == pytest.approx(-theirs["lead"])
    assert mine["lead"] < -0.3  # Clem lost
    outcome = run(path, "--player", "clem")
    assert outcome.stdout.splitlines()[0] == "2 Clem (loss)"
    assert "  13:43  lost fight: a fight until 14:25 cost 2525 and killed 1525: 18 SCV" in outcome.stdout
    rows = [json.loads(line) for line in run(path, "--json").stdout.splitlines()]
    assert {row["table"] for row in rows} == {"measures", "reasons", "standing", "lapses"}
    both = run(path).stdout
    assert "\n\n2 Clem (loss)\n" in both
    assert "base lost: the Command Center" not in both  # he cancelled it
    fallen = [row["tick"] for row in found["reasons"] if row["reason"] == "base lost"]
    assert fallen == [row["end_tick"] for row in replay.table("bases").to_pylist() if row["outcome"] == "lost"]


def test_a_building_that_its_owner_cancels_is_not_lost(corpus: Path) -> None:
    replay = playhead.open(corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay")
    orders = {
        (row["player"], row["tick"])
        for row in replay.table("commands").to_pylist()
        if row["ability"] == "CancelBuilding"
    }
    ends = {(2, 2598), (2, 13257), (1, 14465)}
    assert ends <= orders
    for table in ("bases", "build_order"):
        rows = {
            (row["player"], row["end_tick"]): row for row in replay.table(table).to_pylist() if row["end_tick"]
        }
        assert [rows[each]["outcome"] for each in sorted(ends)] == ["cancelled"] * 3


@pytest.mark.long
def test_a_comparison_without_a_common_race_says_so(corpus: Path) -> None:
    path = corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay"
    outcome = run(path, "--against", corpus / "sc2/4.10.1.75800/4.10.0.75689__trophy_id_13.SC2Replay")
    assert outcome.returncode == 0
    assert "nothing is compared" in outcome.stderr


@pytest.mark.long
def test_equal_steps_in_a_row_are_one(corpus: Path) -> None:
    replay = playhead.open(corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay")
    (_, table) = coach(replay, replay)["steps"]
    steps = [row for row in table.to_pylist() if row["player"] == 1 and row["step"].startswith("Zergling")]
    made = [
        row["tick"]
        for row in replay.table("build_order").to_pylist()
        if (row["player"], row["product"], row["outcome"]) == (1, "Zergling", "finished")
    ]
    assert sum(row["times"] for row in steps) == sum(row["against_times"] for row in steps) == len(made)
    assert len(steps) < len(made) / 4
    assert steps[0]["tick"] == made[0]


@pytest.mark.long
def test_the_viewer_opens_on_the_largest_engagement(corpus: Path) -> None:
    path = corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay"
    rows = playhead.open(path).table("engagements").to_pylist()
    lost: Counter[int] = Counter()
    for row in rows:
        lost[row["engagement"]] += row["minerals_lost"] + row["vespene_lost"]
    ((number, _),) = lost.most_common(1)
    (span,) = {(row["tick"], row["end_tick"]) for row in rows if row["engagement"] == number}
    assert {row["engagement"] for row in rows if row["is_largest"]} == {number}
    opening = open_match(path).opening()
    assert opening is not None
    assert opening["label"].startswith("the largest fight: ")
    assert span[0] <= opening["tick"] <= span[1]
    killed = sorted((row["units_killed"] for row in rows if row["engagement"] == number), reverse=True)
    assert [int(count) for count in re.findall(r"\b(\d+)(?= kill|,|$)", opening["label"])] == killed


def test_minutes_of_each_player(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    minutes = standing_of(replay)
    length = replay.info.duration_seconds or 0
    assert all(set(held) <= set(range(int(length // 60) + 1)) for held in minutes.values())


@pytest.mark.slow_interpreted
def test_a_cut_tracker_ends_what_is_known(corpus: Path, tmp_path: Path) -> None:
    data = (corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay").read_bytes()
    archive = MpqArchive(memoryview(data), ARCHIVE_OFFSET, member_names.KNOWN_NAMES)
    members = {name: archive.read(name) for name in archive.names if name[0] != "("}
    tracked = members[member_names.TRACKER_EVENTS]
    members[member_names.TRACKER_EVENTS] = tracked[: len(tracked) // 2]
    path = tmp_path / "cut.SC2Replay"
    cut = [NewMember(name, data) for name, data in members.items()]
    header = playhead.open(data).recording.container.header
    path.write_bytes(write_archive(cut, write_header(header)))
    replay = playhead.open(path)
    assert known_seconds(replay) == pytest.approx(13437 / 22.4)
    found = {name: table.to_pylist() for name, (_, table) in coach(replay, None).items()}
    assert max(row["minute"] for row in found["standing"]) == 10
    assert {row["reason"] for row in found["reasons"]} == {"no free supply", "workers lost"}
    assert all(row["seconds"] + row["duration_seconds"] < 600 for row in found["lapses"])


def test_a_game_without_tracker_events_says_so(corpus: Path) -> None:
    outcome = run(corpus / "sc2/1.5.0.22612/i_dunno_how_i_did_this.SC2Replay")
    assert "has no reasons: the game wrote no tracker events before 2.0.8" in outcome.stderr
    packed = next((corpus / "sc2/3.16.1.55958").glob("*.SC2Replay"))
    reason = "the file has no replay.tracker.events, as in Blizzard's packs for machine learning"
    assert f"has no reasons: {reason}" in run(packed).stderr
    orders = playhead_command("sc2", "buildorder", packed, "--json")
    assert (orders.returncode, json.loads(orders.stdout)["file"]) == (2, str(packed))
    assert json.loads(orders.stdout)["error"].endswith(f"has no build orders: {reason}")


def test_arcade_games_are_not_compared(samples: dict[str, Path], corpus: Path, tmp_path: Path) -> None:
    path = corpus / "sc2/5.0.13.92174/Direct_Strike_TE__1022_.SC2Replay"
    outcome = playhead_command("report", samples["sc2"], "--against", path, "-o", tmp_path / "r.html")
    assert outcome.returncode == 2
    assert "is an arcade game" in outcome.stderr
    assert not (tmp_path / "r.html").exists()
    assert "is an arcade game" in run(path, "--against", samples["sc2"]).stderr


def test_a_season_ends_in_the_commonest_reasons(samples: dict[str, Path], tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.SC2Replay").write_bytes(samples["sc2"].read_bytes() + name.encode())
    outcome = run(tmp_path, samples["hots"], "--player", "Spindle")
    games = playhead.open(samples["sc2"]).presentation.coach(playhead.open(samples["sc2"]), None)["reasons"][1]
    reasons = {row["reason"] for row in games.to_pylist() if row["name"] == "Spindle"}
    _, _, season = outcome.stdout.partition("the commonest reasons in 2 games")
    assert season
    assert all(reason in season for reason in reasons)
    nobody = run(tmp_path, "--player", "nobody")
    assert nobody.stderr.splitlines() == ["playhead: note: 2 files: a StarCraft II replay has no player 'nobody'"]


def test_a_game_is_not_compared_with_itself(samples: dict[str, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy.SC2Replay"
    copy.write_bytes(samples["sc2"].read_bytes())
    for words in (("sc2", "coach"), ("report", "-o", tmp_path / "r.html")):
        outcome = playhead_command(*words, samples["sc2"], "--against", copy)
        assert outcome.returncode == 2
        assert "the game to compare with is this one" in outcome.stderr
