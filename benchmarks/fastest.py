"""Timing that the benchmarks share: the fastest of several runs, for what else runs only ever makes one slower."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def fastest(run: Callable[[], T], runs: int) -> tuple[float, T]:
    """CPU seconds of the fastest of `runs` runs, all threads together, and what the last one returned."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        found = run()
        best = min(best, time.process_time() - start)
    return best, found
