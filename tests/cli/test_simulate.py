"""``playhead ddnet simulate``: shares, parts, files and exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.in_process import run
from tests.teehistorian.physics.written_games import FLOOR, write_map, write_recording


@pytest.fixture
def race(tmp_path: Path) -> Path:
    """One tee stands for 20 ticks; then a row says that it jumped aside, which nothing explains."""
    sha256 = write_map(tmp_path / "floor.map")
    (tmp_path / f"floor_{sha256}.map").write_bytes((tmp_path / "floor.map").read_bytes())
    (tmp_path / "floor.map").write_bytes(b"another map")
    places = [(100, FLOOR)] * 20 + [(700, FLOOR)] * 20
    (tmp_path / "race.teehistorian").write_bytes(write_recording(sha256, places, {}))
    return tmp_path / "race.teehistorian"


def test_shares_of_all_and_of_a_part(race: Path) -> None:
    done = run("ddnet", "simulate", race, "--maps", race.parent, "--to", "10t", "--player", "0")
    assert done.returncode == 0, done.stderr
    lines = {line[:12].strip(): line[12:] for line in done.stdout.splitlines()}
    assert lines["compared"] == "39 positions of tees"
    assert lines["exact"] == "38 (97.436 %)"
    assert lines["this part"] == "9 positions, 9 exact (100.000 %)"
    assert lines["breaks"] == "1: a certain state was lost"
    assert lines[""] == "1: a tee moved farther than any can"


def test_too_small_a_share_is_a_problem(race: Path) -> None:
    assert run("ddnet", "simulate", race, "--maps", race.parent).returncode == 3


def test_tables_and_demo(race: Path) -> None:
    places = ("-o", race.parent / "out", "--demo", race.parent / "out.demo")
    done = run("ddnet", "simulate", race, "--maps", race.parent, "--least", "0", "--format", "csv", *places)
    assert done.returncode == 0, done.stderr
    names = {"physics", "hooks", "shots", "hits", "freezes", "races", "deaths", "kills"}
    assert {path.name for path in (race.parent / "out").iterdir()} == {f"{name}.csv" for name in names}
    assert len((race.parent / "out" / "physics.csv").read_text().splitlines()) == 41
    assert (race.parent / "out.demo").read_bytes()[:7] == b"TWDEMO\0"


def test_a_map_is_needed_and_must_be_the_right_one(race: Path, tmp_path: Path) -> None:
    assert run("ddnet", "simulate", race).returncode == 2
    missing = run("ddnet", "simulate", race, "--maps", Path(__file__).parent)
    assert missing.returncode == 1
    assert "--map FILE|DIR" in missing.stderr
    (tmp_path / "old.teehistorian").write_bytes(write_recording("", [(100, FLOOR)], {}))
    unhashed = run("ddnet", "simulate", tmp_path / "old.teehistorian", "--maps", Path(__file__).parent)
    assert ("not recorded" in unhashed.stderr, "_.map" in unhashed.stderr) == (True, False)
    other = write_map(tmp_path / "other.map", {(3, 3): 1})
    refused = run("ddnet", "simulate", race, "--map", tmp_path / "other.map")
    assert refused.returncode == 1
    assert other in refused.stderr
    allowed = run("ddnet", "simulate", race, "--map", tmp_path / "other.map", "--other-map", "--least", "0")
    assert "other.map is not the map of this recording" in allowed.stderr


def test_a_run_that_nothing_explains_is_not_verified(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map", {(3, 9): 33, (20, 9): 34})
    places = [(100, FLOOR)] * 20 + [(300, FLOOR), (500, FLOOR), (660, FLOOR)] + [(700, FLOOR)] * 5
    (tmp_path / "race.teehistorian").write_bytes(write_recording(sha256, places, {}))
    done = run("ddnet", "verify-runs", tmp_path / "race.teehistorian", "--maps", tmp_path)
    assert done.returncode == 3
    assert "not verified: positions differ" in done.stdout
    assert "0 of 1 runs are verified" in done.stdout
    assert run("ddnet", "verify-runs", tmp_path / "race.teehistorian").returncode == 2
    other_team = run("ddnet", "verify-runs", tmp_path / "race.teehistorian", "--maps", tmp_path, "--team", "3")
    assert (other_team.returncode, other_team.stdout) == (0, "")


def test_bare_numbers_are_no_times(race: Path) -> None:
    done = run("ddnet", "simulate", race, "--maps", race.parent, "--from", "9.4")
    assert done.returncode == 2
    assert "9.4s for seconds" in done.stderr


def test_a_team(race: Path) -> None:
    done = run("ddnet", "simulate", race, "--maps", race.parent, "--team", "4", "--least", "0")
    assert done.returncode == 2
    assert "nobody was in that team" in done.stderr


def test_sql_of_a_simulation(race: Path) -> None:
    query = "select count(*) n from physics where exact"
    done = run("sql", query, race, "--map", race.parent, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == '{"n": 38}'
    assert "physics" in run("sql", query, race).stderr


def test_a_session(race: Path) -> None:
    """The exit status is that of the part: this connection's ticks."""
    part = ("--map", race.parent, "--to", "10t", "--session")
    done = run("ddnet", "simulate", race, *part, "0")
    assert (done.returncode, "this part   9 positions, 9 exact" in done.stdout) == (0, True)
    nobody = run("ddnet", "simulate", race, *part, "7")
    assert nobody.returncode == 2
    assert "nobody was in that session" in nobody.stderr


def test_a_map_is_found_by_its_hash_under_any_name(race: Path, tmp_path: Path) -> None:
    """All commands take a file or a folder."""
    folder = tmp_path / "other names"
    folder.mkdir()
    own = next(path for path in race.parent.glob("floor_*.map"))
    (folder / "a.map").write_bytes(b"x" * own.stat().st_size)
    own.rename(folder / "b.map")
    assert run("ddnet", "simulate", race, "--map", folder, "--least", "0").returncode == 0
    assert run("sql", "select count(*) n from physics", race, "--maps", folder, "--json").returncode == 0
    report = run("report", race, "--map", folder, "-o", tmp_path / "report.html")
    assert (report.returncode, report.stderr) == (0, "")


def test_json_has_the_counts_and_the_part(race: Path) -> None:
    done = run("ddnet", "simulate", race, "--maps", race.parent, "--to", "10t", "--player", "0", "--json")
    found = json.loads(done.stdout)
    assert (found["file"], found["compared"], found["exact"]) == (str(race), 39, 38)
    assert (found["part_compared"], found["part_exact"], found["breaks_teleport"]) == (9, 9, 1)
