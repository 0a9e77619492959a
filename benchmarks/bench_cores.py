"""One recording on several cores: the tables of docs/scale.md, what two give, and what more would give.

    python benchmarks/bench_cores.py [--rounds N] [--clock | --forecast] [FILE …]

Without files it writes a Dota 2 match of real size, matches of the other Source 2 games and a large teehistorian
recording; it takes some minutes and half a gigabyte of temporary files. *By the clock* is the time of one process
divided by that of several, the shortest of each, taken in turns; it makes sense on an idle machine only. The rest
are CPU seconds: *whole* are passes for collectors that need everything before, *stretches* the rest of the shared
work, *begin* is the start of one stretch with its opening, *alone* what one process does (opening, joining). The
forecast lets all processes end together, after the longest whole pass at least, with one begin each and half a
stretch of waiting. It ignores that memory is slower when all cores are busy. A second table has the parts of the
shortest run of two processes.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from bench_teehistorian_large import write_large
from real_match import real_match
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.deadlock.recording import WrittenMatch

import playhead
from playhead.io import scratch
from playhead.runtime.records import NamedTuple
from playhead.runtime.workers import WORKERS, cores
from playhead.source2 import stretches
from playhead.source2.container.frames import FULL_PACKET
from playhead.source2.playback.playback import Playback
from playhead.source2.replay import Source2Replay
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.tables import window as checkpoints

SERIES = ("player_series", "user_messages", "messages", "combat_log", "entities:CDOTA_Unit_Hero_*")
#: Requests by format or game: a title, and names of tables; None is all.
REQUESTS: dict[str, dict[str, list[str] | None]] = {
    "dota2": {"entities, series, messages, combat log": list(SERIES), "all tables": None},
    "teehistorian": {"all tables": None, "positions, inputs, with an index": ["positions", "inputs"]},
}
JOBS = (2, 4, 8, 16)
#: Minutes of the Dota 2 match, which has the size of a real one.
MINUTES = 40


class Shares(NamedTuple):
    """CPU seconds of the parts of one shared read."""

    whole: list[float]
    stretches: float
    count: int
    begin: float
    alone: float

    def forecast(self, jobs: int) -> float:
        """Return the seconds that so many processes take."""
        work = sum(self.whole) + self.stretches + (self.begin * (jobs - 1) if self.count else 0)
        waiting = self.stretches / self.count / 2 if self.count else 0
        return max(work / jobs + waiting, *self.whole, 0) + self.alone


class Here:
    """Workers in this process, which begin a task when it is submitted."""

    def __init__(self, _count: int = 0) -> None: ...

    def take(self, _count: int) -> Here:
        return self

    def give_back(self, _pool: Here, *, broken: bool = False) -> None: ...

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        task: Future[Any] = Future()
        task.set_running_or_notify_cancel()
        task.set_result(call(*arguments))
        return task

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_error: object) -> None: ...


@contextmanager
def timed(owner: object, name: str, seconds: list[float]) -> Iterator[None]:
    """Note the CPU seconds of each call of a function."""
    call = getattr(owner, name)

    def noted(*arguments: Any, **options: Any) -> Any:
        began = time.process_time()
        try:
            return call(*arguments, **options)
        finally:
            seconds.append(time.process_time() - began)

    with mock.patch.object(owner, name, noted):
        yield


def opened(path: Path) -> playhead.Replay:
    """Return a replay, a teehistorian recording with its index."""
    replay = playhead.open(path)
    if isinstance(replay, TeehistorianReplay):
        assert replay.index
    return replay


def shares(path: Path, names: list[str] | None, jobs: int) -> Shares:
    """Return the parts of a read by so many processes, all of which are this one."""
    parts: dict[str, list[float]] = {
        name: [] for name in ("whole", "play", "begin", "open", "hand", "run", "shared")
    }
    replay = opened(path)
    with ExitStack() as stack:
        if isinstance(replay, Source2Replay):
            stack.enter_context(mock.patch.object(stretches, "WORKERS", Here()))
            for owner, name, part in (
                (Source2Replay, "collect_alone", "whole"),
                (stretches._Play, "__init__", "play"),
                (Playback, "begin_after", "begin"),
                (stretches, "opened_again", "open"),
                (stretches, "hand_over", "hand"),
                (stretches._Play, "result", "hand"),
            ):
                stack.enter_context(timed(owner, name, parts[part]))
        else:
            stack.enter_context(mock.patch("concurrent.futures.ThreadPoolExecutor", Here))
            stack.enter_context(timed(TeehistorianReplay, "_run", parts["run"]))
            stack.enter_context(timed(checkpoints, "build_shared", parts["shared"]))
        began = time.process_time()
        replay.read_tables(names, jobs=jobs)
        everything = time.process_time() - began
    shared = sum(parts["shared"])
    if shared:
        whole = parts["run"]
        return Shares(whole, shared - sum(whole), 4 * jobs, 0.0, everything - shared)
    played, handed = sum(parts["play"]), sum(parts["hand"])
    kept = handed / jobs  # here all is handed over, but for the last stretch
    full = len(replay.recording.frames.numbers_of(FULL_PACKET)) if isinstance(replay, Source2Replay) else 0
    count = min(full, stretches._STRETCHES * jobs)
    begin = min(parts["begin"], default=0.0) + min(parts["open"], default=0.0)
    alone = everything - sum(parts["whole"]) - played - handed - sum(parts["open"])
    return Shares(parts["whole"], played + handed - kept, count if played else 0, begin, alone)


def read(replay: playhead.Replay, names: list[str] | None, jobs: int = 1) -> None:
    """Read tables; of teehistorian every column, which one process would make later."""
    tables = replay.read_tables(names, jobs=jobs)
    if isinstance(replay, TeehistorianReplay):
        dict(tables)


def cpu(path: Path, names: list[str] | None) -> float:
    """Return the CPU seconds of one process."""
    replay = opened(path)
    began = time.process_time()
    read(replay, names)
    return time.process_time() - began


class Run(NamedTuple):
    """One read by the clock, in seconds."""

    clock: float
    user: float
    system: float
    #: Of the other processes.
    others_user: float
    others_system: float
    #: Bytes of columns that they handed over.
    handed: int


def used_by_workers() -> list[float]:
    """Return the seconds that the other processes have spent in their own code and in the kernel's."""
    pool = WORKERS.pool
    used = [0.0, 0.0]
    for process in list(pool._processes) if pool is not None and sys.platform == "linux" else ():
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        for place, ticks in enumerate(fields[11:13]):
            used[place] += int(ticks) / os.sysconf("SC_CLK_TCK")
    return used


def run_of(path: Path, names: list[str] | None, jobs: int) -> Run:
    """Read by the clock."""
    replay = opened(path)
    handed: list[int] = []

    def take_over(value: Any) -> Any:
        if isinstance(value, scratch.Handed):
            handed.append(sum(value.sizes))
        return scratch.take_over(value)

    with mock.patch.object(stretches, "take_over", take_over):
        own, others, began = os.times(), used_by_workers(), time.perf_counter()
        read(replay, names, jobs)
        seconds = time.perf_counter() - began
        now, then = used_by_workers(), os.times()
    spent = [after - before for after, before in zip(now, others, strict=True)]
    return Run(seconds, then.user - own.user, then.system - own.system, *spent, sum(handed))


def clock(path: Path, names: list[str] | None, jobs: tuple[int, ...], rounds: int) -> dict[int, Run]:
    """Return the shortest read by each number of processes, after one that started them."""
    found: dict[int, list[Run]] = {each: [] for each in jobs}
    for _ in range(rounds + 1):
        for each in jobs:
            found[each].append(run_of(path, names, each))
    return {each: min(runs[1:]) for each, runs in found.items()}


def recordings(folder: Path) -> Iterator[Path]:
    """Write the recordings of the table, one after another."""
    yield real_match(str(folder), MINUTES)
    cs2, deadlock = folder / "cs2_20min.dem", folder / "deadlock_15min.dem"
    cs2.write_bytes(write_cs2_match(20).data)
    yield cs2
    deadlock.write_bytes(WrittenMatch(15).demo())
    yield deadlock
    large = folder / "120MB.teehistorian"
    write_large(large, 120, compressed=False)
    yield large


def least(found: Sequence[Shares]) -> Shares:
    """Return the least time of each part: other work on a machine only adds to it."""
    whole = [min(times) for times in zip(*(each.whole for each in found), strict=True)]
    parts = [[each.stretches, each.begin, each.alone] for each in found]
    played, begin, alone = (min(times) for times in zip(*parts, strict=True))
    return Shares(whole, played, found[0].count, begin, alone)


def forecast(path: Path, names: list[str] | None, rounds: int) -> list[str]:
    """Return the cells of CPU seconds and of the forecast."""
    one = min(cpu(path, names) for _ in range(rounds))
    best = {jobs: least([shares(path, names, jobs) for _ in range(rounds)]) for jobs in JOBS}
    two = best[2]
    seconds = [one, sum(two.whole), two.stretches, two.begin, two.alone]
    gains = [one / best[jobs].forecast(jobs) for jobs in JOBS]
    return [*(f"{each:.2f} s" for each in seconds), *(f"{gain:.1f} ×" for gain in gains)]


def by_clock(runs: dict[int, Run]) -> list[str]:
    """Return the cells of the time by the clock."""
    one = runs[1].clock
    return [f"{one:.2f} s", *(f"**{one / run.clock:.2f} ×**" for jobs, run in runs.items() if jobs > 1)]


def parts_of(runs: dict[int, Run]) -> list[str]:
    """Return the cells of the parts of reads by one process and by two."""
    one, two = runs[1], runs[2]
    waiting = max(0.0, two.clock - two.user - two.system)
    cells = [f"{one.clock:.2f} s", f"{one.user:.2f} + {one.system:.2f} s", f"{two.clock:.2f} s"]
    cells += [f"{two.user:.2f} + {two.system:.2f} s", f"{two.others_user:.2f} + {two.others_system:.2f} s"]
    return [*cells, f"{two.handed / 1e6:.0f} MB", f"{waiting:.2f} s"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each, of which the best counts")
    parser.add_argument("--clock", action="store_true", help="only the columns by the clock")
    parser.add_argument("--forecast", action="store_true", help="only the forecast")
    options = parser.parse_args()
    jobs = (1, *(each for each in JOBS if each <= cores()))
    print(f"{cores()} cores, load {os.getloadavg()[0]:.1f} before", file=sys.stderr)
    heads = ["recording", "tables"]
    if not options.forecast:
        heads += ["one, by the clock", *(f"{each} cores, by the clock" for each in jobs[1:])]
    if not options.clock:
        heads += ["one", "whole", "stretches", "begin", "alone", *(f"{each} cores, forecast" for each in JOBS)]
    print("|", " | ".join(heads), "|")
    print("|---" * len(heads) + "|", flush=True)
    parts: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for path in options.files or recordings(Path(folder)):
            with playhead.open(path) as replay:
                kind = replay.info.game if replay.format == "source2" else replay.format
            for title, names in REQUESTS.get(kind, {"all tables": None}).items():
                cells = [path.stem, title]
                if not options.forecast:
                    runs = clock(path, names, jobs, options.rounds)
                    if kind != "teehistorian" and 2 in runs:
                        parts.append([*cells, *parts_of(runs)])
                    cells += by_clock(runs)
                if not options.clock:
                    cells += forecast(path, names, options.rounds)
                print("|", " | ".join(cells), "|", flush=True)
    if parts:
        heads = ["recording", "tables", "one", "its CPU", "two", "CPU of this one", "of the other"]
        print("\n|", " | ".join([*heads, "handed over", "waiting"]), "|")
        print("|---" * (len(heads) + 2) + "|")
        for cells in parts:
            print("|", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
