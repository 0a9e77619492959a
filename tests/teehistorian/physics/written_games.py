"""Small maps and recordings of one tee that tests write, to play them again."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from playhead.teehistorian.stream.messages import Finish, Join
from playhead.teehistorian.writing.writer import TeehistorianWriter

twmap = pytest.importorskip("twmap")

#: The tee stands on a floor whose surface is at 320: its centre is 14 above, and it rests one unit higher.
FLOOR = 305
RIGHT = (1, 100, 0, 0, 0, 0, 1, 0, 0, 0)
STILL = (0, 100, 0, 0, 0, 0, 1, 0, 0, 0)
JUMP = (0, 100, 0, 1, 0, 0, 1, 0, 0, 0)
HOOK_UP = (0, 0, -100, 0, 0, 1, 1, 0, 0, 0)


def write_map(path: Path, tiles: dict[tuple[int, int], int] | None = None) -> str:
    """Write a map of 40 x 12 tiles with a floor and these tiles by column and row; return its hash."""
    made = twmap.Map.empty("DDNet06")
    layer = made.groups.new_physics().layers.new_game(40, 12)
    numbers = layer.tiles
    numbers[:, :, :] = 0
    numbers[10:, :, 0] = 1
    for (column, row), tile in (tiles or {}).items():
        numbers[row, column, 0] = tile
    layer.tiles = numbers
    made.save(str(path))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_recording(
    sha256: str, places: list[tuple[int, int]], inputs: dict[int, tuple[int, ...]], start: int = 1, **header: Any
) -> bytes:
    """Write client 0 at `places` from `start` on; `inputs` by the tick that they act on."""
    fields = {"version": "2", "version_minor": "22", "server_version": "0.6, 20.1", "map_name": "floor"}
    writer = TeehistorianWriter({**fields, "map_sha256": sha256, **header})
    writer.record(Join(0))
    for tick, (x, y) in enumerate(places, start):
        writer.set_tick(tick)
        writer.tee_at(0, x, y)
        if tick + 1 in inputs:
            writer.set_input(0, inputs[tick + 1])
    writer.record(Finish())
    return writer.to_bytes()


def outputs_both_ways(script: str, *arguments: Path) -> set[str]:
    """Return the outputs of a program that runs compiled, in this process, and interpreted: one, if equal."""
    given = ["-c", *map(str, arguments)]
    compiled = io.StringIO()
    with redirect_stdout(compiled), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", given)
        exec(script, {})
    interpreted = subprocess.run(
        [sys.executable, "-c", script, *given[1:]],
        env={**os.environ, "PLAYHEAD_PURE_PYTHON": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    return {compiled.getvalue(), interpreted.stdout}
