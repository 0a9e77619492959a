"""One recording on several cores: what two give, and what more would give from the measured shares of the work.

    python benchmarks/bench_cores.py [FILE.dem]

Without a file, it creates a synthetic match of ten minutes and realistic size. The shares are CPU seconds: of the
collectors that need everything before ("rest"), of all stretches, and of what one process does alone (opening,
joining, table ``events``). The forecast gives each process the next stretch when it ends; one process begins with
the rest. It ignores that memory is slower when all cores are busy. The last lines are measured by the clock, and
make sense on an idle machine only.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from real_match import real_match

import playhead
from playhead.runtime.workers import cores
from playhead.source2 import stretches
from playhead.source2.replay import Source2Replay

SOME = ["player_series", "user_messages", "messages", "combat_log", "entities:CDOTA_Unit_Hero_*"]
JOBS = (2, 4, 8, 16)
ROUNDS = 5


@contextmanager
def noted(seconds: list[float]) -> Iterator[None]:
    """Note the CPU seconds of a piece of work."""
    began = time.process_time()
    try:
        yield
    finally:
        seconds.append(time.process_time() - began)


class Here:
    """Workers in this process, which note the CPU seconds of their tasks."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def take(self, _count: int) -> Here:
        return self

    def give_back(self, _pool: Here, *, broken: bool = False) -> None: ...

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        task: Future[Any] = Future()
        task.set_running_or_notify_cancel()
        with noted(self.seconds):
            task.set_result(call(*arguments))
        return task


def clock(path: Path, names: list[str] | None, jobs: int) -> float:
    """Return the shortest time of a read, after one that started the processes."""
    found = []
    for _ in range(ROUNDS + 1):
        replay = playhead.open(path)
        began = time.perf_counter()
        replay.read_tables(names, jobs=jobs)
        found.append(time.perf_counter() - began)
    return min(found[1:])


def shares(path: Path, names: list[str] | None, jobs: int) -> tuple[float, float, list[float]]:
    """Return CPU seconds of the rest, of everything that no process can share, and of each stretch."""
    found = []
    for _ in range(ROUNDS):
        here, rest = Here(), []
        alone, play = Source2Replay.collect_alone, stretches._Play

        def timed_rest(*arguments: Any, alone: Any = alone, rest: list[float] = rest, **options: Any) -> Any:
            with noted(rest):
                return alone(*arguments, **options)

        def timed_last(*arguments: Any, play: Any = play, here: Here = here) -> Any:
            with noted(here.seconds):
                return play(*arguments)

        replay = playhead.open(path)
        began = time.process_time()
        with (
            mock.patch.object(stretches, "WORKERS", here),
            mock.patch.object(Source2Replay, "collect_alone", timed_rest),
            mock.patch.object(stretches, "_Play", timed_last),
        ):
            replay.read_tables(names, jobs=jobs)
        whole = time.process_time() - began
        # A worker's own call of _Play is inside its task, and comes just before it.
        tasks = here.seconds[1:-1:2] + here.seconds[-1:]
        found.append((sum(rest), whole - sum(rest) - sum(tasks), tasks))
    return min(found, key=lambda each: each[0] + each[1] + sum(each[2]))


def forecast(rest: float, alone: float, tasks: list[float], jobs: int) -> float:
    """Return the seconds that so many processes take."""
    ends = [0.0] * (jobs - 1) + [rest + tasks[-1]]
    for task in tasks[:-1]:
        first = ends.index(min(ends))
        ends[first] += task
    return max(ends) + alone


def cpu(path: Path, names: list[str] | None) -> float:
    """Return the CPU seconds of one process."""
    replay = playhead.open(path)
    began = time.process_time()
    replay.read_tables(names)
    return time.process_time() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else real_match(folder, 10)
        for title, names in (("all tables", None), ("entities, series, messages, combat log", SOME)):
            one = min(cpu(path, names) for _ in range(ROUNDS))
            for jobs in JOBS:
                rest, alone, tasks = shares(path, names, jobs)
                given = one / forecast(rest, alone, tasks, jobs)
                said = f"{title}: one {one:.2f} s; rest {rest:.2f}, alone {alone:.2f}, {len(tasks)} stretches "
                print(f"{said}{sum(tasks):.2f} s CPU; forecast for {jobs}: {given:.2f} x")
            for jobs in range(2, cores() + 1):
                taken = clock(path, names, 1), clock(path, names, jobs)
                print(f"{title}: {taken[0]:.2f} s, {jobs} processes {taken[1]:.2f} s: {taken[0] / taken[1]:.2f} x")


if __name__ == "__main__":
    main()
