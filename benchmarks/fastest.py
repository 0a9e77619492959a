"""Timing shared by the benchmarks: the fastest of several runs, because other work only slows a run down."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def fastest(run: Callable[[], T], runs: int) -> tuple[float, T]:
    """Return the CPU seconds of the fastest of `runs` runs, with all threads, and the result of the last one."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        found = run()
        best = min(best, time.process_time() - start)
    return best, found
