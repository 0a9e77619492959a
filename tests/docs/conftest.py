"""Snippets of pages read folders in this process; tests/corpus has the workers."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus of `scan` starts workers only if it is told how many: they take longer than reading a sample."""
    monkeypatch.setattr("playhead.corpus.reading.collection.cores", lambda: 0)
