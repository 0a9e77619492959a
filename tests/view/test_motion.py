"""What moves, compared with the state that the engine itself gives at the same ticks."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tests.view.stretch import decoded

import playhead
from playhead.presentation.motion import ALIVE, Rows
from playhead.view.match import Match
from playhead.web.shelf import open_match


def _last(rows: Rows, tick: int) -> dict[str, tuple[float, float, float, int]]:
    """Place, health and state of what is there at a tick, by id: the last row at or before it."""
    found = {}
    for place, (when, thing) in enumerate(zip(rows.ticks, rows.things, strict=True)):
        if when <= tick:
            x, y, _, health = rows.numbers[place * 4 : place * 4 + 4]
            found[rows.directory[thing]["id"]] = (x, y, health, rows.states[place])
    return {key: row for key, row in found.items() if row[3]}


def test_heroes_are_where_the_state_has_them(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["source2"])
    match = open_match(samples["source2"])
    compared = 0
    for number in (0, 3, 7):
        start = number * match.stretch
        rows = match.motion.rows(start, start + match.stretch, match.step)
        for tick in (start, start + 10 * match.step, start + match.stretch):
            there = _last(rows, tick)
            by_player = {about["player"]: about["id"] for about in rows.directory if about["role"] == "hero"}
            for row in replay.at(tick).players:
                x, y, health, state = there[by_player[row["player"]]]
                assert (x, y) == pytest.approx((row["x"], row["y"]), abs=0.1)
                assert health == pytest.approx(min(1, row["health"] / row["max_health"]), abs=0.001)
                assert bool(state & ALIVE) == row["alive"]
                compared += 1
    assert compared == 90


def test_units_are_those_that_are_alive(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    rows = open_match(samples["sc2"]).motion.rows(0, 6700, 22)
    for tick in (0, 2200, 5984, 6006, 6600):
        there = {key: row for key, row in _last(rows, tick).items() if key.isdigit()}
        units = replay.at(tick - tick % 22).units
        assert there.keys() == {str(tag) for tag in units}
        for tag, unit in units.items():
            assert there[str(tag)][:2] == (unit.x, unit.y)
            assert bool(there[str(tag)][3] & ALIVE) == unit.finished


def test_tees_are_exact_on_every_tick(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["teehistorian"])
    rows = open_match(samples["teehistorian"]).motion.rows(0, 500, 1)
    compared = 0
    for tick in range(95, 500, 7):
        there = _last(rows, tick)
        tees = [tee for tee in replay.at(tick).players if tee["x"] is not None]
        assert there.keys() == {str(tee["player"]) for tee in tees}
        for tee in tees:
            assert there[str(tee["player"])][:2] == (tee["x"], tee["y"])
            compared += 1
    assert compared > 50


def _by_thing(match: Match, number: int) -> dict[str, list[dict[str, Any]]]:
    """Rows by thing, in order, of heroes, buildings and tees.

    Not of other units: whether one that left the recorder's sight counts as there is not the same behind a full
    packet as for who played up to it.
    """
    head, rows = decoded(match.state(number))
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        about = head["things"][row.pop("thing")]
        if match.moments.format == "sc2" or about["role"] in ("hero", "building"):
            found.setdefault(about["id"], []).append(row)
    return found


@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_a_jump_gives_the_rows_of_playing_there(samples: dict[str, Path], name: str) -> None:
    """A stretch is the same whether the one before it was read or not."""
    played, jumped = open_match(samples[name]), open_match(samples[name])
    last = played.last_tick // played.stretch
    in_order = [_by_thing(played, number) for number in range(last + 1)]
    assert repr([_by_thing(jumped, number) for number in reversed(range(last + 1))]) == repr(in_order[::-1])
    assert any(in_order)


def test_a_stretch_that_is_not_there_is_an_error(samples: dict[str, Path]) -> None:
    match = open_match(samples["sc2"])
    with pytest.raises(ValueError, match="expected a stretch from 0 to"):
        match.state(10_000)


def test_something_gone_has_no_place() -> None:
    rows = Rows()
    thing = rows.new("1", {"role": "unit"})
    rows.add(5, thing, None, None)
    head, (row,) = decoded(rows.to_bytes(0, 10, 1))
    assert head == {"start": 0, "end": 10, "step": 1, "rows": 1, "things": [{"id": "1", "role": "unit"}]}
    assert [row["tick"], row["thing"], row["age"], row["state"]] == [5, 0, 0, 0]
    assert all(math.isnan(row[name]) for name in ("x", "y", "facing", "health"))


def test_the_cache_is_bounded(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playhead.view.match.CACHE_BYTES", 40_000)
    match = open_match(samples["source2"])
    for number in range(match.last_tick // match.stretch + 1):
        match.state(number)
        assert match.cached_bytes <= max(40_000, len(match.state(number)))
