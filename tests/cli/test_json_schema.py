"""Every line of ``--json`` fits its definition in docs/command-json.schema.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run
from tests.cli.test_alike import NAMES, options
from tests.teehistorian.physics.written_games import FLOOR, write_map, write_recording

jsonschema = pytest.importorskip("jsonschema", reason="checks JSON")

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "command-json.schema.json").read_text("utf-8"))
WITH_JSON = {name.split()[-1]: name for name in NAMES if "--json" in options(name)}


def check(command: str, *words: object) -> list[dict[str, Any]]:
    """Run a command with ``--json``, hold each line to its definition, return the lines."""
    done = run(*WITH_JSON[command].split(), *words, "--json")
    assert done.returncode in (0, 1, 3), done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    definition = SCHEMA["$defs"][command]
    validator = jsonschema.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{command}"})
    for row in rows:
        validator.validate(row)
        if "additionalProperties" not in definition and "properties" in definition:
            assert row.keys() <= definition["properties"].keys(), "a key without a type"
    return rows


def test_the_definitions_are_those_of_the_commands() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert WITH_JSON.keys() <= SCHEMA["$defs"].keys()
    assert SCHEMA["$defs"].keys() - WITH_JSON.keys() <= {"simulate", "error"}


@pytest.mark.parametrize("format", ["sc2", "source2", "hots", "teehistorian"])
@pytest.mark.parametrize("command", ["info", "tables", "verify", "events", "at"])
def test_what_reads_every_format(command: str, format: str, samples: dict[str, Path]) -> None:
    assert check(command, samples[format], *(["0:05"] if command == "at" else []))


@pytest.mark.parametrize(
    ("command", "format", "words"),
    [
        ("schema", "source2", ["--grep", "m_iHealth"]),
        ("messages", "source2", ["--limit", "30"]),
        ("messages", "teehistorian", ["--limit", "30"]),
        ("messages", "source2", ["--count"]),
        ("patterns", "teehistorian", []),
        ("runs", "teehistorian", []),
        ("find", "teehistorian", ["--player", "tee"]),
        ("buildorder", "sc2", []),
        ("coach", "sc2", []),
        ("stats", "sc2", ["--jobs", "0"]),
    ],
)
def test_what_reads_one_format(command: str, format: str, words: list[str], samples: dict[str, Path]) -> None:
    assert check(command, samples[format], *words)


def test_two_files(samples: dict[str, Path]) -> None:
    assert check("diff", samples["sc2"], samples["teehistorian"])
    assert check("schema", samples["source2"], samples["source2"])
    assert {row["file"] for row in check("tables", samples["sc2"], samples["hots"])}


def test_sql(samples: dict[str, Path]) -> None:
    pytest.importorskip("duckdb", reason="SQL is DuckDB's")
    assert check("sql", "SELECT name FROM players", samples["sc2"])


def test_lakes(samples: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playhead.corpus.reading.collection.cores", lambda: 0)
    broken, lake = tmp_path / "broken.SC2Replay", tmp_path / "lake"
    broken.write_bytes(samples["sc2"].read_bytes()[:40])
    lines = check("export", broken, samples["sc2"], "-o", lake, "--table", "info", "--table", "players")
    assert {line["event"] for line in lines} == {"progress", "failed", "done"}
    assert {line["event"] for line in check("retry", lake)} >= {"failed", "done"}
    assert check("status", lake)
    assert check("problems", lake)
    assert check("publish", lake, "-o", tmp_path / "published")
    assert check("check", lake) == []
    (data,) = (lake / "players").rglob("*.parquet")
    data.write_bytes(data.read_bytes()[:50])
    assert [row["file"] for row in check("check", lake)] == [data.relative_to(lake).as_posix()]
    assert check("check", tmp_path, "--schema")


def test_runs_that_are_verified(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map", {(3, 9): 33, (20, 9): 34})
    places = [(100, FLOOR)] * 20 + [(300, FLOOR), (500, FLOOR), (660, FLOOR)] + [(700, FLOOR)] * 5
    (tmp_path / "race.teehistorian").write_bytes(write_recording(sha256, places, {}))
    assert check("verify-runs", tmp_path / "race.teehistorian", "--maps", tmp_path)
