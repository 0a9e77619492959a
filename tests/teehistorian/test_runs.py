"""Runs one by one: arrays of every tick, paths, and what is refused."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

import playhead
from playhead import LimitExceeded
from playhead.teehistorian.stream.extensions import LoadSuccess, PlayerFinish, PlayerName, PlayerTeam, SaveSuccess
from playhead.teehistorian.stream.messages import Drop, Finish, Join
from playhead.teehistorian.writing.writer import TeehistorianWriter

SAVE = UUID("11111111-2222-3333-4444-555555555555")


def recording() -> playhead.Replay:
    """Client 0 runs from tick 20 to 30 and dies in between; its successor from 40 to 45, having loaded a save."""
    writer = TeehistorianWriter({"version": "2", "version_minor": "22"})
    writer.set_tick(5)
    writer.record(Join(0))
    writer.record(PlayerName(0, "first"))
    for tick in range(10, 31):
        writer.set_tick(tick)
        if tick == 30:
            writer.record(PlayerFinish(0, 10))
        if tick not in (25, 26):
            writer.tee_at(0, 320 + 32 * tick, 64)
        elif tick == 25:
            writer.tee_gone(0)
        if tick == 21:
            writer.set_input(0, (1, 5, -5, 0, 0, 0, 1, 0, 0, 0))
    writer.record(PlayerTeam(0, 3))
    writer.record(SaveSuccess(3, SAVE, "x"))
    writer.record(Drop(0, ""))
    writer.set_tick(31)
    writer.tee_gone(0)
    writer.record(Join(0))
    writer.record(PlayerName(0, "second"))
    writer.record(PlayerTeam(0, 3))
    writer.set_tick(40)
    writer.record(LoadSuccess(3, SAVE, "x"))
    for tick in range(40, 46):
        writer.set_tick(tick)
        if tick == 45:
            writer.record(PlayerFinish(0, 20))
        writer.tee_at(0, 100 + tick, 64)
    writer.record(PlayerFinish(0, 900))
    writer.record(Finish())
    return playhead.open(writer.to_bytes())


def test_what_is_known_of_runs() -> None:
    keys = ("run", "players", "names", "first_tick", "tick", "loaded", "load_tick", "saved_tick")
    assert [tuple(run[key] for key in keys) for run in recording().runs()] == [
        (0, [0], ["first"], 20, 30, False, None, None),
        (1, [1], ["second"], 40, 45, True, 40, 30),
        (2, [1], ["second"], 40, 45, True, 40, 30),
    ]


def test_arrays_have_every_tick() -> None:
    replay = recording()
    dense = {name: column.to_pylist() for name, column in replay.run_arrays(0).items()}
    assert dense["tick"] == list(range(20, 31))
    assert dense["seconds"][-1] == 0.2
    assert dense["alive"] == [True] * 5 + [False] * 2 + [True] * 4
    assert dense["x"] == [320 + 32 * (tick if tick not in (25, 26) else 24) for tick in range(20, 31)]
    assert dense["direction"] == [None, None] + [1] * 9  # recorded on tick 21, it acts on 22
    assert replay.run_arrays(1)["x"].to_pylist() == list(range(140, 146))
    trace = replay.run_trace(0)
    assert trace["tick"].to_pylist() == [20, 21, 22, 23, 24, 27, 28, 29, 30]
    assert (trace["tile_x"].to_pylist()[0], trace["tile_y"].to_pylist()[0]) == (30.0, 2.0)


def test_what_is_refused(tmp_path: Path) -> None:
    replay = recording()
    with pytest.raises(KeyError, match="no run 9; there are 3"):
        replay.run_arrays(9)
    with pytest.raises(KeyError, match="no player 1 in run 0; there are 0"):
        replay.run_arrays(0, 1)
    early = TeehistorianWriter({"version": "2"})
    early.set_tick(5)
    early.record(Join(0))
    early.record(PlayerFinish(0, 50))
    early.set_tick(500_000_000)
    early.record(PlayerFinish(0, 400_000_000))
    early.record(Finish())
    odd = playhead.open(early.to_bytes())
    with pytest.raises(ValueError, match="run 0 began before this recording"):
        odd.write_run(tmp_path / "out", 0)
    with pytest.raises(LimitExceeded, match="400000000 ticks"):
        odd.run_arrays(1)
    assert not (tmp_path / "out").exists()
