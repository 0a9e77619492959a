"""`match.json` of the sample in OpenDota's shape, and gem-dota's result of the same recording."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import playhead
from playhead.cli.program import run
from playhead.dota2.opendota.match import draft_timings
from playhead.dota2.opendota.players import _score
from playhead.dota2.sources.names import number_of

sys.path.insert(0, str(Path(__file__).parent))
import gem_agreement as gem

# Keys of players that gem has under the same name.
SAME = (
    "damage damage_taken damage_inflictor damage_inflictor_received damage_targets ability_targets hero_hits "
    "healing ability_uses gold_reasons xp_reasons killed killed_by purchase multi_kills kill_streaks obs "
    "sen lane lane_role is_roaming obs_placed sen_placed camps_stacked creeps_stacked rune_pickups "
    "account_id level last_hits net_worth observer_kills sentry_kills courier_kills neutral_kills lane_kills "
    "buyback_count first_purchase_time"
).split()


@pytest.fixture(scope="module", params=["sample", "story"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "sample":
        from tests.samples.source2.dota2 import write_sample

        return write_sample(folder)
    corpus: Path = request.getfixturevalue("corpus")
    packed = corpus / "source2" / "dota2_story.dem.xz"
    if not packed.exists():
        pytest.skip("dota2_story is not in the corpus")
    import lzma

    unpacked = folder / "story.dem"
    unpacked.write_bytes(lzma.decompress(packed.read_bytes()))
    return unpacked


def document(path: Path) -> dict[str, Any]:
    replay = playhead.open(path)
    found: dict[str, Any] = replay.documents["opendota"].build(replay)
    return found


@pytest.mark.long
@pytest.mark.stepped
def test_players_are_those_of_gem(path: Path) -> None:
    theirs = gem.parse(str(path))
    for mine, other in zip(document(path)["players"], theirs.players, strict=True):
        for key in SAME:
            if "sample" in path.name and key == "first_purchase_time":
                continue  # the sample begins after the horn, so gem's clock is ahead
            if mine[key] is not None:  # gem has 0 for what a recording lacks
                assert mine[key] == getattr(other, key), key
        # gem looks at other ticks of a second.
        assert _samples(mine["lane_pos"]) == pytest.approx(_samples(other.lane_pos), abs=3)


def _samples(places: dict[str, dict[str, int]]) -> int:
    return sum(sum(column.values()) for column in places.values())


def test_abilities_from_the_start_are_no_upgrades(corpus: Path) -> None:
    """Innate abilities have a level from the start; OpenDota lists what players learn."""
    path = corpus / "source2" / "dota2_build9912_10bots.dem"
    upgrades = playhead.open(path).table("ability_upgrades").to_pylist()
    assert all(row["is_initial"] for row in upgrades)
    assert sum(number_of(row["ability"]) is not None for row in upgrades) > 10
    assert [row["ability_upgrades_arr"] for row in document(path)["players"]] == [[]] * 10


@pytest.mark.long
def test_adds_up_as_the_tables(path: Path) -> None:
    replay, found = playhead.open(path), document(path)
    totals = replay.table("combat_totals").to_pylist()
    for player, row in enumerate(found["players"]):
        dealt = sum(each["total"] for each in totals if each["kind"] == "damage" and each["player"] == player)
        assert sum(row["damage"].values()) == dealt
        assert row["hero_damage_t"] == sorted(row["hero_damage_t"])
        assert len(row["times"]) == len(row["gold_t"]) == len(found["radiant_gold_adv"])
    assert (
        found["radiant_gold_adv"] == replay.table("team_series", clock="game", every="1m")["gold_lead"].to_pylist()
    )
    for row in found["players"]:
        assert row["life_state_dead"] == row["life_state"].get("2", 0)
        assert row["first_purchase_time"].keys() == row["purchase_time"].keys() == row["item_usage"].keys()
        assert row["actions_per_min"] is None or row["actions_per_min"] <= sum(row["actions"].values())
        if len(row["gold_t"]) > 10:
            assert row["lane_efficiency_pct"] == int(row["gold_t"][10] / 49.48)
    fallen = [row for row in found["objectives"] if row["type"] == "building_kill"]
    assert len(fallen) == replay.table("structures").num_rows - replay.table("structures")["end_tick"].null_count
    smoked = [row for row in replay.table("kills").to_pylist() if row["smoked"]]
    assert sum("smoke" in kill for row in found["players"] for kill in row["kills_log"]) == len(smoked)
    for fight in found["teamfights"]:
        assert fight["deaths"] >= 3
        assert fight["start"] < fight["last_death"] < fight["end"]
        assert len(fight["players"]) == 10


def test_ratios_round_halves_up() -> None:
    score = {"kills": 9, "deaths": 7, "assists": 0, "level": 1, "last_hits": 0, "denies": 0, "healing": None}
    stats = defaultdict(lambda: None, score)
    match = {"duration_seconds": 600.0, "official_duration_seconds": None}
    assert _score(stats, match)["kda"] == 1.13  # 9 / 8


@pytest.fixture
def sample_path(sample: Any, tmp_path: Path) -> Path:
    path = tmp_path / "sample.dem"
    path.write_bytes(sample.data)
    return path


def test_command_line(tmp_path: Path, sample_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(sample_path), "--format", "opendota", "-o", str(tmp_path / "out")]) == 0
    written = tmp_path / "out" / "match.json"
    assert capsys.readouterr().out.strip() == str(written)
    assert json.loads(written.read_text())["match_id"] == 7000000001
    assert run(["export", str(sample_path), "--format", "opendot", "-o", str(tmp_path)]) == 2
    assert "did you mean opendota?" in capsys.readouterr().err
    chosen = ["--format", "opendota", "--table", "kills"]
    assert run(["export", str(sample_path), *chosen, "-o", str(tmp_path)]) == 2


def test_export_in_python(tmp_path: Path, sample_path: Path) -> None:
    replay = playhead.open(sample_path)
    assert replay.export(tmp_path / "out", format="opendota") == [tmp_path / "out" / "match.json"]
    with pytest.raises(ValueError, match="has no tables"):
        replay.export(tmp_path / "out", format="opendota", tables="kills")


def test_draft_timings_are_those_of_the_published_rules() -> None:
    step = {"player": None, "radiant_reserve_seconds": 130.0, "dire_reserve_seconds": 120.4}
    draft = [
        step | {"order": 0, "action": "ban", "active_team": 2, "hero_id": 1, "used_seconds": None},
        step | {"order": 1, "action": "pick", "active_team": 3, "hero_id": 2, "used_seconds": 7.0, "player": 4},
        step | {"order": 2, "action": "ban", "active_team": 2, "hero_id": 3, "used_seconds": 3.0},
    ]
    first, second, last = draft_timings(draft, {4: 128})
    assert (first["order"], first["extra_time"], first["total_time_taken"]) == (1, 120, None)
    assert (second["pick"], second["player_slot"], second["active_team"], second["extra_time"]) == (
        True,
        128,
        3,
        130,
    )
    assert (last["order"], last["extra_time"], last["total_time_taken"]) == (3, 130, 3)
