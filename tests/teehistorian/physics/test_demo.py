"""Demos: written, read by a reader of their own, and by libtw2 where it is built."""

from __future__ import annotations

import math
import os
import subprocess
from pathlib import Path
from typing import Any
from uuid import UUID, uuid3

import pytest
from tests.teehistorian.physics.demo_reader import HEAD, Chunk, read_demo
from tests.teehistorian.physics.written_games import FLOOR, HOOK_UP, RIGHT, STILL, write_map

import playhead
from playhead.teehistorian.physics.demo.snapshots import NAMESPACE, SnapshotWriter
from playhead.teehistorian.stream.messages import WEAPONS, ConsoleCommand, Finish, Join, NetMessage
from playhead.teehistorian.writing.writer import TeehistorianWriter

CHARACTER, PLAYER_INFO, CLIENT_INFO, GAME_INFO = 9, 10, 11, 6
STATES = {"idle": 0, "flying": 4, "grabbed": 5, "retracted": -1}  # three more are of retracting hooks
NAME = bytes([0x28]) + b"anna\0[]\0" + bytes([0x40]) + b"pinky\0" + bytes(3)


def write_game(sha256: str, ticks: int = 300) -> bytes:
    """Two tees: one runs and hooks, the other stands; each types a command."""
    header = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**header, "map_sha256": sha256, "start_time": "2026-11-23T01:02:03+00:00"})
    writer.record(Join(0))
    writer.record(Join(1))
    writer.record(NetMessage(0, NAME))
    place = 100.0
    for tick in range(1, ticks):
        writer.set_tick(tick)
        place += 10 if 10 < tick < 40 else 0
        writer.tee_at(0, int(place), FLOOR)
        writer.tee_at(1, 900, FLOOR)
        if tick == 20:
            writer.record(ConsoleCommand(0, 128, "save", ("my secret code",)))
            writer.record(ConsoleCommand(1, 128, "team", ("3",)))
            writer.record(ConsoleCommand(1, 4, "tune", ("gravity", "0.5")))
        given = {9: RIGHT, 39: STILL, 60: HOOK_UP}.get(tick)
        if given:
            writer.set_input(0, given)
    writer.record(Finish())
    return writer.to_bytes()


@pytest.fixture
def simulation(tmp_path: Path) -> Any:
    sha256 = write_map(tmp_path / "floor.map", {(12, 2): 1, (20, 9): 191 + 7})
    return playhead.open(write_game(sha256)).simulate(tmp_path)


def snapshots(path: Path) -> list[Chunk]:
    return [chunk for chunk in read_demo(path) if chunk.items is not None]


def test_the_items_equal_the_table(simulation: Any, tmp_path: Path) -> None:
    path = simulation.write_demo(tmp_path / "out.demo")
    found = {chunk.tick: chunk.items for chunk in snapshots(path)}
    rows = simulation.table().to_pylist()
    assert len(rows) == 598
    last = {}
    for row in rows:
        last = found.get(row["tick"], last)  # nothing is written for a tick without a change
        fields = last[CHARACTER, row["client"]]
        if row["tick"] in found:
            assert fields[0] == row["tick"]
        assert fields[1:5] == (row["x"], row["y"], row["velocity_x"] * 256 / 50, row["velocity_y"] * 256 / 50)
        assert fields[5] == round(math.radians(row["angle"]) * 256)
        if row["hook_state"] in STATES:
            assert fields[9] == STATES[row["hook_state"]]
        assert fields[11:13] == (row["hook_x"], row["hook_y"])
        assert fields[6:9:2] == (row["direction"], -1 if row["hooked_player"] is None else row["hooked_player"])
        assert fields[10] == row["hook_ticks"]
        assert fields[19] == WEAPONS.index(row["weapon"])


def test_the_head_and_the_map(simulation: Any, tmp_path: Path) -> None:
    data = simulation.write_demo(tmp_path / "out.demo").read_bytes()
    assert data[72:77] == b"floor"
    assert data[144:150] == b"server"
    assert int.from_bytes(data[152:156], "big") == 5  # seconds
    assert data[156:175] == b"2026-11-23-01-02-03"
    assert data[HEAD - 32 : HEAD].hex() == simulation.map.sha256
    assert data[HEAD : HEAD + len(simulation.map.data)] == simulation.map.data


def test_keyframes_and_names(simulation: Any, tmp_path: Path) -> None:
    found = snapshots(simulation.write_demo(tmp_path / "out.demo"))
    assert [chunk.tick for chunk in found if chunk.key] == [1, 252]
    items = found[-1].items
    assert items is not None
    packed = b"".join(value.to_bytes(4, "big", signed=True) for value in items[CLIENT_INFO, 0][:4])
    assert bytes(byte - 128 & 0xFF for byte in packed[:-1]).rstrip(b"\0") == b"anna"
    assert items[PLAYER_INFO, 1][1] == 1
    assert len(items[GAME_INFO, 0]) == 8
    types = {}
    for (kind, number), fields in items.items():
        if kind == 0:
            types[number] = UUID(bytes=b"".join(value.to_bytes(4, "big", signed=True) for value in fields))
    assert uuid3(NAMESPACE, "character@netobj.ddnet.tw") in types.values()
    assert all(any(kind == number for kind, _ in items) for number in types)
    assert items[4, next(number for kind, number in items if kind == 4)] == (20 * 32 + 16, 9 * 32 + 16, 0, 0)


def test_chat_commands_hide_codes(simulation: Any, tmp_path: Path) -> None:
    path = simulation.write_demo(tmp_path / "out.demo")
    texts = [chunk.data for chunk in read_demo(path) if chunk.items is None and chunk.data[:1] == b"\6"]
    assert [text.rstrip(b"\0") for text in texts] == [b"\6\0\0/save ***", b"\6\0\1/team 3"]
    assert b"secret" not in path.read_bytes()


def test_a_part_of_some_players(simulation: Any, tmp_path: Path) -> None:
    found = snapshots(simulation.write_demo(tmp_path / "out.demo", start=50, end=80, players=[1]))
    assert {chunk.tick for chunk in found} <= set(range(50, 81))
    assert found[0].tick == 50
    assert found[0].key
    assert {number for chunk in found for kind, number in chunk.items or () if kind == CHARACTER} == {1}
    with pytest.raises(ValueError, match="expected a moment of the recording"):
        simulation.write_demo(tmp_path / "none.demo", start=5000)
    assert not (tmp_path / "none.demo").exists()


def test_a_demo_on_another_map_says_so(tmp_path: Path) -> None:
    write_map(tmp_path / "floor.map")
    replay = playhead.open(write_game("0" * 64, 30))
    simulation = replay.simulate(tmp_path / "floor.map", other_map=True)
    chunks = list(read_demo(simulation.write_demo(tmp_path / "out.demo")))
    said = next(chunk.data for chunk in chunks if chunk.items is None)
    assert said.startswith(b"\6\0\x40floor.map is not the map of this recording\0")
    assert simulation.table("hits").schema.metadata[b"playhead.other_map"] == b"floor.map"
    assert all(b"playhead.other_map" in batch.schema.metadata for batch in simulation.batches())


def test_too_many_items_are_refused(tmp_path: Path) -> None:
    with (tmp_path / "x.demo").open("wb") as file:
        demo = SnapshotWriter(file, "floor", b"", "0" * 64, "")
        with pytest.raises(ValueError, match="expected at most 1024 items"):
            demo.snapshot(1, {4 << 16 | number: (0, 0, 0, 0) for number in range(1025)})


def test_libtw2_reads_it(simulation: Any, tmp_path: Path) -> None:
    """``cargo build --release`` in ``benchmarks/peers/libtw2_demo`` makes the program."""
    program = os.environ.get("PLAYHEAD_LIBTW2")
    if not program:
        pytest.skip("PLAYHEAD_LIBTW2 does not name the program of benchmarks/peers/libtw2_demo")
    path = simulation.write_demo(tmp_path / "out.demo")
    lines = subprocess.run([program, str(path)], check=True, capture_output=True, text=True).stdout.splitlines()
    tees = [line.split() for line in lines if line.startswith("tee ")]
    rows = {(row["tick"], row["client"]): row for row in simulation.table().to_pylist()}
    assert len(tees) > 500
    for _, tick, client, x, y, vel_x, vel_y, angle, direction, state, hook_x, hook_y, weapon in tees:
        row = rows[int(tick), int(client)]
        assert (float(x) * 32, float(y) * 32) == pytest.approx((row["x"], row["y"]), abs=1)
        assert (float(vel_x), float(vel_y)) == pytest.approx(
            (row["velocity_x"] / 50, row["velocity_y"] / 50), abs=0.01
        )
        assert (float(hook_x) * 32, float(hook_y) * 32) == pytest.approx((row["hook_x"], row["hook_y"]), abs=1)
        assert float(angle) == pytest.approx(math.radians(row["angle"]), abs=0.01)
        assert (int(direction), WEAPONS[int(weapon)]) == (row["direction"], row["weapon"])
        assert int(state) == STATES.get(row["hook_state"], int(state))
    assert lines[-1].split()[2] == "3"  # messages: two of chat, one of teams
