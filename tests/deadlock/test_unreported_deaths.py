"""A death that neither message nor game event reports is in table kills, known by the state."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from tests.deadlock.story import picked
from tests.samples.source2.deadlock.recording import WrittenMatch

import playhead

LOST = 1  # number of the death that is not reported


@cache
def written(*, counter: bool = True, lost: Collection[int] = (LOST,)) -> tuple[list[dict[str, Any]], Any]:
    """Return the deaths of two minutes, and the replay without a report of those in `lost`; without `counter`,
    their m_iDeaths does not rise."""
    match = WrittenMatch(2.0)
    said, count = match.story.said, 0
    report = said.death

    def death(tick: int, victim: Any, *people: Any, **more: Any) -> None:
        nonlocal count
        if count not in lost:
            report(tick, victim, *people, **more)
        elif not counter:
            victim.deaths -= 1
            match.story.field.tell(victim)
        count += 1

    said.death = death  # type: ignore[method-assign]
    replay = playhead.open(match.demo())
    return match.rows["kills"], replay


def test_the_state_knows_the_death() -> None:
    story, replay = written()
    kills = replay.table("kills").to_pylist()
    columns = "tick victim_player victim_hero_id victim_x victim_y respawn_seconds seen_dead"
    whole = [row | {"respawn_seconds": 10.0, "seen_dead": True} for row in story]
    for row in kills:
        row["respawn_seconds"] = round(row["respawn_seconds"], 3)
    assert picked(kills, columns) == picked(whole, columns)
    lost = kills[LOST]
    assert [row["known_by"] for row in kills].count("state") == 1
    assert lost["known_by"] == "state"
    unknown = "attacker_player attacker_hero attacker_team attacker_entity_class assister_players ability streak"
    assert {lost[name] for name in unknown.split()} == {None}
    assert lost["first_blood"] is None
    (problem,) = replay.problems
    assert (problem.tick, problem.where) == (lost["tick"], "deadlock")
    assert lost["victim_hero"] in str(problem)


def test_fights_count_it() -> None:
    story, replay = written()
    assert sum(row["deaths"] for row in replay.table("fights").to_pylist()) == len(story)
    deaths = [row["player"] for row in replay.table("fight_players").to_pylist() if row["deaths"]]
    assert sorted(deaths) == sorted(row["victim_player"] for row in story)


def test_a_check_of_verify_fails() -> None:
    story, replay = written()
    (check,) = [check for check in replay.verify() if check.name == "lives"]
    assert (check.passed, check.failed) == (len(story) - 1, 1)
    assert replay.problems


def test_a_life_that_ends_without_a_counted_death_is_no_kill() -> None:
    story, replay = written(counter=False)
    assert replay.table("kills").num_rows == len(story) - 1
    assert not replay.problems


def test_a_recording_without_reports_has_no_lives_to_check() -> None:
    story, replay = written(lost=range(99))
    assert replay.table("kills")["known_by"].to_pylist() == ["state"] * len(story)
    assert "lives" not in [check.name for check in replay.verify()]
    assert replay.problems == ()
