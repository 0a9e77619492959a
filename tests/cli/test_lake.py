"""Many replays on the command line: a lake, its upkeep, and queries."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from unittest.mock import patch

import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run

import playhead
from playhead.registry import list_formats

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `--jobs`, replays are read in this process: workers take longer to start than to read samples."""
    monkeypatch.setattr("playhead.corpus.reading.collection.cores", lambda: 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A replay of each format, one of them twice, one of them damaged, and one in a pack."""
    made = tmp_path_factory.mktemp("replays")
    for known in list_formats():
        known.write_sample(made)
    sc2 = (made / "sample_sc2.SC2Replay").read_bytes()
    (made / "z_copy.SC2Replay").write_bytes(sc2)
    (made / "broken.SC2Replay").write_bytes(sc2[:40])
    (made / "notes.txt").write_text("no replay")
    with zipfile.ZipFile(made / "pack.zip", "w") as pack:
        pack.writestr("other.SC2Replay", sc2 + b"\0")
    return made


@pytest.fixture(scope="module")
def lake(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lake") / "lake"
    with patch("playhead.corpus.reading.collection.cores", lambda: 0):
        outcome = run("export", folder, "-o", out, "--tables", "players,chat", "--table", "info")
    assert outcome.returncode == 1  # one could not be read
    assert outcome.stdout == f"{out}: 5 replays added, 1 failed, 1 duplicate skipped\n"
    errors = outcome.stderr.splitlines()
    assert len([line for line in errors if line.startswith("playhead: error: ") and "broken" in line]) == 1
    assert "playhead: note: skipped 1 file without a replay" in errors
    return out


def test_what_is_in_it(lake: Path) -> None:
    opened = playhead.open_lake(lake)
    assert opened.tables == ("chat", "info", "players")
    outcome = run("lake", "status", lake)
    assert outcome.returncode == 0, outcome.stderr
    assert "5 replays" in outcome.stdout
    assert "1 failed, 0 hung or crashed" in outcome.stdout
    told = json.loads(run("lake", "status", lake, "--json").stdout)
    assert (told["whole"], told["failed"], told["copies"]) == (5, 1, 1)
    filled = [name for name, held in told["tables"].items() if held["rows"]]
    lines = outcome.stdout.splitlines()
    assert [line.split()[0] for line in lines[3 : 3 + len(filled)]] == filled
    assert ("without rows" in lines[-1]) == (len(filled) < len(told["tables"]))
    assert told["tables"]["players"]["rows"] == opened.table("players").num_rows


def test_its_problems(lake: Path, folder: Path) -> None:
    outcome = run("lake", "problems", lake)
    assert outcome.stdout.startswith(f"failed: {folder / 'broken.SC2Replay'}")
    (line,) = run("lake", "problems", lake, "--json").stdout.splitlines()
    assert json.loads(line)["reason"] in ("corrupt", "truncated")


def test_sql_over_it(lake: Path) -> None:
    query = "SELECT format, count(*) AS n FROM info GROUP BY ALL ORDER BY ALL"
    outcome = run("sql", query, lake, "--format", "ndjson")
    assert outcome.returncode == 0, outcome.stderr
    assert [json.loads(line) for line in outcome.stdout.splitlines()] == [
        {"format": "hots", "n": 1},
        {"format": "sc2", "n": 2},
        {"format": "source2", "n": 1},
        {"format": "teehistorian", "n": 1},
    ]
    wrong = run("sql", "SELECT * FROM kills", lake)
    assert wrong.returncode == 1
    assert "kills" in wrong.stderr


def test_one_more_is_added(lake: Path, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.SC2Replay"
    path.write_bytes((folder / "sample_sc2.SC2Replay").read_bytes() + b"one more")
    outcome = run("export", path, "-o", lake, "--table", "info,players,chat")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == f"{lake}: 1 replay added\n"
    retried = run("lake", "retry", lake)
    assert retried.returncode == 1
    assert "0 of 1 read" in retried.stdout
    compacted = run("lake", "compact", lake, "--keep", "0")
    assert compacted.returncode == 0, compacted.stderr
    assert playhead.open_lake(lake).status()["whole"] == 6


def test_a_replay_is_removed(folder: Path, tmp_path: Path) -> None:
    assert run("export", folder / "pack.zip", folder / "z_copy.SC2Replay", "-o", tmp_path / "lake").returncode == 0
    gone, kept = playhead.open_lake(tmp_path / "lake").replays
    outcome = run("lake", "remove", tmp_path / "lake", gone)
    assert (outcome.returncode, outcome.stdout) == (0, "1 replay removed\n"), outcome.stderr
    assert playhead.open_lake(tmp_path / "lake").replays == (kept,)
    again = run("lake", "remove", tmp_path / "lake", gone)
    assert again.returncode == 1
    assert f"no replay '{gone}'" in again.stderr


def test_a_removal_that_was_stopped_is_finished(folder: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    assert run("export", folder / "pack.zip", folder / "z_copy.SC2Replay", "-o", lake).returncode == 0
    gone = playhead.open_lake(lake).replays[0]

    def holding() -> set[str]:
        return {
            path.parent.name
            for path in lake.rglob("*.parquet")
            if gone in pq.read_table(path, columns=["replay"])["replay"].to_pylist()
        }

    tables = holding()
    assert len(tables) > 20
    with patch("playhead.corpus.care.compact.Care.rewrite", side_effect=OSError("stopped")):
        assert run("lake", "remove", lake, gone).returncode == 1
    assert gone not in playhead.open_lake(lake).replays
    assert holding() == tables
    finished = run("lake", "remove", lake, gone)
    assert (finished.returncode, finished.stdout) == (0, "1 replay removed\n"), finished.stderr
    assert not holding()


def test_what_no_replay_has_is_told(folder: Path, tmp_path: Path) -> None:
    outcome = run("export", folder / "pack.zip", "-o", tmp_path / "lake", "--tables", "kills,chat")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stderr == "playhead: note: none of these replays has a table kills\n"


def test_a_failure_that_is_over_is_told_no_more(folder: Path, tmp_path: Path) -> None:
    late, lake = tmp_path / "late.SC2Replay", tmp_path / "lake"
    late.write_text("on its way")
    options = ("-o", lake, "--tables", "info")
    assert run("export", late, folder / "z_copy.SC2Replay", *options).returncode == 1
    assert playhead.open_lake(lake).status()["failed"] == 1
    late.write_bytes((folder / "z_copy.SC2Replay").read_bytes() + b"late")
    retried = run("lake", "retry", lake)
    assert (retried.returncode, retried.stdout) == (0, "1 of 1 read\n")
    told = run("lake", "status", lake).stdout
    assert told.startswith("2 replays, 0 of them with problems\n0 failed")


@pytest.mark.skipif(sys.platform != "linux", reason="names that are no text are Linux's")
def test_retry_finds_what_has_a_name_that_is_no_text(folder: Path, tmp_path: Path) -> None:
    path, lake = tmp_path / "caf\udce9.SC2Replay", tmp_path / "lake"
    path.write_text("on its way")
    gone = tmp_path / "gone.SC2Replay"
    gone.write_text("on its way")
    assert run("export", gone, path, "-o", lake).returncode == 1
    path.write_bytes((folder / "z_copy.SC2Replay").read_bytes())
    gone.unlink()
    retried = run("lake", "retry", lake)
    assert (retried.returncode, retried.stdout) == (1, "1 of 1 read\n"), retried.stderr
    assert f"{gone}: there is no such file" in retried.stderr
    assert playhead.open_lake(lake).status() == {
        "whole": 1,
        "partial": 0,
        "failed": 1,
        "quarantined": 0,
        "copies": 0,
    }


@pytest.mark.skipif(sys.platform != "linux", reason="names that are no text are Linux's")
def test_a_name_that_is_no_text_stops_nothing(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "caf\udce9.SC2Replay"
    path.write_bytes((folder / "z_copy.SC2Replay").read_bytes())
    for out in (tmp_path / "one", tmp_path / "one.csv"):
        outcome = run("export", path, "-o", out, "--format", out.suffix[1:] or "parquet", "--tables", "info,chat")
        assert outcome.returncode == 0, outcome.stderr
    for names in ((path,), (path, folder / "z_copy.SC2Replay")):
        found = run("sql", "SELECT source FROM info WHERE source LIKE '%caf\ufffd%'", *names, "--format", "csv")
        assert found.stdout.count("caf\ufffd.SC2Replay") == 1, found.stderr


def test_a_lake_is_queried_by_itself(lake: Path, folder: Path) -> None:
    outcome = run("sql", "SELECT 1", lake, folder)
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert f"{lake} is a lake" in outcome.stderr


def test_every_verb_takes_packs(folder: Path) -> None:
    pack = folder / "pack.zip"
    outcome = run("info", "--json", pack)
    assert outcome.returncode == 0, outcome.stderr
    assert json.loads(outcome.stdout)["source"] == f"{pack}::other.SC2Replay"
    assert run("tables", f"{pack}::other.SC2Replay").returncode == 0


@pytest.mark.parametrize(
    ("options", "status", "text"),
    [
        (["--max-failed", "0"], 1, "of 6 allowed"),
        (["--max-failed", "many"], 2, "percentage"),
        (["--strict"], 2, "only for one replay"),
        (["--table", "killz"], 2, "did you mean kills"),
    ],
)
def test_what_is_wrong_is_told(options: list[str], status: int, text: str, folder: Path, tmp_path: Path) -> None:
    outcome = run("export", folder, "-o", tmp_path / "lake", *options)
    assert outcome.returncode == status, outcome.stderr
    assert text in " ".join(outcome.stderr.split())
    assert "Traceback" not in outcome.stderr


def test_where_there_is_no_lake(tmp_path: Path, folder: Path) -> None:
    for command in ("status", "problems", "retry", "compact"):
        outcome = run("lake", command, tmp_path / "none")
        assert outcome.returncode == 1
        assert "there is no lake" in outcome.stderr
    (tmp_path / "thesis.txt").write_text("mine")
    outcome = run("export", folder, "-o", tmp_path)
    assert outcome.returncode == 1
    assert "holds thesis.txt and is not a lake" in outcome.stderr
