"""Timing that the benchmarks share: the fastest of several runs, for what else runs only ever makes one slower."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def fastest(run: Callable[[], T], runs: int) -> tuple[float, T]:
    """Seconds of the fastest of `runs` runs, and what the last one returned."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        found = run()
        best = min(best, time.perf_counter() - start)
    return best, found
