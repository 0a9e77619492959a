"""Measures of play, on lists whose measures can be worked out by hand."""

from __future__ import annotations

from array import array
from math import log

import pytest

from playhead.sc2.state.players.action_metrics import COMMAND, GROUP, SELECTION, UPDATE, Actions, Moves
from playhead.sc2.state.players.tracked_players import blocked_spans, loops_within, spending_quotient


def moves_of(rows: list[tuple[int, float, float]]) -> Moves:
    moves = Moves()
    for row in rows:
        moves.add(*row)
    return moves


def test_spending_quotient() -> None:
    # The formula's own example: an income of 1,000 with 500 unspent.
    assert spending_quotient(1000, 500) == pytest.approx(35 * (1.37 - log(500)) + 240)
    assert spending_quotient(1000, 500) == pytest.approx(70.4, abs=0.1)
    assert spending_quotient(0, 500) is None
    assert spending_quotient(1000, 0) is None


def test_screens_are_jumps_of_fifteen_cells() -> None:
    moves = [(0, 0.0, 0.0), (10, 14.5, 0.0), (20, 29.5, 0.0), (30, 29.5, 40.0)]
    assert moves_of(moves).screens().tolist() == [20, 30]


def test_a_cycle_is_a_fixation_with_an_action() -> None:
    moves = [(0, 0.0, 0.0), (5, 5.0, 0.0), (20, 10.0, 0.0), (30, 20.0, 0.0), (33, 30.0, 0.0), (60, 40.0, 0.0)]
    # From 0 to 20 with two actions; from 20 to 30 with none; from 30 to 33 too short; from 33 to 60 with one.
    found = moves_of(moves).cycles(array("q", [3, 19, 31, 40, 70]))
    assert [column.tolist() for column in found] == [[0, 33], [20, 60], [2, 1], [3, 7]]


def test_repetitions_and_passing_selections_have_no_effect() -> None:
    actions = Actions()
    for row in (
        (0, COMMAND, 1, 0),
        (5, COMMAND, 1, 0),  # the same again
        (12, UPDATE),  # within ten loops of it
        (30, UPDATE),
        (40, GROUP, 1, 2),
        (44, GROUP, 2, 2),  # another group
        (50, SELECTION, 1),  # replaced at once
        (53, SELECTION, 2),
        (80, SELECTION, 3),
    ):
        actions.add(*row)
    assert actions.effective().tolist() == [0, 30, 40, 44, 53, 80]


def test_supply_is_blocked_from_change_to_change() -> None:
    samples = [(160, 14.0, 15.0), (320, 15.0, 23.0), (480, 16.0, 23.0)]
    changes = [(0, 14.0, 15.0), (200, 15.0, 15.0), (300, 15.0, 23.0), (400, 16.0, 23.0)]
    spans = blocked_spans(samples, changes)
    assert spans == [(200, 300)]
    assert (loops_within(spans, 0, 250), loops_within(spans, 250, 999)) == (50, 50)


def test_where_changes_and_samples_disagree_samples_go() -> None:
    samples = [(160, 14.0, 15.0), (320, 15.0, 15.0), (480, 200.0, 200.0)]
    assert blocked_spans(samples, [(0, 1.0, 15.0)]) == [(160, 320)]
