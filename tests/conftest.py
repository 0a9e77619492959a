"""Fixtures that every test folder uses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Speed is measured in benchmarks/, so no example fails for being slow. A run for a landing (CI is set) tries the
# same examples each time; elsewhere every run tries new ones.
settings.register_profile("playhead", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("landing", settings.get_profile("playhead"), derandomize=True, database=None)
settings.load_profile("landing" if os.environ.get("CI") else "playhead")


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
