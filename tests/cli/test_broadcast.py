"""Broadcasts as a shell sees them: every command takes the folder as it takes a file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.cli.in_process import run

import playhead


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("samples")
    outcome = run("sample", where, "--broadcast")
    path = where / "sample_dota2_broadcast"
    assert (outcome.returncode, outcome.stdout.strip()) == (0, str(path))
    assert sorted(entry.name for entry in path.iterdir()) == sorted([*map(str, range(43)), "sync.json"])
    return path


@pytest.mark.long
def test_facts(folder: Path) -> None:
    outcome = run("info", folder, "--json")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    (facts,) = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert (facts["game"], facts["duration_ticks"]) == ("dota2", 3600)


@pytest.mark.parametrize("command", [("verify",), ("tables",), ("at", "0:05"), ("events",), ("source2 messages",)])
def test_commands(folder: Path, command: tuple[str, ...]) -> None:
    outcome = run(*command[0].split(), folder, *command[1:])
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout


def test_tables_and_slices(folder: Path, tmp_path: Path) -> None:
    assert run("export", folder, "-o", tmp_path / "tables").returncode == 0
    assert list((tmp_path / "tables").rglob("*.parquet"))
    cut = tmp_path / "cut.dem"
    assert run("slice", folder, "--from", "100t", "--to", "300t", "-o", cut).returncode == 0
    assert playhead.open(cut, strict=True).problems == ()


def test_a_lost_fragment_is_told(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "all" / "match"
    shutil.copytree(folder, copy)
    (copy / "2" / "delta.bin").unlink()
    outcome = run("verify", copy)
    assert outcome.returncode == 3
    assert "2/delta: expected a fragment" in outcome.stderr


def test_a_folder_of_broadcasts(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "one")
    shutil.copytree(folder, tmp_path / "two")
    outcome = run("sql", "SELECT count(*) FROM info", tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert "2" in outcome.stdout
