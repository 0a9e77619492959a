"""Files that another process cuts while they are read cost an error at most, whatever the command."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run
from tests.hostile import makers
from tests.samples.source2.engine import file_info, sample_demo

import playhead
from playhead.io import source
from playhead.registry import BUILTIN_FORMATS
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


@pytest.mark.long
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


#: Commands that read one recording of any game into memory, with the words after its path.
EVERY: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("info", "tables", "verify", "messages", "ddnet patterns", "ddnet runs"), ()),
    "events": ("--limit", "9"),
    "at": ("1s",),
    "sql": ("--rows", "9"),
    "export": ("-o", "{out}"),
}


def test_no_command_needs_a_file_once_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mapped file would end this process."""
    path = BUILTIN_FORMATS[-1].write_sample(tmp_path)
    data, read, cuts = path.read_bytes(), source._from_path, 0

    def cut(name: str, *args: Any, **options: Any) -> source.Source:
        nonlocal cuts
        found = read(name, *args, **options)
        os.truncate(name, 0)
        cuts += 1
        return found

    for command, more in EVERY.items():
        words = [word.format(out=tmp_path / f"{command.split()[-1]}.out") for word in more]
        words = ["select count(*) from positions", str(path), *words] if command == "sql" else [str(path), *words]
        good = run(*command.split(), *words)
        with monkeypatch.context() as patched:
            patched.setattr(source, "_from_path", cut)
            done = run(*command.split(), *words)
        assert (done.returncode, done.stdout, done.stderr) == (0, good.stdout, good.stderr), command
        assert cuts, command
        cuts = 0
        path.write_bytes(data)


def test_no_file_of_others_is_mapped() -> None:
    """`scratch` maps files of this program's own processes, in a folder of their own; `source` maps copies
    without a name."""
    package = Path(playhead.__file__).parent
    mapping = re.compile(r"\bmmap\b|memory_map|memmap|mmap_mode")
    found = {
        path.relative_to(package).as_posix() for path in package.rglob("*.py") if mapping.search(path.read_text())
    }
    assert found == {"io/scratch.py", "io/source.py"}


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("name", FILES)
def test_an_open_replay_is_not_affected(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    replay = playhead.open(path)
    os.truncate(path, 100)
    assert replay.table("info").num_rows == 1
    assert replay.content_hash
