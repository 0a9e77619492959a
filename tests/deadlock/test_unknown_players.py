"""Two reports of unknown players are not of one player."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from playhead.deadlock.facts.abilities import AbilityUses
from playhead.deadlock.facts.kills import KILLS, DeadlockKills
from playhead.deadlock.facts.messages import DeadlockVoice
from playhead.deadlock.sources.people import DeadlockPerson

PERSON = DeadlockPerson(0, 6, "Abrams", 2)


def match() -> Any:
    """A match whose one player is the entity 1."""
    people = SimpleNamespace(
        at=lambda index: PERSON if index == 1 else None,
        slot=lambda player: PERSON if player == 0 else None,
        person=lambda _controller: PERSON,
        entity=lambda _index: None,
        controller=lambda _index: None,
        body=lambda _index: None,
        controllers=lambda: [{}],  # without m_steamID
    )
    return SimpleNamespace(
        people=people,
        place_row=lambda *_: {},
        clock=SimpleNamespace(rate=60),
        server_tick_offset=0,
        tick=100,
        collectors={},
        on_fields=lambda *_: None,
        watch=lambda *_: None,
    )


@pytest.mark.parametrize(("victim", "known_by"), [(1, ["both"]), (None, ["message", "event"])])
def test_deaths(victim: int | None, known_by: list[str]) -> None:
    kills, playback = DeadlockKills(match()), SimpleNamespace(on_game_event=lambda _handler: None)
    kills.attach(playback)  # type: ignore[arg-type]
    for source in ("message", "event"):
        kills._add(100, source, victim, None, [])
    assert [row["known_by"] for row in kills.rows[KILLS.name]] == known_by


@pytest.mark.parametrize(("entity", "known_by"), [(1, ["both"]), (None, ["message", "event"])])
def test_uses_of_an_ability(entity: int | None, known_by: list[str]) -> None:
    uses: Any = AbilityUses.__new__(AbilityUses)
    uses.match, uses._rows, uses._alone = match(), [], {}
    for source in ("message", "event"):
        uses._add(100, source, entity, "ability_dash")
    assert [row["known_by"] for row in uses._rows] == known_by


def test_a_voice_without_an_account_is_of_no_controller_without_one() -> None:
    voice: Any = DeadlockVoice.__new__(DeadlockVoice)
    voice.match, voice._rows = match(), []
    voice._on_voice(100, {})
    assert voice._rows[0].get("player") is None
