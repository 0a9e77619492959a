"""Numbers that describe a set of numbers, and its histogram."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any


def summarise(values: Sequence[float], *, bin_width: float = 1) -> dict[str, Any]:
    """Count, mean, standard deviation, median, 5th and 95th percentile, least, greatest, histogram.

    All but the count are None without values. A percentile is the least value that this share does not exceed.
    The histogram is [[start of bin, count], …] for the bins that have any.
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
