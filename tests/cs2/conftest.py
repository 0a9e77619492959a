"""The written match, which several tests read."""

from __future__ import annotations

import os

import pytest
from tests.samples.source2.cs2_match.demo import WrittenMatch, write_cs2_match

#: ``PLAYHEAD_SEED=3 pytest tests/cs2`` asks the same of other matches.
SEED = os.environ.get("PLAYHEAD_SEED")


@pytest.fixture(scope="session")
def written() -> WrittenMatch:
    """Four minutes: warm-up, knife round, two halves of three rounds, an overtime, a restored backup."""
    return write_cs2_match(4, seed=int(SEED or 7))
