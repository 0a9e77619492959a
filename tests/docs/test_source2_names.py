"""The loop of docs/source2-names.md and `Playback` give the same state."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from playhead.source2.replay import Source2Replay

sys.path.insert(0, str(Path(__file__).parent))
from markdown_blocks import python_blocks
from tests.opened import open_as

LOOP = next(python_blocks(Path(__file__).parents[2] / "docs/source2-names.md"))
REAL = ("dota2_build9912_10bots", "dota2_pov", "cs2_14065", "cs2_14132", "cs2_14155", "deadlock_10423")


def check(path: Path, folder: Path) -> dict[str, Any]:
    """Run the loop on a recording, compare its entities and return its variables."""
    (folder / "match.dem").symlink_to(path)
    names: dict[str, Any] = {}
    LOOP.run(names)
    replay = open_as(Source2Replay, path)
    playback = replay.playback()
    playback.run()
    manager = names["manager"]
    assert list(playback.entities.differences(manager)) == []
    assert (manager.class_id_size, manager.game_build) == (
        playback.entities.class_id_size,
        playback.entities.game_build,
    )
    assert dict.fromkeys(manager.classes_by_id) == dict.fromkeys(replay.recording.class_names)
    return names


def test_on_the_sample(samples: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = check(samples["source2"], tmp_path)
    assert names["hero"].class_name == "CDOTA_Unit_Hero_Axe"
    assert len(names["manager"]) > 800


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("name", REAL)
def test_on_real_recordings(name: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = check(corpus / "source2" / f"{name}.dem", tmp_path)
    assert len(names["manager"]) > 70
