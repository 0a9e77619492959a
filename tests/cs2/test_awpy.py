"""Agreement with awpy: every value of every player at every tick of the recordings that it reads.

It cannot read patch 14090 ("field path out of range"), and neither can demoparser2.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import playhead

#: Interpreter of an environment with awpy 3.1; the tests are skipped without one.
PYTHON = os.environ.get("PLAYHEAD_AWPY_PYTHON", "")

_SNAPSHOTS = """
import json, sys
from awpy import Demo
print(json.dumps(Demo(sys.argv[1]).snapshots(every=1).to_dicts()))
"""
_SIDES = {"terrorist": "t", "counter-terrorist": "ct"}
#: Columns of awpy with another name here.
_NAMES = {"velocity": "speed", "flash_duration": "flash_duration_seconds"}
#: Columns that playhead has elsewhere (`account` of `players`) or not at all.
_LEFT_OUT = {"steamid", "is_silent_reloading"}


def snapshots(path: Path) -> dict[tuple[int, str], dict[str, Any]]:
    if not PYTHON:
        pytest.skip("no awpy (set PLAYHEAD_AWPY_PYTHON to the interpreter of its environment)")
    run = subprocess.run([PYTHON, "-c", _SNAPSHOTS, str(path)], capture_output=True, text=True, check=True)
    rows: list[dict[str, Any]] = json.loads(run.stdout)
    return {(row["tick"], row["name"]): row for row in rows}


@pytest.mark.parametrize("build", [14065, 14132, 14155])
def test_player_series_has_the_values_of_awpy(corpus: Path, build: int) -> None:
    path = corpus / "source2" / f"cs2_{build}.dem"
    if not path.exists():
        pytest.skip(f"the corpus has no {path.name}")
    theirs = snapshots(path)
    table = playhead.open(path).table("player_series", every=1)
    mine = {(row["tick"], row["name"]): row for row in table.to_pylist()}
    assert mine.keys() == theirs.keys()
    assert len(theirs) > 1000
    for key, told in theirs.items():
        row = mine[key]
        row["inventory"] = ",".join(row["inventory"])
        told["side"] = _SIDES[told["side"]]
        # The recording has no velocities: ours are those of places.
        silent = (
            {"velocity", *(f"velocity_{axis}" for axis in "xyz")} if row["velocity_known_by"] != "entity" else ()
        )
        for name in told.keys() - _LEFT_OUT - set(silent):
            expected = pytest.approx(told[name], abs=1e-3) if isinstance(told[name], float) else told[name]
            assert row[_NAMES.get(name, name)] == expected, (key, name)
