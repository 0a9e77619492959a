"""A process that reads recordings for long keeps nothing: memory, descriptors, threads, temporary files."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

import playhead
from playhead.runtime.bounded import resident_memory

pytestmark = [
    pytest.mark.slow_interpreted,
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what a process holds"),
]


def held() -> tuple[set[str], int, set[str]]:
    """Return the open files, the number of threads and the names of temporary files."""
    files = set()
    for each in os.listdir("/proc/self/fd"):
        try:
            files.add(os.readlink(f"/proc/self/fd/{each}"))
        except FileNotFoundError:  # of this very list
            continue
    return files, threading.active_count(), set(os.listdir(tempfile.gettempdir()))


def read(path: Path) -> None:
    with playhead.open(path) as replay:
        replay.read_tables(None)
        for _ in replay.events():
            pass
        replay.verify()
        replay.problems  # noqa: B018


def test_reading_for_long(
    samples: Mapping[str, Path], request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --whole also real replays, 50 times."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    whole = request.config.getoption("--whole")
    paths = list(samples.values())
    if whole:
        corpus = request.getfixturevalue("corpus")
        real = sorted(path for path in corpus.rglob("*") if path.suffix in (".SC2Replay", ".StormReplay", ".dem"))
        paths += [path for path in real[::25] if path.stat().st_size < 1 << 20 and "hostile" not in path.parts]
    rounds = 50 if whole else 12
    for path in paths * 2:  # what is loaded and kept once
        read(path)
    gc.collect()
    before = held()
    memory = []
    for _ in range(rounds):
        for path in paths:
            read(path)
        gc.collect()
        memory.append(resident_memory(os.getpid()) or 0)
    after = held()
    assert after[1:] == before[1:]
    assert after[0] <= before[0]
    half = rounds // 2
    first, second = sum(memory[:half]) / half, sum(memory[half:]) / (rounds - half)
    assert second < 1.03 * first, memory
