"""``playhead at`` as a shell sees it, and `Replay.at` behind it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run as playhead_command

import playhead

pytestmark = pytest.mark.slow_interpreted


run = partial(playhead_command, "at")


def test_json_is_the_moment(samples: dict[str, Path]) -> None:
    for path in samples.values():
        outcome = run(path, "0:05", "--json")
        assert (outcome.returncode, outcome.stderr) == (0, "")
        moment = playhead.open(path).at("0:05")
        assert json.loads(outcome.stdout) == {"file": str(path), **moment.as_dict()}


def test_json_hides_what_the_table_hides(corpus: Path) -> None:
    path = corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay"
    types = [row["unit_type"] for row in json.loads(run(path, "5:00", "--json").stdout)["units"]]
    assert "SCV" in types
    assert not [each for each in types if each.startswith("Beacon")]


def test_who_is_there_can_be_read(samples: dict[str, Path]) -> None:
    for path in samples.values():
        outcome = run(path, "0:05")
        assert (outcome.returncode, outcome.stderr) == (0, "")
        assert outcome.stdout.splitlines()[0].startswith(f"tick {playhead.open(path).to_tick('0:05')}, ")
        assert str(playhead.open(path).players[0].name) in outcome.stdout


def test_dota_players_are_those_of_the_series(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["source2"])
    series = replay.table("player_series").to_pylist()
    for tick in (900, 1800):
        expected = {row["player"]: row for row in series if row["tick"] == tick}
        rows = replay.at(tick).players
        assert len(rows) == len(expected) == 10
        for row in rows:
            there = expected[row["player"]]
            for name in ("level", "kills", "deaths", "net_worth", "last_hits", "health", "alive"):
                assert row[name] == there[name], name
            assert row["x"] == pytest.approx(there["x"], abs=0.05)


def test_sc2_players_have_what_the_statistics_say(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    last = replay.table("player_series").to_pylist()[-1]
    moment = replay.at(last["tick"])
    row = row_of(moment, last["player"])
    assert (row["minerals"], row["workers"]) == (last["minerals"], last["workers"])
    assert sum(unit["count"] + unit["under_construction"] for unit in moment.unit_counts) > 0
    # Rewards are upgrades in the file, but players do not call them so.
    assert "SprayTerran" in row_of(moment, 1)["upgrades"]
    shown = run(samples["sc2"], "4:00").stdout
    assert "Metabolic Boost" in shown
    assert "Spray" not in shown


def row_of(moment: playhead.Moment, player: int) -> Mapping[str, Any]:
    return next(row for row in moment.players if row["player"] == player)


def test_tees_are_where_positions_has_them(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["teehistorian"])
    moment = replay.at(250)
    tee = moment.players[0]
    assert tee["x"] is not None
    assert (tee["tile_x"], tee["tile_y"]) == (tee["x"] // 32, tee["y"] // 32)


@pytest.mark.parametrize(
    ("when", "status"), [("noon", 2), ("1:99", 2), ("99:00", 2), ("750", 2), ("999999t", 2), ("9999s", 2)]
)
def test_times_that_are_none(when: str, status: int, samples: dict[str, Path]) -> None:
    for path in samples.values():
        outcome = run(path, when)
        assert outcome.returncode == status
        assert "Traceback" not in outcome.stderr
        assert when in outcome.stderr


def test_sc2_players_have_their_army(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    tick = replay.info.duration_ticks or 0
    of_player = {row["player"]: row for row in replay.table("player_series").to_pylist()}  # the last statistics
    units = [row for row in replay.table("units").to_pylist() if row["army"] and row["end_tick"] is None]
    rows = replay.at(tick).players
    assert any(row["army_units"] for row in rows)
    for row in rows:
        if row["player"] in of_player:
            last = of_player[row["player"]]
            assert row["army_value"] == last["minerals_used_current_army"] + last["vespene_used_current_army"]
        own = [each for each in units if each["player"] == row["player"]]
        assert row["army_units"] == sum(each["finished_tick"] is not None for each in own)


def test_a_file_that_ends_before_the_moment_says_so_in_json(samples: dict[str, Path]) -> None:
    for paths in ([samples["sc2"]], [samples["sc2"], samples["hots"]]):
        outcome = run(*paths, "90:00", "--json", "-q")
        found = [json.loads(line) for line in outcome.stdout.splitlines()]
        assert (outcome.returncode, [row["file"] for row in found]) == (2, [str(path) for path in paths])
        assert all("expected a moment of the recording" in row["error"] for row in found)


def test_a_game_without_a_tracker_says_what_is_missing(corpus: Path) -> None:
    outcome = run(corpus / "sc2/1.5.0.22612/i_dunno_how_i_did_this.SC2Replay", "0:30")
    assert outcome.returncode == 0
    assert "has no units and resources: the game wrote no tracker events before 2.0.8" in outcome.stderr
