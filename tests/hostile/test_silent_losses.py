"""A build that renames or leaves out what every recording has is a problem."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "fuzz"))

import sweep
import sweep_blizzard
import sweep_teehistorian

CHANGES = {
    "teehistorian": (
        "extension PlayerTeam removed*",
        "extension PlayerName removed*",
        "extension AuthLogin renamed",
        "extension TeamFinish removed*",
        "extension JoinVersion6 removed*",
        "message PlayerOld removed*",
        "net message 28 cut",
    ),
    "hots": (
        "statistic PlayerDeath  renamed",
        "statistic TownStructureInit Team as number",
        "score Healing renamed",
        "game events SCmdEvent removed",
        "lobby *.m_userId removed*",
    ),
    "sc2": ("header (4,) removed*", "metadata .Players?0?.APM removed*", "member replay.game.events removed"),
}


@pytest.mark.parametrize("game", CHANGES)
def test_what_a_recording_must_have_is_missed(game: str) -> None:
    made = sweep_teehistorian if game == "teehistorian" else sweep_blizzard
    sound = sweep.read(made.sound(game))
    assert sound.problems == ()
    tried = []
    for what, make in made.changes(game):
        pattern = next((each for each in CHANGES[game] if fnmatchcase(what, each)), None)
        if pattern is not None and (data := make()) is not None:
            tried.append(pattern)
            assert sweep.read(data).problems, what
    assert set(tried) == set(CHANGES[game])
