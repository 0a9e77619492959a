"""The scripts of examples/ run on the sample replays and tell what is in them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
TELLS = {
    "dota2_timeline": ("source2", ["first_blood", "fight 1: Radiant loses 2, Dire 0", "sven kills pudge"]),
    "starcraft2_build_order": ("sc2", ["Needle (Terran, win)", "1:15    0  Marine", "zerglingmovementspeed"]),
    "teehistorian_runs": ("teehistorian", ["2.20 s  Tutorial  nameless tee", "4.50 s", "loaded", "tiles"]),
}


def test_each_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(TELLS)


@pytest.mark.parametrize("name", TELLS)
def test_example(name: str, samples: Mapping[str, Path]) -> None:
    format, texts = TELLS[name]
    command = [sys.executable, EXAMPLES / f"{name}.py", samples[format]]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for text in texts:
        assert text in done.stdout
