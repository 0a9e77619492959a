"""Summary statistics of a set of numbers, with a histogram."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any


def summarise(values: Sequence[float], *, bin_width: float = 1) -> dict[str, Any]:
    """Return count, mean, standard deviation, median, 5th and 95th percentile, minimum, maximum and histogram.

    Without values, all except the count are None. A percentile is the smallest value with at least this share of
    the values at or below it. The histogram is [[start of bin, count], …], without empty bins.
    """
    ordered = sorted(values)
    count = len(ordered)
    if not count:
        keys = ("mean", "deviation", "median", "p5", "p95", "least", "greatest")
        return {"count": 0, **dict.fromkeys(keys), "histogram": []}
    mean = math.fsum(ordered) / count
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in ordered) / count)
    bins = Counter(math.floor(value / bin_width) for value in ordered)
    return {
        "count": count,
        "mean": mean,
        "deviation": deviation,
        "median": _percentile(ordered, 50),
        "p5": _percentile(ordered, 5),
        "p95": _percentile(ordered, 95),
        "least": ordered[0],
        "greatest": ordered[-1],
        "histogram": [[number * bin_width, bins[number]] for number in sorted(bins)],
    }


def _percentile(ordered: Sequence[float], percent: int) -> float:
    return ordered[max(math.ceil(len(ordered) * percent / 100) - 1, 0)]
