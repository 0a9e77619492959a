"""The sample as gem-dota reads it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parent))

import gem_agreement as gem


@pytest.fixture(scope="module")
def theirs(sample: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("gem") / "sample.dem"
    path.write_bytes(sample.data)
    return gem.parse(str(path))


@pytest.mark.long
def test_combat_log(sample: Any, theirs: Any) -> None:
    assert gem.agree_on_the_combat_log(sample.replay, theirs) > 100


def test_players(sample: Any, theirs: Any) -> None:
    gem.agree_on_players(sample.replay, theirs, gold_late=2)


def test_match(sample: Any, theirs: Any) -> None:
    gem.agree_on_the_match(sample.replay, theirs)


def test_clock(sample: Any, theirs: Any) -> None:
    assert theirs.game_clock.pauses
    gem.agree_on_the_clock(sample.replay, theirs)


def test_draft(sample: Any, theirs: Any) -> None:
    gem.agree_on_the_draft(sample.replay, theirs)


def test_chat(sample: Any, theirs: Any) -> None:
    """gem has Dota's own form of it only."""
    ours = [row for row in sample.replay.table("chat").to_pylist() if row["channel"] in ("all", "team")]
    assert [(entry.tick, entry.player_slot, entry.channel, entry.text) for entry in theirs.chat] == [
        (row["tick"], row["player"], row["channel"], row["text"]) for row in ours
    ]
