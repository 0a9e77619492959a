"""``playhead diff`` as a shell sees it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from tests.cli.in_process import run as playhead_command

pytestmark = pytest.mark.slow_interpreted


run = partial(playhead_command, "diff")


def test_the_same(samples: dict[str, Path]) -> None:
    outcome = run(samples["sc2"], samples["sc2"])
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "")


def test_different(samples: dict[str, Path]) -> None:
    outcome = run(samples["sc2"], samples["teehistorian"])
    assert (outcome.returncode, outcome.stderr) == (1, "")
    lines = outcome.stdout.splitlines()
    assert lines[0] == "info"
    assert "  format: sc2 | teehistorian" in lines
    assert "table units" in lines


def test_json(samples: dict[str, Path]) -> None:
    outcome = run(samples["sc2"], samples["teehistorian"], "--json", "--table", "units")
    assert outcome.returncode == 1
    [line] = outcome.stdout.splitlines()
    assert json.loads(line)["part"] == "table units"


def test_trouble_is_two(samples: dict[str, Path], tmp_path: Path) -> None:
    assert run(samples["sc2"], tmp_path / "none").returncode == 2
    outcome = run(samples["sc2"], samples["sc2"], "--table", "nonsense")
    assert outcome.returncode == 2
    assert "neither replay has a table 'nonsense'" in outcome.stderr
