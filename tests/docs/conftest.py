"""Fixtures for tests of docs/ and examples/."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import playhead

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The sample replay of each format, by name of the format."""
    folder = tmp_path_factory.mktemp("samples")
    return {known.name: known.write_sample(folder) for known in playhead.list_formats()}
