"""Random numbers, map files, pickups, shots, switches and the tables of what happened, on written maps."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
import twmap
from tests.teehistorian.physics.written_games import FLOOR, STILL, write_map, write_recording

import playhead
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime import hot
from playhead.teehistorian.physics.arena.random_numbers import RandomNumbers
from playhead.teehistorian.physics.game_map import MapContainer, decode_map

numpy = pytest.importorskip("numpy")


def fire(weapon: int, count: int, x: int = 100, y: int = 0) -> tuple[int, ...]:
    return (0, x, y, 0, count, 0, 1, weapon, 0, 0)


def played(tmp_path: Path, inputs: dict[int, tuple[int, ...]], ticks: int = 60, **map_tiles: Any) -> Any:
    """Simulate a tee that the recording has at one place."""
    sha256 = write_layers(tmp_path / "floor.map", **map_tiles)
    data = write_recording(sha256, [(112, FLOOR)] * ticks, inputs)
    return playhead.open(data).simulate(tmp_path)


def write_layers(path: Path, **layers: dict[tuple[int, int], Any]) -> str:
    """Write a map as `write_map`, with tiles of further layers (``switch={(3, 9): (1, 22, 0, 5)}``)."""
    write_map(path, layers.pop("game", {}))
    made = twmap.Map(str(path))
    group = next(iter(made.groups))
    for name, tiles in layers.items():
        layer = group.layers.new_physics(name.capitalize())
        numbers = layer.tiles
        numbers[...] = 0
        for (column, row), values in tiles.items():
            numbers[row, column] = values
        layer.tiles = numbers
    path.unlink()
    made.save(str(path))
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_random_numbers_are_those_of_pcg32() -> None:
    """The first numbers of the generator's own demonstration program, for the seed (42, 54)."""
    numbers = RandomNumbers(f"pcg-xsh-rr:{42:016x}:{54:016x}")
    expected = [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E]
    assert [numbers.draw(1 << 32) for _ in expected] == expected
    numbers.return_to(2)
    assert numbers.draw(1 << 32) == expected[2]
    assert numbers.draw(1) == 0
    assert numbers.drawn == 3


def test_an_unknown_generator_draws_nothing() -> None:
    numbers = RandomNumbers("xoshiro:1:2")
    assert (numbers.known, numbers.draw(5), numbers.drawn) == (False, 0, 0)


def test_layers_equal_those_that_twmap_reads(tmp_path: Path) -> None:
    write_layers(
        tmp_path / "all.map",
        game={(3, 2): 1, (5, 5): 200},
        front={(4, 4): (5, 8)},
        tele={(6, 6): (3, 26)},
        speedup={(7, 7): (10, 20, 28, 45)},
        switch={(8, 8): (4, 22, 0, 9)},
        tune={(9, 9): (2, 68)},
    )
    made = twmap.Map(str(tmp_path / "all.map"))
    width, height, layers = MapContainer((tmp_path / "all.map").read_bytes(), "all.map").layers(1 << 20)
    assert (width, height) == (40, 12)
    assert sorted(layers) == ["front", "game", "speedup", "switch", "tele", "tune"]
    for name, data in layers.items():
        theirs = numpy.asarray(getattr(made, f"{name}_layer")().tiles)
        if name == "speedup":
            ours = [struct.unpack("<BBBBh", data[place : place + 6]) for place in range(0, len(data), 6)]
            assert [(f, m, k, a) for f, m, k, _, a in ours] == [tuple(row) for row in theirs.reshape(-1, 4)]
            continue
        kept = theirs.shape[2]
        ours = numpy.frombuffer(data, numpy.uint8).reshape(height, width, -1)[:, :, :kept]
        assert (ours == theirs).all(), name


def container(width: int, height: int, tiles: bytes) -> bytes:
    """Write a map file with one game layer that claims a size."""
    item = struct.pack("<23i", 0, 2, 0, 3, width, height, 1, *[0] * 7, 0, *[-1] * 8)
    block = zlib.compress(tiles)
    head = struct.pack("<4s8i", b"DATA", 4, 0, 0, 1, 1, 1, len(item) + 8, len(block))
    offsets = struct.pack("<3i", 5, 0, 1) + struct.pack("<3i", 0, 0, len(tiles))
    return head + offsets + struct.pack("<2i", 5 << 16, len(item)) + item + block


@pytest.mark.parametrize(
    ("width", "height", "error"),
    [(1 << 15, 1 << 15, LimitExceeded), (40, 12, CorruptReplay), (-1, 5, CorruptReplay), (0, 0, CorruptReplay)],
)
def test_a_map_that_claims_too_much(tmp_path: Path, width: int, height: int, error: type[Exception]) -> None:
    (tmp_path / "floor.map").write_bytes(container(width, height, b"\0" * 100))
    replay = playhead.open(write_recording("ab" * 32, [(100, FLOOR)] * 3, {}))
    with pytest.raises(error):
        replay.simulate(tmp_path / "floor.map", other_map=True)


@pytest.mark.long
def test_cut_and_changed_maps_raise_typed_errors(tmp_path: Path) -> None:
    sha256 = write_layers(tmp_path / "floor.map", game={(5, 5): 200}, switch={(8, 8): (4, 22, 0, 9)})
    whole = (tmp_path / "floor.map").read_bytes()
    replay = playhead.open(write_recording(sha256, [(100, FLOOR)] * 3, {}))
    for place in range(0, len(whole), 7):
        for data in (whole[:place], whole[:place] + b"\xff" + whole[place + 1 :]):
            (tmp_path / "bad.map").write_bytes(data)
            try:
                _ = replay.simulate(tmp_path / "bad.map", other_map=True).exactness
            except playhead.ReplayError:
                continue


def test_a_pickup_gives_its_weapon_and_a_heart_freezes(tmp_path: Path) -> None:
    rows = played(tmp_path, {3: fire(4, 0), 4: fire(4, 0)}, game={(3, 9): 191 + 9}).table().to_pylist()
    assert rows[0]["weapon"] == "gun"
    assert rows[10]["weapon"] == "grenade"
    rows = played(tmp_path, {}, 110, game={(3, 9): 191 + 7}).table().to_pylist()
    assert [row["freeze_ticks"] > 0 for row in rows[49:53]] == [False, True, True, True]


def test_a_ninja_lasts_fifteen_seconds(tmp_path: Path) -> None:
    rows = played(tmp_path, {}, 5, game={(3, 9): 191 + 10}).table().to_pylist()
    assert [row["weapon"] for row in rows[1:]] == ["ninja"] * 4
    assert rows[2]["ninja_ticks"] == 751


def test_a_grenade_pushes_its_owner(tmp_path: Path) -> None:
    """Down onto the floor: the blast is right below the tee, which is full force, 2 * 6 units a tick."""
    inputs = {3: fire(4, 0), 4: fire(4, 0), 5: fire(4, 1, 0, 100), 6: fire(4, 2, 0, 100)}
    sim = played(tmp_path, inputs, 12, game={(3, 9): 191 + 9})
    shots = sim.table("shots").to_pylist()
    assert [(row["tick"], row["weapon"], row["x"], row["y"]) for row in shots] == [(5, "grenade", 112, FLOOR + 21)]
    hits = sim.table("hits").to_pylist()
    assert [(row["weapon"], row["target_client"]) for row in hits] == [("grenade", 0)]
    assert [row["exact"] for row in sim.table().to_pylist() if row["tick"] == hits[0]["tick"]] == [False]


def test_a_switch_opens_a_door_for_a_while(tmp_path: Path) -> None:
    """The tee stands on a switch that turns number 1 off for a second: its heart freezes only later."""
    layers: dict[str, Any] = {"switch": {(3, 9): (1, 23, 0, 1), (2, 9): (1, 191 + 7, 0, 0)}}
    rows = played(tmp_path, {}, 130, **layers).table().to_pylist()
    assert not any(row["freeze_ticks"] for row in rows)
    layers["switch"].pop((3, 9))
    rows = played(tmp_path, {}, 130, **layers).table().to_pylist()
    assert any(row["freeze_ticks"] for row in rows)


def test_hooks_and_freezes_have_begin_and_end(tmp_path: Path) -> None:
    up = (0, 0, -100, 0, 0, 1, 1, 0, 0, 0)
    sim = played(tmp_path, {3: up, 9: STILL}, 12, game={(3, 2): 1})
    rows = sim.table("hooks").to_pylist()
    assert [(row["tick"], row["end_tick"], row["grab_tick"], row["grabbed"]) for row in rows] == [
        (3, 9, 5, "wall")
    ]
    sim = played(tmp_path, {3: up}, 12, game={(3, 2): 1})
    (row,) = sim.table("hooks").to_pylist()  # it still holds at the end of the recording
    assert (row["tick"], row["end_tick"], row["grab_tick"], row["grabbed"]) == (3, None, 5, "wall")
    sim = played(tmp_path, {}, 60, game={(3, 9): 9})
    (row,) = sim.table("freezes").to_pylist()  # still frozen at the end of the recording
    assert row["end_tick"] is row["outcome"] is None
    assert sim.table("freezes", start=row["tick"], end=row["tick"]).to_pylist() == [row]
    assert sim.table("freezes", start=row["tick"] + 1).num_rows == 0
    assert sim.table("physics", start=55, end=57).column("tick").to_pylist() == [55, 56, 57]
    assert sim.table("physics", players=[5]).num_rows == 0
    assert [row["tick"] for row in sim.at(20)] == [20]


def test_a_run_goes_from_start_to_finish(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map", {(4, 9): 33, (9, 9): 34})
    steps = [112, *range(112, 330, 10)]
    data = write_recording(sha256, [(x, FLOOR) for x in steps], {3: (1, 100, 0, 0, 0, 0, 1, 0, 0, 0)})
    rows = playhead.open(data).simulate(tmp_path).table("races").to_pylist()
    left = min(tick for tick, x in enumerate(steps, 1) if x >= 160) + 1  # its way still touches the line
    reached = min(tick for tick, x in enumerate(steps, 1) if x >= 288) + 1
    assert [(row["start_tick"], row["tick"], row["duration_ticks"]) for row in rows] == [
        (left, reached, reached - left)
    ]


def test_empty_layers_take_memory_once(tmp_path: Path) -> None:
    write_layers(tmp_path / "few.map", game={(3, 2): 1}, tele={(6, 6): (3, 26)})
    tiles = decode_map((tmp_path / "few.map").read_bytes(), "few.map", "few", "", False).tiles
    assert tiles.layer("front") is tiles.layer("switch") is tiles.layer("door")
    assert tiles.layer("tele") is not tiles.layer("tele_number")


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the resident memory")
@pytest.mark.skipif(
    hot.status()["playhead.teehistorian.physics.rerun.given"] != "compiled",
    reason="a list has all its elements in memory",
)
def test_inputs_that_nobody_gave_take_no_memory() -> None:
    """Room for a thousand inputs of each client on each tick is 5 MB; few of its pages are ever written.

    A process of its own asks: memory that was used before would be cleared, and so written.
    """
    script = """
import os
from pathlib import Path
from types import SimpleNamespace
from playhead.teehistorian.physics.rerun.given import GivenInputs
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
rules = SimpleNamespace(repeats_input=True, one_input=True, pause_resets=False, camera_cuts=False)
before = resident()
made = [GivenInputs(rules) for _ in range(16)]
print(resident() - before, made[0].flags_of(3))
"""
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    grown, flags = map(int, run.stdout.split())
    assert grown < 16 << 20
    assert flags == 0
