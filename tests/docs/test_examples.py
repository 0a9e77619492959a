"""Scripts of examples/ run on the sample replays and print their content."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import playhead
from playhead.samples.sc2.replay import DETAILS
from playhead.sc2.members import member_names
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.writing.replay import write_details
from playhead.sc2.writing.rewriter import rewrite_replay

EXAMPLES = Path(__file__).parents[2] / "examples"
TELLS = {
    "dota2_timeline": ("source2", ["first_blood", "fight 1: Radiant loses 2, Dire 0", "sven kills pudge"]),
    "starcraft2_build_order": ("sc2", ["Needle (Terran, win)", "1:15    0  Marine", "zerglingmovementspeed"]),
    "teehistorian_runs": ("teehistorian", ["2.20 s  Tutorial  nameless tee", "4.50 s", "loaded", "tiles"]),
}


def test_each_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*TELLS, "win_probability"}


@pytest.mark.parametrize("name", TELLS)
def test_example(name: str, samples: Mapping[str, Path]) -> None:
    format, texts = TELLS[name]
    command = [sys.executable, EXAMPLES / f"{name}.py", samples[format]]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for text in texts:
        assert text in done.stdout


def write_games(sample: Path, folder: Path, count: int) -> None:
    """Games of several days, half of them won by the other player; and a second replay of the first."""
    folder.mkdir()
    with playhead.open(sample) as replay:
        assert isinstance(replay, Sc2Replay)
        for number in range(count):
            results = (1, 2) if number % 2 else (2, 1)
            players = zip(DETAILS.players, results, strict=True)
            details = replace(
                DETAILS,
                time_utc=DETAILS.time_utc + number * 864_000_000_000,
                players=tuple(replace(player, result=result) for player, result in players),
            )
            changed = {
                name: write_details(details) for name in (member_names.DETAILS, member_names.DETAILS_BACKUP)
            }
            (folder / f"{number}.SC2Replay").write_bytes(rewrite_replay(replay.recording.container, changed))
    (folder / "again.SC2Replay").write_bytes((folder / "0.SC2Replay").read_bytes() + b"saved by the other player")


@pytest.mark.stepped
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("real", [False, True])
def test_win_probability(
    real: bool, samples: Mapping[str, Path], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    if real:
        folder = request.getfixturevalue("corpus") / "sc2"
    else:
        folder = tmp_path / "games"
        write_games(samples["sc2"], folder, 14)
    command = [sys.executable, EXAMPLES / "win_probability.py", folder, tmp_path / "lake", tmp_path / "out.png"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{127 if real else 14} games" in done.stdout
    figures = re.search(r"log loss (\S+) .*Brier score (\S+)", done.stdout, re.DOTALL)
    assert figures is not None
    loss, brier = map(float, figures.groups())
    if real:  # better than chance, as far as 127 games allow
        assert 0.5 < loss < 0.69
        assert 0.15 < brier < 0.249
    assert (tmp_path / "out.png").stat().st_size > 10_000
