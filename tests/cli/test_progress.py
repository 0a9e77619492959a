"""The progress bar keeps quiet for short work and where nobody looks."""

from __future__ import annotations

import io
import re
import sys

import pytest

from playhead.cli.output import progress, standard
from playhead.cli.output.lake_progress import LakeProgress
from playhead.cli.output.progress import ProgressBar
from playhead.corpus.writing.decode import Outcome
from playhead.corpus.writing.export import Progress
from playhead.corpus.writing.identity import Item


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _run(
    monkeypatch: pytest.MonkeyPatch,
    stream: io.StringIO,
    patience: float,
    sizes: tuple[int | None, ...] = (100, 300),
) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", patience)
    monkeypatch.setattr(progress, "_INTERVAL", 0.0)
    bar = ProgressBar()
    bar.start(sizes)
    for _ in sizes:
        bar.begin("match.dem")
        bar.update(50, 100)
        standard.print_err("playhead: note: something")
        bar.update(90, 100)
        bar.end(problems=2)
    bar.stop()
    return stream.getvalue()


def _pictures(shown: str) -> list[str]:
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-ln-z]", "\n", re.sub(r"\x1b\[[0-9;]*m", "", shown))
    return [line for line in re.split(r"[\r\n]+", plain) if "%" in line]


def test_long_work_on_a_terminal_shows_one_bar_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = _run(monkeypatch, _Terminal(), patience=0.0)
    pictures = _pictures(shown)
    assert all("match.dem" in line for line in pictures)
    # Half of the first file of 100 bytes is an eighth of all.
    assert re.search(r"12%.* 0/2 files", pictures[0])
    assert re.search(r"25%.* 1/2 files .*2 problems", next(line for line in pictures if "1/2" in line))
    assert re.search(r"100%.* 2/2 files .*4 problems", pictures[-1])
    assert any("/s" in line and re.search(r"\d:\d\d:\d\d", line) for line in pictures), "rate and time left"


def test_sizes_that_are_not_known_count_as_the_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = _pictures(_run(monkeypatch, _Terminal(), patience=0.0, sizes=(None, 100)))
    assert re.search(r"25%", pictures[0])
    assert not any("/s" in line for line in pictures)


def test_other_lines_go_above_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = _run(monkeypatch, _Terminal(), patience=0.0)
    for line in shown.split("\n"):
        if "note" in line:
            assert re.search(r"\r\x1b\[2Kplayhead: note: something$", line), "the bar is wiped before"


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "%" not in _run(monkeypatch, _Terminal(), patience=60.0)


def test_no_terminal_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run(monkeypatch, io.StringIO(), patience=0.0) == "playhead: note: something\n" * 2


def test_an_export_shows_what_is_hashed_and_then_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "_INTERVAL", 0.0)
    shown, state = LakeProgress(json=False), Progress(files=2)
    for number in (1, 2):
        state.hashed = number
        shown.update(state)
    state.phase, state.total, state.size = "read", 2, 300
    shown.update(state)
    item = Item("0" * 64, "match.dem", 150)
    for outcome in (Outcome(item, "whole"), Outcome(item, "failed", "corrupt", "match.dem: no")):
        state.latest = outcome
        shown.update(state)
    shown.stop()
    pictures = _pictures(stream.getvalue())
    hashing = [line for line in pictures if "hashing" in line]
    assert re.search(r"50%.* 1/2 files", hashing[0])
    assert re.search(r"100%.* 2/2 files", hashing[-1])
    assert re.search(r"match.dem .* 50%.* 1/2 files", "\n".join(pictures))
    assert re.search(r"match.dem .*100%.* 2/2 files .*1 problems", pictures[-1])
    assert "playhead: error: match.dem: no (failed: corrupt)" in stream.getvalue()
