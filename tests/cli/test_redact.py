"""``playhead redact`` as a shell sees it."""

from __future__ import annotations

import lzma
import subprocess
import sys
from pathlib import Path

import playhead
from playhead import list_formats
from playhead.samples.teehistorian import sample_bytes

SAMPLE = sample_bytes()


def run(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "playhead", *map(str, arguments)], input=stdin, capture_output=True, check=False
    )


def test_names_are_gone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = run("redact", "-", "-o", out, stdin=lzma.compress(SAMPLE))
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    assert outcome.stdout.decode().strip() == str(out)
    assert b"brownbear" in SAMPLE
    assert b"brownbear" not in out.read_bytes()
    replay = playhead.open(out)
    assert replay.problems == ()
    assert replay.table("positions").equals(playhead.open(SAMPLE).table("positions"))


def test_problems_are_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("redact", "-", "-o", out, stdin=SAMPLE[:-5]).returncode == 3
    assert run("redact", "-", "--strict", "-o", tmp_path / "strict", stdin=SAMPLE[:-5]).returncode == 1
    assert not (tmp_path / "strict").exists()
    assert run("redact", tmp_path / "none", "-o", out).returncode == 1


def test_other_formats_are_refused(tmp_path: Path) -> None:
    for known in list_formats():
        if known.name != "teehistorian":
            outcome = run("redact", known.write_sample(tmp_path), "-o", tmp_path / "out")
            assert outcome.returncode == 2
            assert known.name.encode() in outcome.stderr
