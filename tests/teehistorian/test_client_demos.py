"""Demos and ghosts opened as replays."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
from tests.cli.in_process import run
from tests.teehistorian.physics.test_demo import write_game
from tests.teehistorian.physics.written_games import write_map

import playhead


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a demo, and a ghost of ticks 20 to 60 of one of its tees."""
    sha256 = write_map(tmp_path / "floor.map")
    simulation = playhead.open(write_game(sha256, 100)).simulate(tmp_path)
    simulation.write_demo(tmp_path / "x.demo")
    run = {"run": 0, "players": [0], "clients": [0], "names": ["anna"], "first_tick": 20, "tick": 60}
    simulation.write_ghost(tmp_path / "x.gho", {**run, "duration_ticks": 40})
    return tmp_path


def test_the_tables_of_a_demo(folder: Path) -> None:
    replay = playhead.open(folder / "x.demo")
    info = replay.info
    assert (info.format, info.game, info.map, info.complete) == ("ddnet_demo", "ddnet", "floor", True)
    assert (replay.first_tick, info.duration_ticks) == (1, 99)
    assert [(each.player, each.name, each.clan, each.character) for each in replay.players] == [
        (0, "anna", "[]", "pinky"),
        (1, "client 1", "", "default"),
    ]
    assert [
        (row["tick"], row["player"], row["name"], row["channel"], row["text"])
        for row in replay.table("chat").to_pylist()
    ] == [
        (20, 0, "anna", "all", "/save ***"),
        (20, 1, "client 1", "all", "/team 3"),
    ]
    assert [event.kind for event in replay.events()] == ["chat_sent"] * 2
    rows = [row for row in replay.table("positions").to_pylist() if row["client"] == 0]
    runs = {row["tick"]: row for row in rows}
    assert (runs[30]["x"], runs[30]["direction"], runs[30]["weapon"]) == (300.0, 1, "gun")
    items = replay.table("snapshot_items").to_pylist()
    assert {"character", "client_info", "player_info", "game_info"} <= {row["item_type"] for row in items}
    assert replay.problems == ()


def test_a_ghost(folder: Path) -> None:
    replay = playhead.open(folder / "x.gho")
    assert (replay.info.map, replay.players[0].name, replay.first_tick) == ("floor", "anna", 20)
    assert [row["tick"] for row in replay.table("positions").to_pylist()] == list(range(20, 61))
    assert replay.info.details["run_seconds"] == 0.8


def test_a_cut_demo_is_a_problem(folder: Path) -> None:
    data = (folder / "x.demo").read_bytes()
    replay = playhead.open(data[:-5])
    assert replay.table("positions").num_rows > 50
    assert not replay.info.complete
    assert [problem.kind for problem in replay.problems] == ["TruncatedReplay"]
    with pytest.raises(playhead.TruncatedReplay):
        playhead.open(data[:100])
    with pytest.raises(playhead.TruncatedReplay):
        playhead.open(data[:-5], strict=True).table("positions")
    streamed = playhead.open(io.BytesIO(data), stream=True)
    assert streamed.info.map == "floor"


def older(data: bytes, version: int) -> bytes:
    """Return a demo of version 6 as one of an older version."""
    (size,) = struct.unpack_from(">I", data, 8 + 64 + 64)
    head, place = 176, 176 + 260 + 48
    markers = b"" if version == 3 else data[head : head + 260]
    made = bytearray(data[:7] + bytes([version]) + data[8:head] + markers + data[place : place + size])
    place += size
    while place < len(data):
        first = data[place]
        if first & 0x80:
            length = 1 if first & 0x20 else 5
            short = first & ~0x20 if version < 5 else first
            made += bytes([short]) + data[place + 1 : place + length]
        else:
            width = max(0, (first & 0x1F) - 29)
            count = int.from_bytes(data[place + 1 : place + 1 + width], "little") if width else first & 0x1F
            length = 1 + width + count
            made += data[place : place + length]
        place += length
    return bytes(made)


@pytest.mark.parametrize("version", [3, 4, 5])
def test_older_versions(folder: Path, version: int) -> None:
    data = (folder / "x.demo").read_bytes()
    with playhead.open(data) as new, playhead.open(older(data, version)) as old:
        assert old.info.details["demo_version"] == version
        for name in ("chat", "positions", "snapshot_items"):
            assert old.table(name).equals(new.table(name))
            assert old.table(name).num_rows
        assert (old.info.complete, old.problems) == (True, ())


def test_demos_of_other_games_are_refused(folder: Path) -> None:
    data = (folder / "x.demo").read_bytes()
    with pytest.raises(playhead.UnsupportedVersion, match=r"Teeworlds 0\.7"):
        playhead.open(data[:8] + b"0.7 802f1be60a05665f".ljust(64, b"\0") + data[72:])
    with pytest.raises(playhead.CorruptReplay, match="of version 3 to 6, got 2"):
        playhead.open(data[:7] + b"\2" + data[8:])


def test_a_cut_ghost_keeps_what_is_before(folder: Path) -> None:
    data = (folder / "x.gho").read_bytes()
    whole = playhead.open(data)
    assert whole.problems == ()
    with playhead.open(data[:-5]) as cut:
        assert (cut.info.map, cut.info.complete) == ("floor", False)
        assert [problem.kind for problem in cut.problems] == ["TruncatedReplay"]
    with pytest.raises(playhead.TruncatedReplay):
        playhead.open(data[:-5], strict=True)


@pytest.mark.parametrize("name", ["x.demo", "x.gho"])
def test_info_says_that_a_file_ends_early(folder: Path, name: str) -> None:
    data = (folder / name).read_bytes()
    for cut in (5, len(data) // 4):
        (folder / f"cut_{name}").write_bytes(data[:-cut])
        told = run("info", folder / f"cut_{name}")
        assert "none found" not in told.stdout
        assert "complete  no, lost: everything from there on" in told.stdout


def test_the_command_line(folder: Path) -> None:
    for name in ("x.demo", "x.gho"):
        assert "floor" in run("info", folder / name).stdout
        assert "snapshot_items" in run("tables", folder / name).stdout
    counted = run("sql", "select count(*) n from chat", folder / "x.demo", "--json")
    assert counted.stdout.strip() == '{"n": 2}', counted.stderr
    exported = run("export", folder / "x.demo", "-o", folder / "out")
    assert exported.returncode == 0, exported.stderr
    refused = run("ddnet", "runs", folder / "x.demo")
    assert refused.returncode != 0


def test_tees_move_in_the_viewer(folder: Path) -> None:
    replay = playhead.open(folder / "x.demo")
    assert replay.presentation.map is not None
    rows = replay.presentation.map.motion(replay).rows(30, 40, 1)
    assert {each["name"] for each in rows.directory} == {"anna", "client 1"}
    assert len(rows.ticks) >= 11
