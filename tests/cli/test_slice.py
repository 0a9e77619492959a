"""``playhead slice`` as a shell sees it."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from tests.cli.in_process import run
from tests.samples.teehistorian import sample_bytes

import playhead
from playhead import list_formats

SAMPLE = sample_bytes()


@pytest.mark.parametrize(("start", "end"), [("0:04", "0:05"), ("4s", "5.0s"), ("200t", "250t")])
def test_a_range_in_any_words(start: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_bytes(SAMPLE)
    out = tmp_path / "new" / "out"
    outcome = run("slice", path, "--from", start, "--to", end, "-o", out)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.strip() == str(out)
    cut = playhead.open(out)
    assert cut.problems == ()
    assert cut.info.duration_ticks == 250
    assert cut.table("positions").to_pylist()[-1]["tick"] == 250


def test_compressed_standard_input(tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = run("slice", "-", "--from", "1s", "--to", "2s", "-o", out, input=lzma.compress(SAMPLE))
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert playhead.open(out).problems == ()


def test_problems_are_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    last = playhead.open(SAMPLE[:-5]).info.duration_ticks
    outcome = run("slice", "-", "--from", "1s", "--to", f"{last}t", "-o", out, input=SAMPLE[:-5])
    assert outcome.returncode == 3
    assert "<stdin>" in outcome.stderr
    assert len(playhead.open(out).problems) == 1


def test_an_end_behind_the_recording_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = run("slice", "-", "--from", "1s", "--to", "2:00", "-o", out, input=SAMPLE)
    assert outcome.returncode == 2
    assert f"from tick 0 to {playhead.open(SAMPLE).info.duration_ticks}" in outcome.stderr
    assert not out.exists()


def test_a_stretch_of_a_demo(tmp_path: Path) -> None:
    (source2,) = (known for known in list_formats() if known.name == "source2")
    out = tmp_path / "out.dem"
    assert (
        run("slice", source2.write_sample(tmp_path), "--from", "150t", "--to", "360t", "-o", out).returncode == 0
    )
    cut = playhead.open(out)
    assert cut.info.duration_ticks == 360
    assert cut.problems == ()


def test_what_makes_no_sense(tmp_path: Path) -> None:
    out = tmp_path / "out"
    path = tmp_path / "in"
    path.write_bytes(SAMPLE)
    for start, end in (("x", "5"), ("5", "4")):
        outcome = run("slice", path, "--from", start, "--to", end, "-o", out)
        assert outcome.returncode == 2
        assert "expected" in outcome.stderr
    (sc2,) = (known for known in list_formats() if known.name == "sc2")
    outcome = run("slice", sc2.write_sample(tmp_path), "--from", "0s", "--to", "1s", "-o", out)
    assert outcome.returncode == 2
    assert "sc2" in outcome.stderr
    assert run("slice", tmp_path / "none", "--from", "0s", "--to", "1s", "-o", out).returncode == 1
    assert not out.exists()
