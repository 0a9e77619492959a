"""``playhead events`` as a shell sees it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import playhead
from playhead import list_formats


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "playhead", "events", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("samples")
    return {known.name: known.write_sample(folder) for known in list_formats()}


def test_json_lines_are_the_events(samples: dict[str, Path]) -> None:
    for path in samples.values():
        outcome = run(path, "--format", "ndjson")
        assert (outcome.returncode, outcome.stderr) == (0, "")
        rows = [json.loads(line) for line in outcome.stdout.splitlines()]
        expected = playhead.open(path).table("events").to_pylist()
        assert rows
        assert rows == [row | {"payload": json.loads(row["payload"])} for row in expected]


def test_text_names_the_players(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    lines = run(samples["sc2"], "--kind", "chat").stdout.splitlines()
    assert len(lines) == replay.table("chat").num_rows
    first = next(replay.events("chat"))
    name = next(player.name for player in replay.players if player.player == first.player)
    assert lines[0].split()[0] == str(first.tick)
    assert f"chat              {name}" in lines[0]


def test_kinds(samples: dict[str, Path]) -> None:
    for path in samples.values():
        lines = run(path, "--kinds").stdout.splitlines()
        assert [line.split()[0] for line in lines] == list(playhead.open(path).event_kinds)
    rows = run(samples["source2"], "--kind", "kill,ward_*", "--format", "ndjson").stdout.splitlines()
    found = {json.loads(row)["kind"] for row in rows}
    assert "kill" in found
    assert all(kind == "kill" or kind.startswith("ward_") for kind in found)


def test_a_kind_that_is_none(samples: dict[str, Path]) -> None:
    outcome = run(samples["sc2"], "--kind", "chatt")
    assert outcome.returncode == 2
    assert "did you mean chat" in outcome.stderr
