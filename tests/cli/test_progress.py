"""The progress bar keeps quiet for short work and where nobody looks."""

from __future__ import annotations

import io
import sys

import pytest

from playhead.cli import progress
from playhead.cli.progress import ProgressBar


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _run(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, patience: float) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", patience)
    bar = ProgressBar()
    bar.start("match.dem")
    bar.update(50, 100)
    bar.update(90, 100)
    bar.stop()
    return stream.getvalue()


def test_long_work_on_a_terminal_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = _run(monkeypatch, _Terminal(), patience=0.0)
    assert "match.dem" in shown
    assert "%" in shown


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run(monkeypatch, _Terminal(), patience=60.0) == ""


def test_no_terminal_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run(monkeypatch, io.StringIO(), patience=0.0) == ""
