"""Requests to die, granted and refused, and tees that get to a place where tees spawn without a death."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.teehistorian.physics.written_games import FLOOR, write_map

import playhead
from playhead.teehistorian.network import encode_network, six
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.messages import ConsoleCommand, Finish, Join, NetMessage
from playhead.teehistorian.writing.writer import TeehistorianWriter

KILL = NetMessage(0, encode_network(six.Kill()))
PLAY, WATCH = (NetMessage(0, encode_network(six.SetTeam(team))) for team in (0, -1))
#: A tile where tees spawn, its centre, and the place beside it.
TILE, SPAWN, BESIDE = (3, 6), (112, 208), (144, 208)


def said(command: str, *arguments: str, flags: int = 128) -> ConsoleCommand:
    return ConsoleCommand(0, flags, command, arguments)


def played(
    tmp_path: Path, places: list[tuple[int, int]], story: dict[int, list[Any]], start: int = 1, **config: str
) -> Any:
    """Simulate one tee at `places`, with records after each tick; from the second place on at `start` + 1."""
    sha256 = write_map(tmp_path / "floor.map", {TILE: 192})
    fields = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": sha256, "config": config})
    writer.record(Join(0))
    for tick, place in zip([1, *range(start + 1, start + len(places))], places, strict=True):
        writer.set_tick(tick)
        writer.tee_at(0, *place)
        for record in story.get(tick, ()):
            writer.record(record)
    writer.record(Finish())
    return playhead.open(writer.to_bytes()).simulate(tmp_path)


REST = (300, FLOOR)
GRANTED: list[tuple[list[Any], dict[str, str], str | None]] = [
    ([KILL], {}, "kill"),
    ([WATCH, PLAY], {}, "spectators"),
    ([said("kill_pl", "0", flags=4)], {}, "kill"),
    ([said("set_team", "0", "-1", flags=4)], {}, "spectators"),
    ([said("set_team_all", "-1", flags=4)], {}, "spectators"),
    ([said("pause"), said("set_team", "0", "0", flags=4), KILL], {}, "kill"),
    ([said("restart", flags=4)], {}, None),
    ([said("unpractice")], {}, None),
]
REFUSED: list[tuple[list[Any], dict[str, str]]] = [
    ([], {}),
    ([PLAY], {}),
    ([said("pause"), KILL], {}),
    ([said("pause"), WATCH], {}),
    ([said("spec"), KILL, PLAY], {}),
    ([said("kill")], {}),
    ([said("kill")], {"sv_kill_protection": "1"}),
    ([said("set_team", "0", "0", flags=4)], {}),
    ([said("set_team", "1", "-1", flags=4)], {}),
    ([said("kill_pl", "1", flags=4)], {}),
    ([ConsoleCommand(0, 4, "restart", ("30",))], {}),
]


@pytest.mark.parametrize(("records", "config", "reason"), GRANTED)
def test_a_granted_request_ends_in_a_respawn(
    records: list[Any], config: dict[str, str], reason: str | None, tmp_path: Path
) -> None:
    simulation = played(tmp_path, [REST, REST, REST, SPAWN], {3: records}, **config)
    counts = simulation.exactness
    assert (counts["respawns"], counts["breaks"], counts["exact"]) == (1, 0, 2)
    assert [(row["tick"], row["reason"]) for row in simulation.table("deaths").to_pylist()] == [(4, reason)]
    last = simulation.table().to_pylist()[-1]
    assert (last["exact"], last["known"], last["velocity_y"]) == (None, True, 0)


@pytest.mark.parametrize(("records", "config"), REFUSED)
def test_a_place_to_spawn_without_a_cause_is_a_break(
    records: list[Any], config: dict[str, str], tmp_path: Path
) -> None:
    simulation = played(tmp_path, [REST, REST, REST, SPAWN], {3: records}, **config)
    counts = simulation.exactness
    assert (counts["respawns"], counts["breaks"], counts["exact"]) == (0, 1, 2)
    assert not simulation.table("deaths").num_rows
    last = simulation.table().to_pylist()[-1]
    assert (last["exact"], last["known"]) == (False, False)


@pytest.mark.parametrize(("first", "respawns"), [(KILL, 1), (said("kill_pl", "0", flags=4), 2)])
def test_a_kill_soon_after_a_kill_is_refused(first: Any, respawns: int, tmp_path: Path) -> None:
    """The delay is 1 s unless the server sets another one; only a message of the client begins it."""
    places, story = [REST, REST, SPAWN, BESIDE], {2: [first], 3: [KILL]}
    assert played(tmp_path, places, story).exactness["respawns"] == respawns
    assert played(tmp_path, places, story, sv_kill_delay="0").exactness["respawns"] == 2
    story[2].append(said("sv_kill_delay", "0", flags=4))
    assert played(tmp_path, places, story).exactness["respawns"] == 2


def test_a_client_changes_its_team_at_most_every_three_seconds(tmp_path: Path) -> None:
    places, story = [REST, REST, SPAWN, BESIDE], {2: [WATCH, PLAY], 3: [WATCH, PLAY]}
    assert played(tmp_path, places, story).exactness["respawns"] == 1
    assert played(tmp_path, places, story, sv_spamprotection="0").exactness["respawns"] == 2
    assert played(tmp_path, places, story, sv_team_change_delay="0").exactness["respawns"] == 2


@pytest.mark.parametrize(("start", "respawns"), [(2999, 0), (3000, 1)])
def test_chat_kills_once_a_run_can_be_protected(start: int, respawns: int, tmp_path: Path) -> None:
    """A minute is 3,000 ticks: the tee appears on tick 1, and its client asks on the tick after `start`."""
    story = {start + 1: [said("kill")]}
    counts = played(tmp_path, [REST, REST, SPAWN], story, start, sv_kill_protection="1").exactness
    assert counts["respawns"] == respawns


@pytest.mark.parametrize(("records", "known"), [([PLAY], True), ([KILL], False)])
def test_a_tee_that_gets_to_a_place_to_spawn_by_itself_lives_on(
    records: list[Any], known: bool, tmp_path: Path
) -> None:
    """It falls by half a unit, which is rounded up: where tees spawn too."""
    simulation = played(tmp_path, [(112, 207), SPAWN], {1: records})
    last = simulation.table().to_pylist()[-1]
    assert (last["exact"], last["known"], last["velocity_y"]) == (True, known, 25)
    assert not simulation.table("deaths").num_rows
    assert simulation.exactness["respawns"] == 0


@pytest.mark.parametrize("teams", [(5, 5), (5, 6), (0, 0)])
def test_a_team_dies_with_who_kills_itself(teams: tuple[int, int], tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map", {TILE: 192})
    fields = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": sha256})
    for cid in range(2):
        writer.record(Join(cid))
    for tick, places in enumerate([(REST, (500, FLOOR))] * 3 + [(SPAWN, BESIDE)], 1):
        writer.set_tick(tick)
        for cid in range(2):
            writer.tee_at(cid, *places[cid])
        if tick == 1:
            for cid in range(2):
                writer.record(ex.PlayerTeam(cid, teams[cid]))
        if tick == 3:
            writer.record(KILL)
    writer.record(Finish())
    simulation = playhead.open(writer.to_bytes()).simulate(tmp_path)
    same = teams == (5, 5)
    reasons = [row["reason"] for row in simulation.table("deaths").to_pylist()]
    assert reasons == (["kill", "team"] if same else ["kill"])
    assert simulation.exactness["breaks"] == (not same)
