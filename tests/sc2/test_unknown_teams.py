"""A player whose team is unknown has no opponents, and is nobody's opponent."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.sc2.economy_story import story

from playhead.model import Player
from playhead.runtime.records import replace
from playhead.sc2.coaching.comparison import _enemies, opponents_of


def _player(number: int, team: int | None, race: str) -> Player:
    return Player(player=number, name=f"P{number}", kind="human", team=team, details={"race": race})


def test_opponents() -> None:
    one, two, unknown = _player(1, 1, "Zerg"), _player(2, 2, "Terran"), _player(3, None, "Protoss")
    replay: Any = SimpleNamespace(players=(one, two, unknown))
    assert opponents_of(one, replay) == [two]
    assert opponents_of(unknown, replay) == []
    assert _enemies(one, replay) == ["Terran"]
    assert _enemies(unknown, replay) == []


@pytest.mark.parametrize("unknown", [1, 2])
def test_nobody_scouts_a_player_of_an_unknown_team(unknown: int) -> None:
    game = story()
    players = [replace(each, team=None) if each.player == unknown else each for each in game.recording.players]
    game.recording.__dict__["players"] = tuple(players)
    assert game.table("scouting").num_rows == 0
