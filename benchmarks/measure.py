"""Measure jobs and peers for `all.py`: in separate processes, in CPU time, in turns.

A *job* is a function of `jobs.py` (playhead) or `peer_jobs.py` (Python packages), run several times in one
process. Its first run is cold: the CPU time of the whole process up to its end, including start and imports. The
best later run is warm. Native peers print the seconds of each run, or are measured as whole processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "peers"))
sys.path.append(str(HERE.parent))  # the synthetic matches of tests

from compare import TARGET, build  # noqa: E402  (it is where peers are built)

#: A Python with the peers from PyPI, if this one lacks them.
PEER_PYTHON = os.environ.get("PLAYHEAD_PEERS_PYTHON", sys.executable)
#: Pythons of peers that need one of their own: boon 0.10 reads recordings as they were until September 2026,
#: s2protocol needs Python 3.11 or older.
_OWN_PYTHON = {
    package: os.environ.get(f"PLAYHEAD_{package.upper()}", PEER_PYTHON) for package in ("boon", "s2protocol")
}
_LONGEST = 1800  # seconds


def python_of(package: str) -> str:
    """Return the Python that has a peer from PyPI."""
    return _OWN_PYTHON.get(package, PEER_PYTHON)


class Missing(Exception):
    """An input or a peer is missing; the message says how to get it."""


@dataclass
class Taken:
    """Costs of one side: CPU seconds, peak bytes, and any data that the job printed.

    Attributes:
        cold: of the whole process up to the end of the first run; None if only a warm time is known.
        warm: of the best run after the first, or of the first if there is only one.
        peak: peak memory of the process, in bytes.
    """

    cold: float | None
    warm: float
    peak: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)


#: Measures one side once.
Side = Callable[[], Taken]


def in_turns(sides: Sequence[Side], rounds: int) -> list[Taken]:
    """Measure all sides in turn, `rounds` times, and return the best of each."""
    taken = [[side() for side in sides] for _ in range(rounds)]
    return [_best(list(column)) for column in zip(*taken, strict=True)]


def _best(taken: list[Taken]) -> Taken:
    cold = [each.cold for each in taken if each.cold is not None]
    least = min(taken, key=lambda each: each.warm)
    return Taken(min(cold) if cold else None, least.warm, least.peak, least.facts)


def job(name: str, *paths: Path, runs: int = 5) -> Side:
    """Return a side for a playhead job."""
    return lambda: _job(sys.executable, "jobs.py", name, paths, runs)


def peer_job(package: str, name: str, *paths: Path, runs: int = 3) -> Side:
    """Return a side for a job of a Python package.

    Raises:
        Missing: the package is not installed.
    """
    if not _has(package):
        raise Missing(f"{package} is not installed (PLAYHEAD_PEERS_PYTHON names a Python that has it)")
    return lambda: _job(python_of(package), "peer_jobs.py", name, paths, runs)


def by_clock(side: Side) -> Side:
    """Return a side whose seconds are those by the clock, of its best run."""
    return lambda: Taken(None, side().facts["wall"])


@cache
def _has(package: str) -> bool:
    found = subprocess.run([python_of(package), "-c", f"import {package}"], capture_output=True, check=False)
    return found.returncode == 0


def _job(python: str, script: str, name: str, paths: Sequence[Path], runs: int) -> Taken:
    reported = run_json([python, str(HERE / script), name, str(runs), *map(str, paths)])
    times = reported.pop("times")
    return Taken(reported.pop("cold"), min(times[1:] or times), reported.pop("peak"), reported)


def run_json(command: Sequence[str]) -> dict[str, Any]:
    """Run a program that prints a JSON value in its last line.

    Raises:
        Missing: the program failed.
    """
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, check=False)
    if done.returncode or not done.stdout.strip():
        said = (done.stderr.strip() or "nothing said").splitlines()[-1]
        raise Missing(f"{Path(command[0]).name} failed: {said}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


#: Runs the program of its arguments and prints what it cost. A process begins with the peak of the one that starts
#: it, so a small one does.
_STARTER = """
import json, os, sys, time
began = time.perf_counter()
silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, used = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=silent), 0)
spent, wall = used.ru_utime + used.ru_stime, time.perf_counter() - began
print(json.dumps([os.waitstatus_to_exitcode(status), spent, wall, used.ru_maxrss * 1024]))
"""


def process(command: Sequence[str]) -> Taken:
    """Run a program to its end; the seconds are those of the whole process, fact ``wall`` those by the clock. The
    peak is that of the largest process.
    """
    starter = [sys.executable, "-S", "-c", _STARTER, *command]
    done = subprocess.run(starter, capture_output=True, text=True, timeout=_LONGEST, check=False)
    code, spent, wall, peak = json.loads(done.stdout)
    if code not in (0, 3):  # 3: playhead found problems
        raise Missing(f"{Path(command[0]).name} failed: {(done.stderr.strip() or '?').splitlines()[-1]}")
    return Taken(spent, spent, peak, {"wall": wall})


def stages(name: str, *paths: Path) -> dict[str, float]:
    """Return the shares of a job's time by stage."""
    found: dict[str, float] = run_json([sys.executable, str(HERE / "stages.py"), name, *map(str, paths)])
    return found


def limits(kind: str, *paths: Path) -> dict[str, float | None]:
    """Return the lower bounds for the bytes of files; `kind` is their compression, see `stages.KINDS`."""
    return run_json([sys.executable, str(HERE / "stages.py"), "--limits", kind, *map(str, paths)])


# -- native peers --------------------------------------------------------------------------------------------


@cache
def rust_peer(folder: str, program: str) -> str:
    """Build a program of `peers/`; return its path.

    Raises:
        Missing: this checkout lacks it, or it cannot be built.
    """
    source = HERE / "peers" / folder
    if not source.is_dir():
        raise Missing(f"benchmarks/peers/{folder} is not in this checkout")
    target = TARGET / folder
    command = ["cargo", "build", "--release", "--locked", "--quiet"]
    failed = build("cargo", command, source, CARGO_TARGET_DIR=str(target))
    if failed:
        raise Missing(f"{folder}: {failed}")
    return str(target / "release" / program)


def source2_demo(path: Path, runs: int = 5) -> Side:
    """The crate source2-demo: its entities and string tables, and the entries of the combat log."""
    program = rust_peer("source2_demo", "source2-demo-dump")

    def run() -> Taken:
        cold = process([program, str(path), "--quiet"]).cold
        times = run_json([program, str(path), f"--times={runs}"])["times"]
        return Taken(cold, min(times))

    return run


def manta(path: Path) -> Side:
    """The Go module manta, whole processes."""
    program = TARGET / "manta" / "manta-dump"
    failed = build("go", ["go", "build", "-mod=readonly", "-o", str(program), "."], HERE / "peers" / "manta")
    if failed:
        raise Missing(f"manta: {failed}")
    return lambda: process([str(program), "-quiet", str(path)])


def s2protocol_rs(paths: Sequence[Path], runs: int = 3) -> list[dict[str, Any]]:
    """Return the s2protocol crate's report on each file: events, error, times."""
    program = rust_peer("s2protocol_rs", "s2protocol-time")
    done = subprocess.run([program, str(runs), *map(str, paths)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def teehistorian_rs(path: Path, mode: str) -> Side:
    """The crate teehistorian (libtw2): ``messages`` or ``columns``."""
    program = rust_peer("teehistorian_rs", "teehistorian-count")

    def run() -> Taken:
        reported = run_json([program, str(path), mode])
        return Taken(None, reported["cpu"], reported["peak"], reported)

    return run
