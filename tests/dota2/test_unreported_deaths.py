"""A hero's death without an entry of the combat log is in table kills, known by the state."""

from __future__ import annotations

from typing import Any

import pytest
from tests.samples.source2 import match_schema
from tests.samples.source2.combat_log import SampleCombatLog
from tests.samples.source2.dota2 import SampleMessages
from tests.samples.source2.match import SyntheticMatch
from tests.samples.source2.match_demo import FILE_HEADER, match_demo, write_match

import playhead
from playhead.source2.writing.demo import DemoWriter, InnerMessage

LOST = 1  # number of the death that the log lacks


class _Lacking(SampleCombatLog):
    """Lacks the DEATH entry of a kill, and the lost gold with it."""

    def at(self, tick: int, match: SyntheticMatch) -> list[InnerMessage]:
        if len(match.kills) == LOST + 1 and self._kills == LOST:
            self._kills += 1
        return super().at(tick, match)


class Played(SyntheticMatch):
    """A match in which m_iDeaths counts all deaths, only those of the log, or has no such name.

    `revival`: ticks until the hero whose death the log lacks lives again.
    """

    def __init__(self, counter: str, revival: int | None) -> None:
        self.counter, self.revival = counter, revival
        super().__init__(2)

    def put(self, index: int, values: Any) -> None:
        if self.counter == "none":
            values = {name.replace("m_iDeaths", "m_iFalls"): value for name, value in values.items()}
        super().put(index, values)

    def _kill(self, victim: Any, tick: int) -> None:
        is_lost = len(self.kills) == LOST
        victim.deaths -= is_lost and self.counter == "others"
        super()._kill(victim, tick)
        if is_lost and self.revival is not None:
            victim.dead_until = tick + self.revival


def written(counter: str = "all", revival: int | None = None) -> tuple[Any, SyntheticMatch]:
    messages = SampleMessages()
    messages.combat_log = _Lacking()
    match = Played(counter, revival)
    data = write_match(DemoWriter(FILE_HEADER), match, 0.75, messages=messages)
    assert len(match.kills) >= 3
    return playhead.open(data), match


def test_the_state_knows_the_death() -> None:
    replay, match = written()
    kills = replay.table("kills").to_pylist()
    expected = [(k.tick, k.victim, k.killer, "event") for k in match.kills]
    expected[LOST] = (match.kills[LOST].tick, match.kills[LOST].victim, None, "state")
    names = "tick victim_player attacker_player known_by".split()
    assert [tuple(row[name] for name in names) for row in kills] == expected
    lost = kills[LOST]
    assert (lost["victim_hero"], lost["victim_side"]) == ("npc_dota_hero_zuus", "dire")
    assert lost["victim_x"] is not None
    assert lost["dead_seconds"] > 5
    unknown = (
        "attacker attacker_hero attacker_side inflictor assister_players smoked solo_kill multi_kill kill_streak"
    )
    assert {lost[name] for name in unknown.split()} == {None}
    (problem,) = replay.problems
    assert (problem.tick, problem.where) == (lost["tick"], "dota2")
    assert "npc_dota_hero_zuus" in str(problem)


def test_a_check_of_verify_fails() -> None:
    replay, match = written()
    (check,) = [check for check in replay.verify() if check.name == "lives"]
    assert (check.passed, check.failed) == (len(match.kills) - 1, 1)
    assert replay.problems


@pytest.mark.parametrize(
    ("counter", "revival", "is_kill"),
    [
        ("others", None, False),  # the game does not count it
        ("none", None, True),
        ("none", 150, False),  # five seconds, as by an Aegis
    ],
)
def test_only_deaths_that_the_game_counts_are_kills(
    counter: str, revival: int | None, is_kill: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if counter == "none":
        fields = match_schema._PLAYER_TEAM_DATA.replace("m_iDeaths", "m_iFalls")
        monkeypatch.setattr(match_schema, "_PLAYER_TEAM_DATA", fields)
    replay, match = written(counter, revival)
    rows = replay.table("kills").to_pylist()
    assert ("state" in [row["known_by"] for row in rows]) == is_kill
    assert len(rows) == len(match.kills) - (not is_kill)


def test_a_recording_without_a_log_has_no_lives_to_check() -> None:
    data, match = match_demo(0.75, seed=2)
    replay = playhead.open(data)
    kills = replay.table("kills").to_pylist()
    assert [(row["tick"], row["known_by"]) for row in kills] == [(kill.tick, "state") for kill in match.kills]
    assert "lives" not in [check.name for check in replay.verify()]
    assert replay.problems == ()
