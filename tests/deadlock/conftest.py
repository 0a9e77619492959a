"""The real recordings of Deadlock, and the tables that boon finds in them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.deadlock.story import Told, tell

import playhead
from playhead.deadlock.replay import DeadlockReplay

#: Environment variable with the Python of an environment that has boon-deadlock 0.10.0: it reads recordings made
#: before 29 September 2026, later versions do not.
BOON = "PLAYHEAD_BOON"
#: Environment variable with the Python of an environment that has boon-deadlock 0.19.
NEW_BOON = "PLAYHEAD_BOON_NEW"
#: Minutes of the written match: long enough for sales, and for two lives of the mid boss and the Rift.
MINUTES = 5.5

_ASK = """
import json, sys
from boon import Demo
demo = Demo(sys.argv[1])
frames = {}
for name in sys.argv[2:]:  # "summary.damage" is a frame of the dictionary that summary() returns
    name, _, key = name.partition(".")
    frame = getattr(demo, name)
    frame = frame() if callable(frame) else frame
    frames[key or name] = frame[key] if key else frame
print(json.dumps({name: frame.to_dicts() for name, frame in frames.items()}))
"""

Rows = dict[str, list[dict[str, Any]]]

_TOLD: dict[str, Told] = {}


@pytest.fixture(scope="session")
def broadcast(corpus: Path) -> DeadlockReplay:
    replay = playhead.open(corpus / "source2" / "deadlock_broadcast")
    assert isinstance(replay, DeadlockReplay)
    return replay


@pytest.fixture(scope="session")
def sandbox(corpus: Path) -> DeadlockReplay:
    replay = playhead.open(corpus / "source2" / "deadlock_10423.dem")
    assert isinstance(replay, DeadlockReplay)
    return replay


@pytest.fixture(scope="session", params=["old", "new"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The written match, as before the update and as after it; written once, though pytest asks again for each
    file of tests."""
    if request.param not in _TOLD:
        folder = tmp_path_factory.mktemp("written")
        _TOLD[request.param] = tell(folder, new=request.param == "new", minutes=MINUTES)
    return _TOLD[request.param]


@pytest.fixture(scope="session")
def boon_of(told: Told) -> Callable[..., Rows]:
    """Returns the rows of some datasets of the written match, by the boon that reads such recordings."""
    ask = _asking(NEW_BOON if told.new else BOON)
    return lambda *names: ask(told.path, *names)


@pytest.fixture(scope="session")
def boon_fights(told: Told) -> list[dict[str, Any]]:
    """The fights that boon finds in the written match."""
    return _asking(NEW_BOON if told.new else BOON)(told.path, "teamfights")["teamfights"]


@pytest.fixture(scope="session")
def boon() -> Callable[..., Rows]:
    """Returns boon's rows of some datasets of a file."""
    return _asking(BOON)


def _asking(variable: str) -> Callable[..., Rows]:
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"no environment with boon-deadlock (set {variable} to its Python)")

    def ask(path: Path, *names: str) -> Rows:
        done = subprocess.run([python, "-c", _ASK, path, *names], capture_output=True, text=True, check=True)
        rows: Rows = json.loads(done.stdout)
        return rows

    return ask


@pytest.fixture(scope="session")
def new_boon() -> Callable[..., Rows]:
    """Returns the rows of boon 0.19 of some datasets of a file."""
    return _asking(NEW_BOON)


@pytest.fixture(scope="session")
def broadcast_demo(broadcast: DeadlockReplay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The broadcast as a file that boon reads."""
    path = tmp_path_factory.mktemp("deadlock") / "broadcast.dem"
    broadcast.write_slice(path, 7244, 8861)
    return path
