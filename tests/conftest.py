"""Fixtures that every test folder uses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def _corpus_root() -> Path:
    named = os.environ.get("PLAYHEAD_CORPUS")
    return Path(named) if named else Path(__file__).parents[2] / "shared" / "corpus"


CORPUS = _corpus_root()


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Folder of real replays; the test is skipped where there is none."""
    if not CORPUS.is_dir():
        pytest.skip(f"no corpus of real replays at {CORPUS} (set PLAYHEAD_CORPUS)")
    return CORPUS
