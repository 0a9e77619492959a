"""The viewer on the map of the recording: hooks, velocities, weapons, freeze and shots, as simulated."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.teehistorian.physics.written_games import FLOOR, write_map, write_recording
from tests.view.stretch import decoded

import playhead
from playhead.presentation.motion import FROZEN, HOOK
from playhead.teehistorian.presentation import deaths
from playhead.teehistorian.stream.messages import ConsoleCommand, Finish, Join
from playhead.teehistorian.writing.writer import TeehistorianWriter
from playhead.view.feed import notable_kinds
from playhead.view.match import MapFile, Match
from playhead.web.shelf import open_match

#: Looks and hooks up, then fires to the right with the gun.
_FIRES = (0, 100, 0, 0, 1, 0, 1, 0, 0, 0)
_AGAIN = (0, 100, 0, 0, 3, 0, 1, 0, 0, 0)
_HOOKS = (0, 0, -100, 0, 3, 1, 1, 0, 0, 0)


@pytest.fixture
def match(tmp_path: Path) -> Match:
    """A tee that fires twice, hooks for three ticks, and is elsewhere than it should be from tick 119 on."""
    sha256 = write_map(tmp_path / "floor.map", {(3, 0): 1, (30, 9): 9})
    places = [(112, FLOOR)] * 19 + [(180, FLOOR), (250, FLOOR)] + [(976, FLOOR)] * 4
    (tmp_path / "game").write_bytes(
        write_recording(sha256, places, {103: _FIRES, 104: _AGAIN, 108: _HOOKS, 111: _AGAIN}, 100)
    )
    return open_match(str(tmp_path / "game"), map_file=MapFile(str(tmp_path / "floor.map")))


def _rows(match: Match) -> dict[str, dict[int, dict[str, Any]]]:
    """Rows of the first stretch by thing and tick."""
    head, rows = decoded(match.state(0))
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(head["things"][row["thing"]]["id"], {})[row["tick"]] = row
    return found


def test_a_tee_is_drawn_as_simulated(match: Match, tmp_path: Path) -> None:
    rows = _rows(match)["0"]
    simulated = playhead.open(tmp_path / "game").simulate(tmp_path).table().to_pylist()
    last: dict[str, Any] = {}
    for row in simulated:
        last = rows.get(row["tick"], last)  # a tick without a change has no row
        assert (last["x"], last["y"]) == (row["x"], row["y"])
        assert (last["vel_x"] * 50, last["vel_y"] * 50) == pytest.approx((row["velocity_x"], row["velocity_y"]))
        assert bool(last["state"] & FROZEN) == (row["freeze_ticks"] > 0)
        hooks = row["hook_state"] in ("flying", "grabbed")
        assert bool(last["state"] & HOOK) == hooks
        assert not hooks or (last["to_x"], last["to_y"]) == (row["hook_x"], row["hook_y"])
        assert hooks or last["to_x"] != last["to_x"]
        assert last["item"] == 1
    assert {row["hook_state"] for row in simulated} >= {"flying", "idle"}
    assert any(row["freeze_ticks"] for row in simulated)
    assert match.thing(109, "0")["fields"]["hook_state"] == "flying"


def test_shots_fly(match: Match) -> None:
    shots = [rows for key, rows in _rows(match).items() if key.startswith("shot")]
    assert len(shots) == 1  # the first input of a spawn does not fire
    flight = [(tick, row["x"]) for tick, row in sorted(shots[0].items())]
    ticks = [tick for tick, _ in flight]
    assert ticks == list(range(ticks[0], ticks[-1] + 1))
    steps = {round(after[1] - before[1]) for before, after in pairwise(flight)}
    assert steps == {28}  # 1,400 units a second
    assert flight[0] == (104, 112 + 21 + 28)  # it begins 21 units before the tee


def test_positions_that_were_not_predicted_are_doubts(match: Match, tmp_path: Path) -> None:
    simulated = playhead.open(tmp_path / "game").simulate(tmp_path).table().to_pylist()
    missed = [row["tick"] for row in simulated if row["exact"] is False]
    assert missed
    doubts = match.ground()["doubts"]
    assert [tick for first, last in doubts for tick in range(first, last + 1)] == missed


def test_without_the_map_nothing_is_simulated(match: Match, tmp_path: Path) -> None:
    write_map(tmp_path / "other.map", {(5, 5): 1})
    for map_file in (None, MapFile(str(tmp_path / "other.map"))):
        plain = open_match(str(tmp_path / "game"), map_file=map_file)
        assert "items" not in decoded(plain.state(0))[0]
        assert plain.ground()["doubts"] == []


def test_deaths_are_events_on_the_map(tmp_path: Path) -> None:
    """The page's feed names who hooked the tee last; a death that another event tells is not said twice."""
    hook = (0, 100, 0, 0, 0, 1, 1, 0, 0, 0)
    hash_of_map = write_map(tmp_path / "floor.map", {(13, 9): 2})
    fields = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": hash_of_map})
    for cid in range(3):
        writer.record(Join(cid))
    for tick in range(1, 16):
        writer.set_tick(tick)
        writer.tee_at(0, 112, FLOOR)
        if tick < 12:
            writer.tee_at(1, 432, FLOOR)
            writer.tee_at(2, 912, FLOOR)
        elif tick == 12:
            writer.tee_gone(1)
            writer.tee_gone(2)
        if tick == 2:
            writer.set_input(0, hook)
        if tick == 11:
            writer.record(ConsoleCommand(-1, 4, "kill_pl", ("2",)))
    writer.record(Finish())
    data = writer.to_bytes()
    assert "tee_died" not in playhead.open(data).event_kinds
    match = Match(playhead.open(data), MapFile(str(tmp_path / "floor.map")))
    assert "tee_died" in notable_kinds(match.moments)
    feed = match.events(("tee_died",))
    assert feed["counts"] == {"tee_died": 1}
    assert feed["hidden"] == 1
    columns = feed["columns"]
    assert (columns["tick"], columns["player"], columns["x"]) == ([12], [1], [432.0])
    assert columns["kill"][0][:3] == [0, 1, "hook"]
    assert match.jumps()["kill"] == [12]
    assert [death.killer for death in deaths(match.moments)] == [0, None]
