"""Which player stacked which camp."""

from __future__ import annotations

from playhead.dota2.facts.camps import Credit, Wave, credited

NEAR, FAR = Wave(10, 3, (0.0, 0.0)), Wave(11, 2, (5000.0, 0.0))


def test_one_player_with_all_camps_needs_no_place() -> None:
    assert credited([NEAR, FAR], [Credit(4, 2, ())]) == [(NEAR, 4), (FAR, 4)]


def test_the_nearest_credited_hero_gets_a_camp() -> None:
    credits = [Credit(1, 1, [(4000.0, 0.0)]), Credit(2, 1, [(900.0, 0.0), (100.0, 0.0)])]
    assert credited([NEAR, FAR], credits) == [(NEAR, 2), (FAR, 1)]


def test_a_hero_too_far_away_gets_none() -> None:
    credits = [Credit(1, 1, [(3000.0, 0.0)]), Credit(2, 1, [(100.0, 0.0)])]
    assert credited([NEAR, FAR], credits) == [(NEAR, 2), (FAR, None)]


def test_waves_beyond_the_credits_are_no_stacks() -> None:
    assert credited([NEAR, FAR], [Credit(2, 1, [(100.0, 0.0)])]) == [(NEAR, 2)]


def test_without_credits_there_are_no_stacks() -> None:
    assert credited([NEAR], []) == []
