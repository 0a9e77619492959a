"""Samples of every format, opened once, and figures that are closed again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.samples.sc2.game import write_game
from tests.samples.sc2.replay import write_sample as write_short_game

import playhead
from playhead import Replay
from playhead.registry import list_formats


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sample of each format, by its name; of StarCraft II the long one, which has more than one moment."""
    folder = tmp_path_factory.mktemp("samples")
    return {known.name: known.write_sample(folder) for known in list_formats()} | {"sc2": write_game(folder, 3)}


@pytest.fixture(scope="session")
def replays(samples: Mapping[str, Path]) -> dict[str, Replay]:
    """The same, opened; tests that change one open their own."""
    return {name: playhead.open(path) for name, path in samples.items()}


@pytest.fixture(scope="session")
def short_game(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    """The small sample of StarCraft II, which has statistics of one moment."""
    return playhead.open(write_short_game(tmp_path_factory.mktemp("short")))
