"""Heat, paths, jumps, sight and the packets behind changes: compared with tables, events and states."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from tests.samples.sc2.game import write_game

import playhead
from playhead.presentation import Cluster
from playhead.presentation.map import bounds_of
from playhead.presentation.motion import SEEN_BY_FIRST, SEEN_BY_SECOND
from playhead.view.feed import cluster_starts
from playhead.view.map import heat, path
from playhead.view.match import Match
from playhead.web.shelf import open_match

FORMATS = ("source2", "sc2", "teehistorian")


@pytest.mark.parametrize("name", FORMATS)
def test_heat_counts_positions(samples: dict[str, Path], name: str) -> None:
    replay = playhead.open(samples[name])
    rows = [row for row in replay.table("positions").to_pylist() if row["x"] is not None]
    counts = Counter((int(row["x"] // 50), int(row["y"] // 50)) for row in rows)
    found = heat(replay, 50.0)["cells"]
    assert {(x, y): count for x, y, count in found} == counts
    assert found[0][2] == max(counts.values())


def test_far_places_are_no_cells() -> None:
    """The numbers of their cells have no 32 bits."""
    far = [0.0, 120.0, 1.7e38, -1.7e38, math.inf, math.nan]
    rows = pa.table({"tick": range(6), "x": far, "y": [0.0] * 6}).to_batches()
    look = SimpleNamespace(drawn=lambda replay, table: table)
    replay: Any = SimpleNamespace(batches=lambda name: rows, presentation=SimpleNamespace(map=look))
    assert heat(replay, 50.0)["cells"] == [[0, 0, 1], [2, 0, 1]]
    assert bounds_of(zip(far[-2:], far[:2], strict=True)) is None


def test_everything_in_one_place_has_a_heat() -> None:
    """A report has it; bounds so far off have no margin, so that the cells had no width."""
    rows = pa.table({"tick": [1, 2], "x": [1e20, 1e20], "y": [0.0, 0.0]})
    match: Any = object.__new__(Match)
    asked: Any = SimpleNamespace(batches=lambda name: rows.to_batches())
    asked.presentation = SimpleNamespace(map=SimpleNamespace(drawn=lambda replay, table: table))
    match.ground = lambda: {"bounds": (1e20, 1e20, 0.0, 0.0)}
    match._answer = lambda key, make, last: make(asked)
    assert match.heat(None) == {"cell": 1.0, "cells": []}


@pytest.mark.parametrize("name", FORMATS)
def test_a_path_is_where_a_player_was(
    samples: dict[str, Path], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = playhead.open(samples[name])
    player = next(row["player"] for row in replay.table("positions").to_pylist() if row["player"] is not None)
    rows = [
        (row["tick"], row["x"], row["y"])
        for row in replay.table("positions").to_pylist()
        if row["player"] == player and row["x"] is not None and row.get("main", True)
    ]
    found = path(replay, player)
    assert list(zip(found["tick"], found["x"], found["y"], strict=True)) == rows
    monkeypatch.setattr("playhead.view.map.POINTS", 5)
    thin = path(replay, player)
    assert len(thin["tick"]) <= 10
    assert list(zip(thin["tick"], thin["x"], thin["y"], strict=True)) == rows[:: thin["every"]]


def test_a_path_is_thinned_evenly_over_batches(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    replay = playhead.open(samples["teehistorian"])
    table = replay.table("positions")
    monkeypatch.setattr(replay, "batches", lambda _name: iter(table.to_batches(max_chunksize=7)))
    monkeypatch.setattr("playhead.view.map.POINTS", 20)
    found = path(replay, 0)
    rows = [row["tick"] for row in table.to_pylist() if row["player"] == 0 and row["x"] is not None]
    assert found["every"] > 2
    assert found["tick"] == rows[:: found["every"]]


def test_jumps_are_events(samples: dict[str, Path]) -> None:
    for name, wanted in (
        ("source2", {"kill": ("player_killed",), "fight": ("fight_started",)}),
        ("teehistorian", {"finish": ("run_finished", "team_run_finished")}),
    ):
        replay = playhead.open(samples[name])
        found = open_match(str(samples[name])).jumps()
        for jump, kinds in wanted.items():
            assert found[jump] == sorted({event.tick for event in replay.events(*kinds)})
            assert len(found[jump]) > 1


def test_clusters_are_many_events_close_together() -> None:
    fight = Cluster(6, 10.0)
    burst = [1000 + 10 * each for each in range(6)]
    assert cluster_starts([0, 500, *burst, 9000], fight, 16.0) == [1000]
    assert cluster_starts(burst[1:], fight, 16.0) == []
    assert cluster_starts([], fight, 16.0) == []
    assert cluster_starts([*burst, *[each + 5000 for each in burst]], fight, 16.0) == [1000, 6000]


@pytest.mark.long
def test_expansions_of_real_games(corpus: Path) -> None:
    found = 0
    for file in sorted((corpus / "sc2").rglob("*.SC2Replay"))[::20]:
        replay = playhead.open(file)
        if "unit_started" not in replay.event_kinds:
            continue
        jumps = open_match(str(file)).jumps()
        killed = [event.tick for event in replay.events("unit_killed") if event.payload.get("attacker_player")]
        assert set(jumps.get("kill", ())) <= set(killed)
        assert set(jumps.get("fight", ())) <= set(killed)
        begun = [event for event in replay.events("unit_started") if event.payload["unit_type"] == "Nexus"]
        assert {event.tick for event in begun} <= set(jumps.get("expansion", ()))
        for player in replay.players if "expansion" in jumps else ():
            if player.player is not None:
                mine = [event.tick for event in begun if event.player == player.player]
                assert set(mine) <= set(jumps[f"expansion/{player.player}"]) <= set(jumps["expansion"])
        found += len(jumps.get("expansion", ()))
    assert found


def test_expansions_are_of_a_player(tmp_path: Path) -> None:
    file = write_game(tmp_path, 4)
    jumps = open_match(str(file)).jumps()
    assert jumps["expansion/1"] == [int(95 * 22.4)]
    assert jumps["expansion/2"] == [int(35 * 22.4)]
    assert jumps["expansion"] == sorted([*jumps["expansion/1"], *jumps["expansion/2"]])
    assert not any(name.startswith("kill/") for name in jumps)


def test_sight_is_what_the_entities_say(corpus: Path) -> None:
    """Heroes and creeps of a real match: teams see their own; of neutrals sometimes one, sometimes none."""
    file = corpus / "source2" / "dota2_build9912_10bots.dem"
    match, replay = open_match(str(file)), playhead.open(file)
    rows = match.motion.rows(0, match.last_tick, match.step)
    bits = {thing["id"]: 0 for thing in rows.directory}
    for thing, state in zip(rows.things, rows.states, strict=True):
        bits[rows.directory[thing]["id"]] = state
    compared = 0
    tick = match.last_tick - match.last_tick % match.step
    for unit in replay.at(tick).units.values():
        told = unit.to_dict().get("m_iTaggedAsVisibleByTeam")
        if told is not None and bits.get(str(unit.handle)):
            state = bits[str(unit.handle)]
            assert (bool(state & SEEN_BY_FIRST), bool(state & SEEN_BY_SECOND)) == (bool(told & 4), bool(told & 8))
            compared += 1
    assert compared > 100
    assert len({state & (SEEN_BY_FIRST | SEEN_BY_SECOND) for state in rows.states}) == 4


def test_why_names_the_packet_that_holds_the_change(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["source2"])
    frames = list(replay.recording.frames)
    key = str(replay.at(1800).units[100].handle)
    changes = open_match(str(samples["source2"])).history(1800, key, "m_iHealth")["changes"]
    assert len(changes) > 3
    for change in changes[1:]:
        why = change["why"]
        frame = frames[why["frame"]]
        assert (frame.offset, frame.tick) == (why["offset"], change["tick"])
        assert why["did"] == "UPDATED"
        assert why["message"] == "CSVCMsg_PacketEntities"
        assert 1 <= why["place"] <= why["count"]
    assert open_match(str(samples["sc2"])).history(0, "2621441", "x")["changes"] == [
        {"tick": 0, "value": 40.0, "why": None}
    ]
