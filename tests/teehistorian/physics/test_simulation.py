"""Written recordings played again on written maps: the story is known, so every number is."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import parquet
from tests.teehistorian.physics.written_games import (
    FLOOR,
    HOOK_UP,
    JUMP,
    RIGHT,
    STILL,
    outputs_both_ways,
    write_map,
    write_recording,
)

import playhead
from playhead.errors import CorruptReplay, ReplayError
from playhead.teehistorian.physics.simulation import Simulation
from playhead.teehistorian.stream.extensions import PlayerTeam
from playhead.teehistorian.stream.messages import ConsoleCommand, Finish, Join
from playhead.teehistorian.writing.writer import TeehistorianWriter


def test_a_tee_runs_as_its_input_says(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    moves = [0, 0, 2, 6, 12, 20, 30, 40, 50, 55, 57]  # accelerates by 2 up to 10, then friction halves
    data = write_recording(sha256, [(100 + x, FLOOR) for x in moves], {3: RIGHT, 10: STILL})
    simulation = playhead.open(data).simulate(tmp_path / "floor.map")
    rows = simulation.table().to_pylist()
    assert [row["x"] - 100 for row in rows] == moves
    assert [row["velocity_x"] / 50 for row in rows] == [0, 0, 2, 4, 6, 8, 10, 10, 10, 5, 2.5]
    assert [row["exact"] for row in rows] == [None, *[True] * 10]
    assert all(row["grounded"] for row in rows[1:])
    counts = simulation.exactness
    assert (counts["compared"], counts["exact"]) == (10, 10)
    assert not any(count for name, count in counts.items() if name not in ("compared", "exact"))


def test_a_jump_and_its_rows(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    # Impulse 13.2, gravity 0.5 a tick; positions are rounded each tick: 13.2 up, 12.7, 12.2 …
    heights = [0, 0, 13, 26, 38, 50]
    data = write_recording(sha256, [(100, FLOOR - height) for height in heights], {3: JUMP})
    simulation = playhead.open(data).simulate(tmp_path)
    rows = simulation.table().to_pylist()
    assert [row["exact"] for row in rows[1:]] == [True] * 5
    assert [row["jumped_ground"] for row in rows] == [False, False, True, False, False, False]
    assert rows[2]["velocity_y"] == round(-13.2 * 256) / 256 * 50
    assert [row["air_jumps_left"] for row in rows] == [1] * 6


def test_a_hook_grabs_a_wall(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map", {(3, 2): 1})
    data = write_recording(sha256, [(112, FLOOR)] * 5, {3: HOOK_UP})
    rows = playhead.open(data).simulate(tmp_path).table().to_pylist()
    assert [row["hook_state"] for row in rows[:3]] == ["idle", "idle", "flying"]
    assert (rows[2]["hook_x"], rows[2]["hook_y"]) == (112, FLOOR - 42 - 80)
    assert (rows[3]["hook_state"], rows[3]["hook_y"]) == ("flying", 103)
    assert rows[4]["hook_state"] == "grabbed"
    assert rows[4]["hook_y"] == 95  # the last unit of the tile at 64 to 96


@pytest.mark.long
def test_an_input_that_is_not_recorded_is_found_when_the_hook_pulls(tmp_path: Path) -> None:
    """Before 19.4 a first input that equals the last is not recorded: the key was pressed a tick later."""
    sha256 = write_map(tmp_path / "floor.map", {(3, 2): 1})
    places = [(112, FLOOR)] * 10
    for _ in range(7):  # where the hook pulls the tee to, on a server that records one input a tick
        for y in range(places[-1][1], places[-1][1] - 20, -1):
            counts = playhead.open(write_recording(sha256, [*places, (112, y)], {9: HOOK_UP})).simulate(tmp_path)
            if counts.exactness["exact"] == len(places):
                places.append((112, y))
                break
    assert places[-1][1] < FLOOR - 10
    old = {"version_minor": "6", "server_version": "0.6, 17.4.2"}
    simulation = playhead.open(write_recording(sha256, places, {3: STILL, 8: HOOK_UP}, **old)).simulate(tmp_path)
    counts = simulation.exactness
    assert (counts["exact"], counts["compared"], counts["guessed"]) == (16, 16, 1)
    assert [row["hook_state"] for row in simulation.table().to_pylist()[6:9]] == ["idle", "idle", "flying"]


def test_a_table_of_the_whole_recording_counts_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    simulation = playhead.open(write_recording(sha256, [(100, FLOOR)] * 20, {})).simulate(tmp_path)
    real = Simulation.passes
    passes = []
    monkeypatch.setattr(Simulation, "passes", lambda self, **how: passes.append(1) or real(self, **how))
    assert simulation.table("physics", end="10t").num_rows == 10
    assert simulation.table("physics").num_rows == 20
    assert simulation.exactness["compared"] == 19
    assert simulation.last_tick == 20
    assert len(passes) == 2


def test_tune_changes_the_game(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    writer = TeehistorianWriter({"version": "2", "version_minor": "22", "map_name": "floor", "map_sha256": sha256})
    writer.record(Join(0))
    writer.record(ConsoleCommand(0, 4, "tune", ("gravity", "2")))
    for tick, y in enumerate((100, 102, 106, 112), 1):
        writer.set_tick(tick)
        writer.tee_at(0, 100, y)
    writer.record(Finish())
    counts = playhead.open(writer.to_bytes()).simulate(tmp_path).exactness
    assert (counts["compared"], counts["exact"]) == (3, 3)


def test_commands_that_change_a_tee(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    header = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**header, "map_sha256": sha256, "config": {"sv_test_cmds": "1"}})
    writer.record(Join(0))
    commands = {3: ("tele", ()), 5: ("weapons", ()), 6: ("ninja", ()), 7: ("unninja", ()), 8: ("deep", ())}
    for tick in range(1, 11):
        writer.set_tick(tick)
        writer.tee_at(0, 100 if tick < 4 else 700, FLOOR)
        if tick in commands:
            writer.record(ConsoleCommand(0, 4, *commands[tick]))
            writer.record(ConsoleCommand(0, 4, "addweapon", ("",)))
    writer.record(Finish())
    rows = playhead.open(writer.to_bytes()).simulate(tmp_path).table().to_pylist()
    assert [row["exact"] for row in rows[1:]] == [True] * 9
    assert [row["x"] for row in rows[2:4]] == [100, 700]
    assert [row["weapon"] for row in rows[4:9]] == ["gun", "gun", "ninja", "gun", "gun"]
    assert [row["deep_frozen"] for row in rows[7:9]] == [False, True]


def test_a_super_tee_touches_other_teams(tmp_path: Path) -> None:
    """Tees closer than 28 units push each other; tees of two teams do not, unless one is super."""
    sha256 = write_map(tmp_path / "floor.map")
    header = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    speeds = []
    for team in (5, 128):
        writer = TeehistorianWriter({**header, "map_sha256": sha256})
        for cid in range(2):
            writer.record(Join(cid))
        for tick in range(1, 4):
            writer.set_tick(tick)
            writer.tee_at(0, 300, FLOOR)
            writer.tee_at(1, 310, FLOOR)
            if tick == 1:
                writer.record(PlayerTeam(1, team))
        writer.record(Finish())
        rows = playhead.open(writer.to_bytes()).simulate(tmp_path).table(start=2).to_pylist()
        speeds.append({row["exact"] for row in rows})
    assert speeds == [{True}, {False}]


def test_a_position_that_nothing_explains_is_marked(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    data = write_recording(sha256, [(100, FLOOR), (100, FLOOR), (170, FLOOR), (170, FLOOR)], {})
    rows = playhead.open(data).simulate(tmp_path).table().to_pylist()
    assert [row["exact"] for row in rows[:3]] == [None, True, False]
    assert not rows[2]["known"]
    assert rows[2]["x"] == 170


def test_freeze_cuts_the_input(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map", {(3, 9): 9})
    data = write_recording(sha256, [(112, FLOOR)] * 8, {103: RIGHT}, start=100)
    rows = playhead.open(data).simulate(tmp_path).table().to_pylist()
    assert all(row["exact"] for row in rows[1:])
    assert rows[-1]["freeze_ticks"] > 140
    assert rows[-1]["direction"] == 0


def test_another_map_is_refused(tmp_path: Path) -> None:
    write_map(tmp_path / "floor.map")
    replay = playhead.open(write_recording("0" * 64, [(100, FLOOR)] * 3, {}))
    with pytest.raises(ReplayError, match="is not the map of this recording"):
        replay.simulate(tmp_path / "floor.map")
    assert "other-map" in replay.simulate(tmp_path / "floor.map", other_map=True).problems[0]


def test_a_missing_map_says_what_is_needed(tmp_path: Path) -> None:
    replay = playhead.open(write_recording("ab" * 32, [(100, FLOOR)] * 3, {}))
    with pytest.raises(ReplayError, match=r"floor.*abab.*--map FILE\|DIR"):
        replay.simulate(tmp_path)


def test_a_file_that_is_no_map(tmp_path: Path) -> None:
    (tmp_path / "floor.map").write_bytes(b"DATA" * 50)
    replay = playhead.open(write_recording("ab" * 32, [(100, FLOOR)] * 3, {}))
    with pytest.raises(CorruptReplay, match="expected a map"):
        replay.simulate(tmp_path / "floor.map", other_map=True)


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_an_endless_idle_tee_ends(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    writer = TeehistorianWriter({"version": "2", "version_minor": "22", "map_name": "floor", "map_sha256": sha256})
    writer.set_tick(1)
    for cid in range(8):
        writer.tee_at(cid, 40 + 16 * cid, FLOOR)
    writer.set_tick(1 << 30)
    writer.tee_gone(0)
    with pytest.raises(playhead.LimitExceeded, match="without a message"):
        _ = playhead.open(writer.to_bytes()).simulate(tmp_path).exactness


SCRIPT = """
import hashlib, sys, playhead
table = playhead.open(sys.argv[1]).simulate(sys.argv[2]).table()
print(hashlib.sha256(repr(table.to_pydict()).encode()).hexdigest())
"""


@pytest.mark.slow_interpreted
def test_compiled_and_interpreted_give_the_same_bits(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map", {(8, 9): 1, (9, 4): 1, (12, 9): 9})
    swing = {3: RIGHT, 8: (1, 70, -90, 1, 0, 1, 1, 0, 0, 0), 20: (-1, -50, -80, 0, 0, 1, 1, 0, 0, 0), 40: RIGHT}
    (tmp_path / "one").write_bytes(
        write_recording(sha256, [(100 + 7 * n % 300, 290 - n % 90) for n in range(80)], swing)
    )
    found = outputs_both_ways(SCRIPT, tmp_path / "one", tmp_path)
    assert len(found) == 1


def test_rows_are_written_as_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    data = write_recording(sha256, [(100 + tick % 2, FLOOR) for tick in range(2600)], {})
    exported = playhead.open(data).simulate(tmp_path)
    monkeypatch.setattr("playhead.teehistorian.physics.simulation._ROWS", 100)
    paths = exported.export(tmp_path / "out")
    states = parquet.ParquetFile(tmp_path / "out" / "physics.parquet")
    assert states.num_row_groups > 1
    assert states.read().equals(exported.table())
    assert [path.stem for path in paths] == list(exported.tables)
