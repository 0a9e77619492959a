"""``playhead sql`` as a shell sees it."""

from __future__ import annotations

import csv
import json
import shutil
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run as playhead_command

import playhead
from playhead.registry import list_formats
from playhead.samples import write_stored

pytest.importorskip("duckdb", reason="SQL is DuckDB's")


run = partial(playhead_command, "sql")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("samples")
    for known in list_formats():
        known.write_sample(made)
    (made / "notes.txt").write_text("no replay")
    return made


@pytest.fixture
def sc2(folder: Path) -> Path:
    return next(folder.glob("*.SC2Replay"))


def test_numbers_of_32_bits_have_their_own_digits(folder: Path) -> None:
    query = "SELECT CAST(93.1 AS FLOAT) AS x, CAST(0.1 AS DOUBLE) AS y, NULL::FLOAT AS z"
    found = run(query, folder / "sample_sc2.SC2Replay")
    assert found.stdout.split()[-3:] == ["93.1", "0.1", "-"]


def test_a_table_to_read(sc2: Path) -> None:
    outcome = run("SELECT name, 0.5 AS half, NULL AS nothing FROM players ORDER BY player", sc2)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    lines = [line.split() for line in outcome.stdout.splitlines()]
    assert lines[0] == ["name", "half", "nothing"]
    assert lines[2:] == [[player.name, "0.5", "-"] for player in playhead.open(sc2).players]


def test_nothing_wide_is_squeezed_away(folder: Path) -> None:
    outcome = run("SELECT * FROM combat_log LIMIT 1", next(folder.glob("*.dem")))
    columns = playhead.open(next(folder.glob("*.dem"))).tables["combat_log"].column_names
    assert outcome.stdout.splitlines()[0].split() == ["file", *columns]


def test_long_results_are_cut_and_say_so(sc2: Path) -> None:
    outcome = run("SELECT * FROM sync", sc2, "--rows", "5")
    assert len(outcome.stdout.splitlines()) == 7
    assert outcome.stderr == f"5 of {playhead.open(sc2).table('sync').num_rows} rows; --rows N for more\n"


def test_a_table_that_a_recording_leaves_empty_has_a_note(corpus: Path, tmp_path: Path) -> None:
    old = corpus / "sc2/1.5.0.22612/i_dunno_how_i_did_this.SC2Replay"
    query = "SELECT count(*) AS n FROM engagements"
    reason = "has no rows of table engagements: the game wrote no tracker events before 2.0.8"
    outcome = run(query, old)
    assert (outcome.returncode, outcome.stdout.split()[-1]) == (0, "0")
    assert outcome.stderr == f"playhead: note: {old} is a StarCraft II replay, which {reason}\n"
    assert run(query, old, "-q").stderr == ""
    shutil.copy(old, tmp_path / "again.SC2Replay")
    whole = corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay"
    several = run(query, old, tmp_path / "again.SC2Replay", whole)
    assert several.stderr == f"playhead: note: 2 files: a StarCraft II replay {reason}\n"
    in_part = run("SELECT count(*) FROM hero_deaths", corpus / "hots/towers_39445.StormReplay")
    assert "lacks rows of table hero_deaths: the file has only the first death" in in_part.stderr


def test_a_column_that_a_recording_leaves_null_has_a_note(sc2: Path) -> None:
    outcome = run("SELECT name, prestige FROM players", sc2)
    assert "has no values of column players.prestige: only missions of co-op" in outcome.stderr
    assert "commander_level" not in outcome.stderr


def test_csv_and_ndjson(sc2: Path) -> None:
    names = [player.name for player in playhead.open(sc2).players]
    text = "SELECT name, player FROM players ORDER BY player"
    rows = list(csv.DictReader(run(text, sc2, "--format", "csv").stdout.splitlines()))
    assert [row["name"] for row in rows] == names
    lines = run(text, sc2, "--format", "ndjson").stdout.splitlines()
    assert [json.loads(line)["name"] for line in lines] == names


def test_parquet_to_a_file(sc2: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    assert run("SELECT 7 AS n FROM info", sc2, "-o", out).returncode == 0
    assert pq.read_table(out).to_pylist() == [{"n": 7}]
    assert run("SELECT 7", sc2, "--format", "parquet").returncode == 2
    assert run("SELECT 7", sc2, "-o", tmp_path / "out.txt").returncode == 2


def test_a_folder_of_replays(folder: Path) -> None:
    outcome = run("SELECT file, format FROM info", folder, "--format", "ndjson")
    assert outcome.returncode == 0
    assert outcome.stderr == "playhead: note: skipped 1 file without a replay\n"
    found = {json.loads(line)["format"] for line in outcome.stdout.splitlines()}
    assert found == {known.name for known in list_formats()}


def test_a_folder_of_exported_tables(sc2: Path, tmp_path: Path) -> None:
    playhead.open(sc2).export(tmp_path)
    outcome = run("SELECT count(*) AS n FROM players", tmp_path, "--format", "ndjson")
    assert json.loads(outcome.stdout) == {"n": len(playhead.open(sc2).players)}


@pytest.mark.parametrize("text", ["SELEC", "FROM nonsense", "SELECT 1; SELECT 2", "FROM entities('X')"])
def test_mistakes_are_errors_not_tracebacks(text: str, sc2: Path) -> None:
    outcome = run(text, sc2)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("playhead: error: ")
    assert "Traceback" not in outcome.stderr


def test_a_file_that_is_none_fails_and_the_others_are_queried(sc2: Path, folder: Path) -> None:
    outcome = run("SELECT count(*) AS n FROM info", sc2, folder / "notes.txt", "--format", "ndjson")
    assert outcome.returncode == 1
    assert json.loads(outcome.stdout) == {"n": 1}
    assert "notes.txt" in outcome.stderr


def test_one_file_has_the_column_file(sc2: Path) -> None:
    outcome = run("SELECT file, format FROM info", sc2, "--format", "ndjson")
    assert json.loads(outcome.stdout) == {"file": str(sc2), "format": "sc2"}


def test_a_folder_of_replays_and_exported_tables_is_refused(sc2: Path, tmp_path: Path) -> None:
    shutil.copy(sc2, tmp_path / "a.SC2Replay")
    playhead.open(sc2).export(tmp_path / "out", tables=["info"])
    outcome = run("SELECT file FROM info", tmp_path)
    assert outcome.returncode == 1
    assert "holds replays" in outcome.stderr
    assert "out" in outcome.stderr
    exported = run("SELECT file FROM info", tmp_path / "out", "--format", "ndjson")
    assert json.loads(exported.stdout) == {"file": "out"}


def test_rows_that_do_not_count_are_said(tmp_path: Path) -> None:
    path = write_stored("sample_cs2.dem", tmp_path)
    text = "has rows of kills that do not count, as of undone rounds: WHERE counts"
    assert text in run("SELECT count(*) FROM kills", path).stderr
    assert text not in run("SELECT count(*) FROM kills WHERE counts", path).stderr
