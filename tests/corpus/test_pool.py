"""Workers that die alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from playhead.corpus.writing.pool import Pool, Result, Task, WorkerLimits

_CALLS = """
import ctypes, os, sys, time


def call(payload, report):
    kind, value = payload
    if kind == "double":
        return value * 2
    if kind == "raise":
        raise ValueError(value)
    if kind == "print":
        print("to nowhere")
        return value
    if kind == "sleep":
        time.sleep(value)
        return value
    if kind == "work":
        for done in range(20):
            time.sleep(value / 20)
            report(done, 20)
        return value
    if kind == "crash":
        print("my last words", file=sys.stderr, flush=True)
        ctypes.string_at(0)
    if kind == "pid":
        return os.getpid()
    if kind == "loaded":
        return value in sys.modules
    if kind == "once":
        if not os.path.exists(value):
            open(value, "w").close()
            os._exit(3)
        return "second"
    if kind == "eat":
        held = []
        while True:
            held.append(bytearray(b"x") * (8 << 20))
            time.sleep(0.005)
"""


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """A function that a worker can import."""
    import sys

    (tmp_path / "pool_calls.py").write_text(_CALLS)
    monkeypatch.syspath_prepend(str(tmp_path))
    import pool_calls

    yield pool_calls.call
    del sys.modules["pool_calls"]


LIMITS = WorkerLimits(seconds=20, stall_seconds=10, memory=None)


def results(
    call: Callable[..., Any], payloads: list[tuple[str, Any]], *, jobs: int = 2, limits: WorkerLimits = LIMITS
) -> dict[int, Result]:
    tasks = (Task(place, call, payload) for place, payload in enumerate(payloads))
    with Pool(jobs, limits) as pool:
        return {result.task.key: result for result in pool.run(tasks)}


def test_processes_that_start_early_have_imported_modules(call: Callable[..., Any]) -> None:
    with Pool(1, LIMITS) as pool:
        pool.start("colorsys", "no_such_module")
        (first,) = pool._workers
        (loaded, other) = pool.run(
            Task(i, call, ("loaded", name)) for i, name in enumerate(("colorsys", "turtle"))
        )
        assert (loaded.value, other.value) == (True, False)
        assert pool._workers == [first]


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_call_is_answered(call: Callable[..., Any], jobs: int) -> None:
    found = results(call, [("double", number) for number in range(40)], jobs=jobs)
    assert {key: result.value for key, result in found.items()} == {number: number * 2 for number in range(40)}


def test_what_it_raises_and_prints_is_no_death(call: Callable[..., Any]) -> None:
    found = results(call, [("raise", "no"), ("print", 5), ("double", 1)], jobs=1)
    assert isinstance(found[0].error, ValueError)
    assert "call(" in found[0].log or "ValueError" in found[0].log
    assert (found[1].value, found[2].value) == (5, 2)


def test_a_crash_costs_itself(call: Callable[..., Any]) -> None:
    payloads = [("double", number) for number in range(10)]
    payloads[4] = ("crash", None)
    found = results(call, payloads)
    death = found[4].death
    assert death is not None
    assert (death.reason, death.signal) == ("crashed", "SIGSEGV")
    assert found[4].task.attempt == 2
    assert "my last words" in death.log
    assert "Segmentation fault" in death.log  # and where, by faulthandler
    assert sorted(key for key, result in found.items() if result.death is None) == [0, 1, 2, 3, 5, 6, 7, 8, 9]


def test_a_second_attempt_may_succeed(call: Callable[..., Any], tmp_path: Path) -> None:
    found = results(call, [("once", str(tmp_path / "seen")), ("double", 3)])
    assert (found[0].value, found[0].task.attempt) == ("second", 2)
    assert found[1].value == 6


@pytest.mark.long
def test_time_and_stall_limits(call: Callable[..., Any]) -> None:
    limits = WorkerLimits(seconds=3.0, stall_seconds=1.0, memory=None)
    found = results(call, [("sleep", 3600), ("work", 2.0), ("work", 3600), ("double", 1)], limits=limits)
    assert found[0].death is not None
    assert found[0].death.reason == "stalled"
    assert found[1].value == 2.0  # it moved on all the time
    assert found[2].death is not None
    assert found[2].death.reason in ("timeout", "stalled")
    assert found[3].value == 2


def test_the_memory_limit(call: Callable[..., Any]) -> None:
    limits = WorkerLimits(seconds=60, stall_seconds=60, memory=200 << 20)
    found = results(call, [("eat", None), ("double", 1)], limits=limits)
    assert found[0].death is not None
    assert found[0].death.reason == "memory"
    assert found[0].death.signal == "SIGKILL"
    assert (found[0].death.peak_memory or 0) > 200 << 20
    assert found[1].value == 2


def test_processes_are_replaced_in_time(call: Callable[..., Any]) -> None:
    limits = WorkerLimits(seconds=20, stall_seconds=20, memory=None, calls=3)
    found = results(call, [("pid", None)] * 9, jobs=1, limits=limits)
    assert len({result.value for result in found.values()}) == 3


def test_calls_that_are_added_meanwhile(call: Callable[..., Any]) -> None:
    tasks = iter([Task(number, call, ("double", number)) for number in range(6)])
    seen = []
    with Pool(2, LIMITS) as pool:
        for result in pool.run(tasks):
            seen.append(result.task.key)
            if isinstance(result.task.key, int):
                pool.push(Task(f"more {result.task.key}", call, ("double", 1)))
    assert sorted(map(str, seen)) == sorted([*map(str, range(6)), *(f"more {number}" for number in range(6))])


def test_nobody_is_left_behind(call: Callable[..., Any]) -> None:
    import os

    with Pool(2, LIMITS) as pool:
        running = pool.run(iter([Task(0, call, ("pid", None)), Task(1, call, ("sleep", 60))]))
        process = next(running).value
        running.close()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("a worker outlived its pool")


def test_the_module_of_the_tests_is_used(poison: ModuleType) -> None:
    assert poison.poisoned
