"""What people do beside playing: type, pause, watch, practise and die, on written maps."""

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

RIGHT, LEFT_IN_CHAT = (1, 100, 0, 0, 0, 0, 1, 0, 0, 0), (-1, 100, 0, 0, 0, 0, 5, 0, 0, 0)


def played(tmp_path: Path, ticks: int, story: dict[int, list[Any]], **header: Any) -> Any:
    """Simulate tees at one place, and what happens at each tick: a record, or a client id that appears or is gone."""
    sha256 = write_map(tmp_path / "floor.map")
    fields = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": sha256, **header})
    tees: set[int] = set()
    for cid, name in enumerate(("alice", "bob")):
        writer.record(Join(cid))
        writer.record(ex.PlayerName(cid, name))
    for tick in range(1, ticks):
        writer.set_tick(tick)
        moves = [one for one in story.get(tick, ()) if isinstance(one, int)]
        for cid in moves:
            tees ^= {cid}
        for cid in range(2):
            if cid in tees:
                writer.tee_at(cid, 112 + 320 * cid, FLOOR)
            elif cid in moves:
                writer.tee_gone(cid)
        for one in story.get(tick, ()):
            if isinstance(one, tuple):
                writer.set_input(*one)
            elif not isinstance(one, int):
                writer.record(one)
    writer.record(Finish())
    return playhead.open(writer.to_bytes()).simulate(tmp_path)


def said(command: str, *arguments: str) -> ConsoleCommand:
    return ConsoleCommand(0, 128, command, arguments)


def test_a_new_tee_has_the_input_that_its_client_sent_last(tmp_path: Path) -> None:
    """Who types does not move, but after a death the tee begins with what was received meanwhile."""
    story = {1: [0], 3: [(0, RIGHT)], 6: [(0, LEFT_IN_CHAT)], 9: [0], 12: [0]}
    rows = {row["tick"]: row["direction"] for row in played(tmp_path, 16, story).table().to_pylist()}
    assert [rows[tick] for tick in (3, 4, 8)] == [0, 1, 1]
    assert [rows[tick] for tick in (12, 13, 15)] == [0, -1, -1]


PAUSES = [
    ([said("pause"), said("pause")], [1, 0]),
    ([said("pause", "bob"), said("pause", "bob"), said("spec", "bob")], [1, 0, 1]),
    ([said("spec", "bob"), said("pause", "carol"), said("pause")], [1, 1, 0]),
    ([said("pause"), NetMessage(0, encode_network(six.SetSpectatorMode(1))), said("spec", "bob")], [1, 1, 0]),
]


@pytest.mark.parametrize(("commands", "paused"), PAUSES)
def test_pause_with_a_name_ends_only_for_the_client_that_is_watched(
    commands: list[Any], paused: list[int], tmp_path: Path
) -> None:
    story: dict[int, list[Any]] = {1: [0, 1], **{tick: [one] for tick, one in enumerate(commands, 3)}}
    seen: dict[int, int] = {}

    def begin(rerun: Any, _: object) -> None:
        rerun.watcher = lambda tick: seen.update({tick: rerun.world.tees[0].paused})

    for _ in played(tmp_path, 9, story).passes(begin=begin):
        pass
    assert [seen[tick] for tick in range(4, 4 + len(paused))] == paused
