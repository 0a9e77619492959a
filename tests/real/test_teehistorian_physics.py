"""Recordings of real servers played again: shares of exactly predicted positions, per file."""

from __future__ import annotations

from pathlib import Path

import pytest

import playhead

#: Least share, in percent, of the positions of a file that are predicted exactly.
LEAST = {
    "head20.1-crowd24-killed/49b83563-ec82-48c0-b710-549060b18974": 100.0,
    "head20.1-with-debug-log/180dab3e-6d96-48b4-97be-12de644a210a": 99.95,
    "head20.1-with-debug-log/3cc3aa6e-0cd8-4adf-a211-4bb4e17f3131": 99.95,
    "head20.1-with-debug-log/f68a0bdb-4858-4c87-a58d-182b8c75c194": 99.95,
    "old19.7/06310d2c-8998-4388-9b68-7d0ba862ef20": 99.95,
    "old19.7/4eb80285-0e13-4660-8f83-e9efd1b938cd": 99.95,
    "old19.7/e742cc8b-4f81-4491-81b1-86946e593d6f": 99.95,
    "deb16.4-physics/sunny": 99.9,
    "deb16.4-physics/tsunami": 98.9,
}


def map_of(recording: Path) -> Path:
    """Return the map of a recording, of those that the corpus has; skip the test if it has not."""
    own = recording.with_suffix(".map")
    shared = recording.parents[1] / "maps"
    found = own if own.is_file() else shared / f"{playhead.open(recording).info.map}.map"
    if not found.is_file():
        pytest.skip(f"the corpus does not have the map {found.name}")
    return found


@pytest.mark.parametrize("name", LEAST)
def test_positions_are_predicted(name: str, corpus: Path) -> None:
    pytest.importorskip("twmap")
    recording = corpus / "teehistorian" / f"{name}.teehistorian"
    if not recording.is_file():
        pytest.skip(f"the corpus does not have {name}")
    counts = playhead.open(recording).simulate(map_of(recording)).exactness
    assert counts["compared"] > 1000
    assert 100 * counts["exact"] / counts["compared"] >= LEAST[name]
