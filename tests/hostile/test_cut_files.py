"""Files that another process cuts while they are read cost an error at most, whatever the command."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.hostile import makers

import playhead
from playhead.samples.source2.engine import file_info, sample_demo
from playhead.source2.container.frames import PACKET, FrameIndex
from playhead.source2.writing.demo import DemoWriter

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a file that is read cannot be cut here")

MEGABYTE = 1 << 20
COMMANDS = ("info", "events", "export", "report", "verify", "tables", "messages", "lake")


def large_demo() -> bytes:
    """Return a demo that is larger than what used to be mapped."""
    data = sample_demo()
    index = FrameIndex()
    index.read(memoryview(data), playhead.Limits())
    writer = DemoWriter({})
    writer.sync_tick()
    for tick in range(24):
        writer.stored_frame(PACKET, tick, bytes(MEGABYTE))
    return writer.finish(24, file_info())


FILES: Mapping[str, Callable[[], bytes]] = {
    "a.dem": large_demo,
    "a.teehistorian": lambda: makers.ticks(10_000_000),
}


@pytest.mark.slow_interpreted
@pytest.mark.stepped
@pytest.mark.parametrize("name", FILES)
def test_a_file_may_be_cut_during_every_command(tmp_path: Path, name: str, step: int) -> None:
    data = FILES[name]()
    assert len(data) > 17 * MEGABYTE
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / name
    # A pass over a longer recording takes ten seconds: three commands are enough.
    commands = COMMANDS if name.endswith(".dem") else ("report", "info", "lake")
    for number, command in enumerate(commands[:: min(step, 3)]):
        path.write_bytes(data)
        out = tmp_path / f"out{number}"
        words = {
            "export": ["export", path, "-o", out],
            "report": ["report", path, "-o", out],
            "lake": ["export", folder, "-o", out, "--jobs", "1"],
        }.get(command, [command, path])
        process = subprocess.Popen(
            [sys.executable, "-m", "playhead", *map(str, words)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for size in (len(data) * 3 // 4, len(data) // 2, 4096, 100, 0):
            time.sleep(0.15)
            os.truncate(path, size)
        _, errors = process.communicate(timeout=200)
        assert process.returncode in (0, 1, 2, 3), (command, process.returncode, errors)
        assert b"Traceback" not in errors, (command, errors)


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("name", FILES)
def test_an_open_replay_is_not_affected(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    replay = playhead.open(path)
    os.truncate(path, 100)
    assert replay.table("info").num_rows == 1
    assert replay.content_hash
