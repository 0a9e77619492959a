"""Arrow IPC streams on standard output, read as another program reads a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest

import playhead

GAMES = ["source2", "sc2", "hots", "teehistorian"]


def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "playhead", *map(str, arguments)], capture_output=True)


def received(*arguments: object) -> pa.Table:
    outcome = run(*arguments)
    assert outcome.returncode == 0, outcome.stderr
    return pa.ipc.open_stream(outcome.stdout).read_all()


@pytest.mark.parametrize("game", GAMES)
def test_export_streams_the_table(samples: Mapping[str, Path], game: str) -> None:
    found = received("export", samples[game], "--table", "events", "--format", "arrow")
    table = playhead.open(samples[game]).table("events")
    assert found.num_rows > 0
    assert found.equals(table)
    assert found.schema.metadata[b"playhead.table"] == b"events"


def test_sql_streams_the_answer(samples: Mapping[str, Path]) -> None:
    pytest.importorskip("duckdb", reason="SQL is DuckDB's")
    found = received("sql", "SELECT name, 3::TINYINT AS three FROM players", samples["sc2"], "--format", "arrow")
    assert found["name"].to_pylist() == playhead.open(samples["sc2"]).table("players")["name"].to_pylist()
    assert found.schema.field("three").type == pa.int8()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["export", "{file}", "--format", "arrow"], b"one table of one replay"),
        (["export", "{folder}", "--table", "players", "--format", "arrow"], b"one table of one replay"),
        (["export", "{file}", "--table", "players,chat", "--format", "arrow"], b"one table of one replay"),
        (["export", "{file}", "--table", "players", "--format", "arrow", "-o", "x"], b"leave out -o"),
        (["sql", "SELECT 1", "{file}", "--format", "arrow", "-o", "x"], b"leave out -o"),
        (["sql", "SELECT 1", "{file}", "-o", "x.arrow"], b"leave out -o"),
        (["export", "{file}"], b"-o DIR"),
    ],
)
def test_what_is_no_stream(samples: Mapping[str, Path], words: list[str], text: bytes) -> None:
    file = samples["sc2"]
    outcome = run(*(word.format(file=file, folder=file.parent) for word in words))
    assert (outcome.returncode, outcome.stdout) == (2, b"")
    assert text in outcome.stderr


@pytest.mark.skipif(os.name != "posix", reason="opens a terminal of Unix")
def test_a_terminal_gets_no_bytes(samples: Mapping[str, Path]) -> None:
    ours, theirs = os.openpty()
    words = ["export", str(samples["sc2"]), "--table", "players", "--format", "arrow"]
    command = [sys.executable, "-m", "playhead", *words]
    outcome = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    os.close(ours)
    assert outcome.returncode == 1
    assert b"into a pipe or a file" in outcome.stderr


def test_a_damaged_replay_streams_what_is_there(samples: Mapping[str, Path], tmp_path: Path) -> None:
    """Its exit status says so; in strict mode the status of a failure."""
    cut = tmp_path / "cut.teehistorian"
    cut.write_bytes(samples["teehistorian"].read_bytes()[:-40])
    outcome = run("export", cut, "--table", "events", "--format", "arrow")
    assert outcome.returncode == 3
    assert pa.ipc.open_stream(outcome.stdout).read_all().equals(playhead.open(cut).table("events"))
    assert run("export", cut, "--table", "events", "--format", "arrow", "--strict").returncode == 1
