"""Scripts of examples/ run on the sample replays and print their content."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.samples.blizzard import write_details
from tests.samples.sc2.replay import DETAILS

import playhead
from playhead.blizzard.members import member_names
from playhead.blizzard.writing.rewriter import rewrite_replay
from playhead.sc2.replay import Sc2Replay

EXAMPLES = Path(__file__).parents[2] / "examples"
TELLS = {
    "dota2_timeline": ("source2", ["first_blood", "fight 1: Radiant loses 2, Dire 0", "sven kills pudge"]),
    "starcraft2_build_order": ("sc2", ["Needle (Terran, win)", "1:15    0  Marine", "zerglingmovementspeed"]),
    "teehistorian_runs": ("teehistorian", ["2.20 s  Tutorial  nameless tee", "4.50 s", "loaded", "tiles"]),
}


def test_each_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*TELLS, "win_probability"}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a script in this process, which has imported what it needs; returns what it prints."""

    def run(name: str, *arguments: Path) -> str:
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        said = capsys.readouterr()
        assert said.err == ""
        return said.out

    return run


@pytest.mark.long
@pytest.mark.parametrize("name", TELLS)
def test_example(name: str, samples: Mapping[str, Path], run: Callable[..., str]) -> None:
    format, texts = TELLS[name]
    said = run(name, samples[format])
    for text in texts:
        assert text in said


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


@pytest.mark.long
@pytest.mark.stepped
@pytest.mark.slow_interpreted
@pytest.mark.filterwarnings("ignore:.* add no rows to the series")  # the corpus has games without statistics
@pytest.mark.parametrize("real", [False, True])
def test_win_probability(
    real: bool,
    samples: Mapping[str, Path],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    run: Callable[..., str],
) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    if real:
        folder = request.getfixturevalue("corpus") / "sc2"
    else:
        folder = tmp_path / "games"
        write_games(samples["sc2"], folder, 14)
    said = run("win_probability", folder, tmp_path / "lake", tmp_path / "out.png")
    assert f"{127 if real else 14} games" in said
    figures = re.search(r"log loss (\S+) .*Brier score (\S+)", said, re.DOTALL)
    assert figures is not None
    loss, brier = map(float, figures.groups())
    if real:  # better than chance, as far as 127 games allow
        assert 0.5 < loss < 0.69
        assert 0.15 < brier < 0.249
    assert (tmp_path / "out.png").stat().st_size > 10_000
